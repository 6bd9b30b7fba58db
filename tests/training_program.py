"""`convgate` with a fake encoder and quick steps, ended early on request.

The end is told by DIE: "step:25" and "write:3" are killed at that step, or at that file; "slow:1" takes its
time after so many epochs; "interrupt:2" gets a Ctrl-C at that step.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch._dynamo  # noqa: F401 an optimiser imports it, which would take each forked process seconds

import convgate.policies.build
from convgate.cli.main import main as convgate_main
from convgate.training import epochs, trainer
from tests.planted_sets import small_encoder

QUICK = replace(epochs.FURTHER, learning_rate=0.02, averaging=0.2, episodes=16, cases=4, together=2)
"""How a small gate is trained further in a moment: 8 steps an epoch."""


def main(words: Sequence[str]) -> None:
    """Run `convgate WORDS`; for a process of its own, which it changes."""
    sys.argv = ["convgate", *words]
    setattr(convgate.policies.build, "default_encoder", lambda *args, **options: small_encoder())  # noqa: B010
    epochs.FURTHER = QUICK
    die_when(os.environ.pop("DIE", ":"))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started without it
    convgate_main()


def die_when(moment: str) -> None:
    """Have this process end as DIE tells."""
    kind, _, when = moment.partition(":")
    step, steps, fsync, written = trainer.Trainer._step, 0, os.fsync, 0

    def counted_step(self: trainer.Trainer, losses: Any, rate: float) -> float:
        nonlocal steps
        steps += 1
        if kind in ("step", "interrupt") and steps == int(when):
            os.kill(os.getpid(), signal.SIGKILL if kind == "step" else signal.SIGINT)
        if kind == "slow" and len(self.history) >= int(when):
            time.sleep(0.05)
        return step(self, losses, rate)

    def counted_fsync(descriptor: Any) -> None:
        nonlocal written
        written += stat.S_ISREG(os.fstat(descriptor).st_mode)
        if kind == "write" and written == int(when):
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(descriptor)

    trainer.Trainer._step = counted_step
    setattr(os, "fsync", counted_fsync)  # noqa: B010


if __name__ == "__main__":
    main(sys.argv[1:])
