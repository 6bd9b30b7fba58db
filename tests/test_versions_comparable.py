"""Which figures of two versions may be subtracted, in a list and in a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.versions import Draft, Measured, Metric, Version, Versions
from convgate.versions.comparison import Figure, headline, metric_pairs
from convgate.versions.markdown import model_card
from tests.gates import trained_gate


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(tmp_path / "home")


def measured(versions: Versions, name: str, **sets: tuple[int, float]) -> Version:
    metrics = {set: Measured(cases, 2, {"f1": Metric(f1)}) for set, (cases, f1) in sets.items()}
    return versions.add(trained_gate(), Draft(metrics=metrics), name=name)


def test_headline_is_of_the_set_that_both_were_measured_on(versions: Versions) -> None:
    base = measured(versions, "base", x=(10, 0.5), y=(20, 0.6))
    new = measured(versions, "new", z=(5, 0.9), y=(20, 0.75))
    found = headline(new, base)
    assert found is not None
    assert (found.set, found.others) == ("y", 1)
    (figure,) = found.figures
    assert (figure.name, figure.value, round(figure.delta or 0, 9)) == ("f1", 0.75, 0.15)


def test_headline_of_other_cases_has_no_delta(versions: Versions) -> None:
    base = measured(versions, "base", y=(20, 0.6))
    found = headline(measured(versions, "new", y=(21, 0.75)), base)
    assert found is not None
    assert found.figures == (Figure("f1", 0.75, None),)
    assert not found.compared
    assert headline(measured(versions, "unmeasured"), base) is None


OWN = "held out"


def held_out(f1: float, digest: str, parent: float | None = None, low: float = 0.01) -> Measured:
    """F1 on twenty cases of the version's own, and the parent's on these."""
    beside = {} if parent is None else {"f1": Metric(parent)}
    gain = {} if parent is None else {"f1": Metric(f1 - parent, low, f1 - parent + 0.1)}
    return Measured(20, 5, {"f1": Metric(f1)}, sha256=digest * 64, parent=beside, gain=gain)


@pytest.mark.parametrize("low", [0.01, -0.01])
def test_a_child_is_compared_with_its_parent_on_its_own_cases(versions: Versions, low: float) -> None:
    first = versions.add(trained_gate(), Draft(metrics={OWN: held_out(0.9, "a")}), name="first")
    draft = Draft(parent=first.as_parent(), metrics={OWN: held_out(0.7, "b", parent=0.65, low=low)})
    child = versions.add(trained_gate(seed=1), draft, name="child")
    other = versions.add(trained_gate(seed=2), Draft(metrics={OWN: held_out(0.6, "b")}), name="other")
    found = headline(child, first)
    assert found is not None
    (figure,) = found.figures
    assert (figure.value, round(figure.delta or 0, 9)) == (0.7, 0.05), "not 0.7 less 0.9 of other cases"
    assert figure.sure == (low > 0)
    assert found.compared
    against = headline(first, child)
    assert against is not None
    assert not against.compared, "nobody measured the child on the cases of its parent"
    alike = headline(other, child)
    assert alike is not None
    assert round(alike.figures[0].delta or 0, 9) == -0.1, "of the very same cases"


def test_what_was_measured_on_other_cases_stands_apart_in_a_difference(versions: Versions) -> None:
    first = versions.add(trained_gate(), Draft(metrics={OWN: held_out(0.9, "a")}), name="first")
    draft = Draft(parent=first.as_parent(), metrics={OWN: held_out(0.7, "b", parent=0.65)})
    child = versions.add(trained_gate(seed=1), draft, name="child")
    both = {f"{OWN}, cases of first": (0.9, None), f"{OWN}, cases of child": (0.65, 0.7)}
    assert values(first, child) == both
    assert values(child, first) == {name: pair[::-1] for name, pair in both.items()}
    card = model_card(child)
    assert "| held out | 20 | 0.700 |" in card
    assert "| its parent on these |  | 0.650 |" in card
    assert "| difference |  | +0.050 (+0.010 to +0.150) |" in card


def values(a: Version, b: Version) -> dict[str, tuple[float | None, ...]]:
    """F1 of both by set."""
    return {name: tuple(one and one.value for one in metrics["f1"]) for name, metrics in metric_pairs(a, b)}
