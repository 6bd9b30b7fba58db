"""What can open a connection to another machine: the one list, which the docs show and a test completes.

A setting that connects has a Connection in its metadata; COMMANDS has what is given on the command line, and
LIBRARIES what an adapter's own framework does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a setting, option or import connects to, and what is sent; in Markdown."""

    to: str
    sends: str
    modules: tuple[str, ...]  # of convgate, which open it or hand it to a library


GATEKEEPER_ENDPOINT = "`gatekeeper.base_url`, else `OPENAI_BASE_URL`, else api.openai.com"
EXPERIMENT_ENDPOINT = "`experiment.base_url`, else `OPENAI_BASE_URL`, else api.openai.com"

COMMANDS: Mapping[str, Connection] = {
    "INPUT, `--out` of `convgate batch`, when an address such as `s3://bucket`": Connection(
        "that store",
        "reads conversations; writes selected messages, decisions, with `--embeddings` vectors",
        ("batch.inputs", "batch.output"),
    ),
    "`--address` of `convgate batch` and `convgate evaluate`": Connection(
        "that Ray cluster", "conversations, settings, decisions", ("batch.cluster",)
    ),
}

LIBRARIES: Mapping[str, Connection] = {
    "`import convgate.adapters.litellm`": Connection(
        "GitHub, by LiteLLM, unless `LITELLM_LOCAL_MODEL_COST_MAP=True`",
        "nothing; LiteLLM downloads its list of prices",
        ("adapters.litellm",),
    )
}
