"""The figures of docs/modes.md, and the shipped weights of the modes.

python -m tools.mode_figures                      five folds, hand against hand, calibration
python -m tools.mode_figures tests/messages/test_modes.jsonl …    the shipped classifier on labelled lines
python -m tools.mode_figures --write              fit anew and ship, with the figures of five folds
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from convgate.core.settings import load_settings
from convgate.embedding.states import state_encoder
from convgate.modes.classifier import SHIPPED, load_classifier
from convgate.modes.mode import MODES
from convgate.text.linear import Floats
from tools.labelled import read_lines
from tools.mode_fitting import (
    Prepared,
    Tuning,
    calibration_error,
    fit_tuned,
    folds,
    given,
    hands,
    held_out,
    labelled_messages,
    qualities,
    reliability,
)
from tools.text_fitting import write_model

_DRAWS = 1_000


def main() -> None:
    """Run what the words of the command line ask for."""
    words = sys.argv[1:]
    files = [Path(word) for word in words if not word.startswith("--")]
    if files:
        for file in files:
            _labelled(file)
        return
    data = Prepared.of(labelled_messages(), state_encoder(load_settings()))
    model, tuning = fit_tuned(data)
    print(f"{len(data.messages):,} messages; {tuning}")
    shares = tuning(held_out(data, folds(data)))
    if "--write" in words:
        measured = {mode: asdict(quality) for mode, quality in qualities(given(shares), data.modes).items()}
        write_model(replace(model, info={**model.info, "qualities": measured}), SHIPPED)
        print(f"written to {SHIPPED}")
    _table("Five folds of all messages", given(shares), data.modes)
    _calibration(shares, data.modes)
    _hands(data, tuning)


def _hands(data: Prepared, tuning: Tuning) -> None:
    of = hands(data)
    shares = tuning(held_out(data, of))
    _table("Each hand by the others", given(shares), data.modes)
    for hand in np.unique(of):
        part = of == hand
        _table(f"{hand} by the others", given(shares[part]), data.modes[part])
    print(f"expected calibration error: {calibration_error(reliability(shares, data.modes)):.3f}")


def _labelled(file: Path) -> None:
    lines = read_lines(file)
    classifier = load_classifier(load_settings())
    decisions = classifier.classify_texts([line["content"] for line in lines])
    modes = np.array([MODES.index(line["mode"]) for line in lines])
    _table(file.name, np.array([MODES.index(decision.mode) for decision in decisions]), modes)
    right = np.array(
        [decision.likeliest == line["mode"] for decision, line in zip(decisions, lines, strict=True)]
    )
    print(f"the likeliest mode is right: {_share(int(right.sum()), len(right))}")
    shares = np.array([[decision.probabilities[mode] for mode in MODES] for decision in decisions])
    _calibration(shares.astype(np.float32), modes)


def _table(title: str, applied: NDArray[np.int64], modes: NDArray[np.int64]) -> None:
    print(f"\n{title}: {len(modes):,} messages\n\n| mode | precision | recall | F1 |\n|---|---|---|---|")
    for at, (mode, quality) in enumerate(qualities(applied, modes).items()):
        is_applied, is_labelled = applied == at, modes == at
        hits = int((is_applied & is_labelled).sum())
        low, high = _f1_interval(applied, modes, at)
        print(
            f"| {mode} | {_share(hits, int(is_applied.sum()))} | {_share(hits, int(is_labelled.sum()))}"
            f" | {quality.f1:.2f} ({low:.2f}–{high:.2f}) |"
        )


def _share(hits: int, total: int) -> str:
    if not total:
        return "–"
    interval = binomtest(hits, total).proportion_ci(method="wilson")
    return f"{hits / total:.2f} ({interval.low:.2f}–{interval.high:.2f})"


def _f1_interval(applied: NDArray[np.int64], modes: NDArray[np.int64], at: int) -> tuple[float, float]:
    """95 %, by drawing the messages again and again."""
    drawn = np.random.default_rng(0).integers(0, len(modes), (_DRAWS, len(modes)))
    is_applied, is_labelled = (applied == at)[drawn], (modes == at)[drawn]
    hits = (is_applied & is_labelled).sum(axis=1)
    f1 = 2 * hits / np.maximum(is_applied.sum(axis=1) + is_labelled.sum(axis=1), 1)
    low, high = np.quantile(f1, [0.025, 0.975])
    return float(low), float(high)


def _calibration(shares: Floats, modes: NDArray[np.int64]) -> None:
    bins = reliability(shares, modes)
    print(f"\nexpected calibration error: {calibration_error(bins):.3f}\n")
    print("| messages | confidence | right |\n|---|---|---|")
    for bucket in bins:
        print(f"| {bucket.count} | {bucket.confidence:.2f} | {bucket.right:.2f} |")


if __name__ == "__main__":
    main()
