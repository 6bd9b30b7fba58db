"""Ray as batches use it: local and quiet unless a cluster is named."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from convgate.core.errors import SettingsError
from convgate.core.processors import count_processors

_OBJECT_STORE_BYTES = 256 * 2**20  # of a local Ray: parts that wait for a worker


@contextmanager
def ray_cluster(address: str | None = None) -> Iterator[Any]:
    """Yield `ray`, connected to the cluster at the address, or to a new local one that ends with the block.

    A local one listens on 127.0.0.1 alone. Raises SettingsError when the cluster cannot be reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # it logs as an error that workers may restart
    if address is None:
        # Ray reads it when it is imported: whether it uses the loopback interface alone, on any system.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    with warnings.catch_warnings():
        # Ray Data sets its own deprecated options, and warns when there are fewer parts than workers.
        warnings.filterwarnings("ignore", module=r"ray\.")
        import ray
        import ray.data

        is_running = ray.is_initialized()
        if not is_running:
            _start(ray, address)
        _configure(ray)
        try:
            yield ray
        finally:
            if not is_running:
                ray.shutdown()


def _start(ray: Any, address: str | None) -> None:
    options: dict[str, Any] = {"address": address}
    if address is None:
        options = {
            "address": "local",
            "num_cpus": count_processors(),
            "object_store_memory": _OBJECT_STORE_BYTES,
            "include_dashboard": False,
        }
    try:
        ray.init(**options, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = "a local Ray" if address is None else f"the Ray cluster at {address}"
        raise SettingsError(f"{where} cannot be used: {error}") from error


def count_workers(ray: Any, num_gpus: float) -> int:
    """Return how many workers the cluster has room for: one a processor, or as many as share its GPUs.

    Raises SettingsError when there is no such GPU.
    """
    resources = ray.cluster_resources()
    if not num_gpus:
        return max(1, int(resources.get("CPU", 1)))
    n_gpus = resources.get("GPU", 0)
    if n_gpus < num_gpus:
        raise SettingsError(f"a worker needs {num_gpus:g} GPUs, but Ray has {n_gpus:g}; leave out --num-gpus")
    return int(n_gpus / num_gpus)


def _configure(ray: Any) -> None:
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.raise_original_map_exception = True
    context.target_max_block_size = (
        1  # bytes: a part is a block of its own, so that workers share them evenly
    )
