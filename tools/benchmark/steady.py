"""Long runs: time per message, growth over the steps, memory, and threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from convgate.core.settings import load_settings
from convgate.embedding.base import Encoder
from convgate.embedding.cache import default_encoder
from convgate.policies.build import EncoderOnDemand
from convgate.selection.load import load
from convgate.selection.selector import Selector
from convgate.transcripts import to_messages
from tools.benchmark.budget import sample_turns

Messages = Sequence[Mapping[str, Any]]
Step = Callable[[Messages], object]


@dataclass(frozen=True, slots=True)
class MessageCost:
    """The time of one message in a conversation of n turns, everything included, by medians."""

    turns: int
    encode_ms: float  # encoding a message alone: of two, each by itself, divided by two
    select_ms: float  # a step of these two messages, divided by two
    budget_ms: float

    @property
    def times_encoding(self) -> tuple[float, float]:
        """Selecting without and with a budget as multiples of encoding."""
        return self.select_ms / self.encode_ms, self.budget_ms / self.encode_ms


@dataclass(frozen=True, slots=True)
class Growth:
    """Steps of two messages, by medians of 101 steps around the early one and of the last 101."""

    early_ms: float
    last_ms: float
    early_mb: float  # resident memory
    last_mb: float

    @property
    def ratio(self) -> float:
        """Time of the last steps by that of the early ones."""
        return self.last_ms / self.early_ms


@dataclass(frozen=True, slots=True)
class ThreadSpeed:
    """Conversations that grow in turn, and in a thread each, on one gate."""

    serial_seconds: float
    threads_seconds: float
    same_results: bool

    @property
    def throughput(self) -> float:
        """How many times as much the threads do in a second."""
        return self.serial_seconds / self.threads_seconds


def sample_messages(n: int, *, name: str = "") -> list[Mapping[str, Any]]:
    """Return n messages of the sample conversations; those of another name are other texts."""
    messages = to_messages(sample_turns(n))
    return [{**message, "content": f"{message['content']} {name}".strip()} for message in messages]


def time_message(
    selector: Selector, fitting: Selector, encoder: Encoder, n: int, *, rounds: int = 15
) -> MessageCost:
    """Time messages in a conversation of n turns, n even; encoder: of texts that it has not seen."""
    messages = sample_messages(n + 2 * rounds + 1)
    selector.select(messages[: n + 1])
    fitting.select(messages[: n + 1])
    encode, select, budget = list[float](), list[float](), list[float]()
    for stop in range(n + 3, n + 2 * rounds + 2, 2):
        select.append(_time(selector.select, messages[:stop]) / 2)
        # other new texts than those that selecting encoded
        own = [{**message, "content": f"{message['content']} ."} for message in messages[n + 1 : stop]]
        budget.append(_time(fitting.select, [*messages[: n + 1], *own]) / 2)
        encode.append(sum(_time(encoder.encode, [message["content"]]) for message in own[-2:]) / 2)
    return MessageCost(n, *(1e3 * median(seconds) for seconds in (encode, select, budget)))


def time_steps(step: Step, *, name: str, steps: int = 2_000, early: int = 100) -> Growth:
    """Give a conversation step by step, two messages more each time.

    The last steps bring the texts of the early ones again, with a word more: they take as long to encode.
    """
    messages, process = sample_messages(2 * steps, name=name), psutil.Process()
    first = 2 * (early - 51) - 1
    messages[-203:-1] = [
        {**message, "content": f"{message['content']} again"} for message in messages[first : first + 202]
    ]
    seconds, memory = [], []
    for stop in range(1, 2 * steps, 2):
        seconds.append(_time(step, messages[:stop]))
        memory.append(process.memory_info().rss / 1e6)
    around, last = seconds[early - 51 : early + 50], seconds[-101:]
    return Growth(1e3 * median(around), 1e3 * median(last), memory[early], memory[-1])


def time_threads(selector: Selector, *, threads: int = 8, turns: int = 200) -> ThreadSpeed:
    """Select in conversations that grow: one after the other, then other texts in a thread each."""

    def run(name: str) -> list[list[int]]:
        messages = sample_messages(turns, name=name)
        return [selector.select(messages[:stop]).indices for stop in range(1, turns, 2)]

    names = [f"{number}" for number in range(threads)]
    start = time.perf_counter()
    for name in names:
        run(f"serial {name}")
    serial = time.perf_counter() - start
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(run, names))
    parallel = time.perf_counter() - start
    return ThreadSpeed(serial, parallel, results == [run(name) for name in names])


def _time(function: Callable[[Any], object], argument: object) -> float:
    start = time.perf_counter()
    function(argument)
    return time.perf_counter() - start


def measure_steady() -> dict[str, Any]:
    """Return all figures, with the default encoder and an empty cache."""
    with TemporaryDirectory(prefix="convgate-bench-") as home:
        settings = load_settings().updated(home=Path(home), guard={"log": False})
        encoder = EncoderOnDemand(settings)
        selector = load(settings, encoder=encoder())
        fitting = load(settings.updated(budget={"tokens": 53_000}), encoder=encoder())
        alone = default_encoder(settings.encoder, device=settings.device, dtype=settings.encoder_dtype)
        costs = [time_message(selector, fitting, alone, n) for n in (1_000, 10_000)]
        growth = {
            "select": time_steps(selector.select, name="selected"),
            "budget": time_steps(fitting.select, name="within a budget"),
        }
        threads = time_threads(selector)
    return {
        "message": {
            str(cost.turns): {**asdict(cost), "times_encoding": cost.times_encoding, "goal_below": goal}
            for cost, goal in zip(costs, (1.5, 2.5), strict=True)
        },
        "growth": {
            name: {**asdict(value), "ratio": value.ratio, "goal_below": 1.3} for name, value in growth.items()
        },
        "threads": {**asdict(threads), "throughput": threads.throughput, "goal": 1.5},
    }
