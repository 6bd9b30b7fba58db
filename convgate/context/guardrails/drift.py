"""How far the modes of some requests are from those of others."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.context.mode import MODES, Mode


def smoothed(counts: Mapping[str, float]) -> dict[Mode, float]:
    """The share of each mode with add-one smoothing, so that none is 0: (n_m + 1) / (n + 5).

    >>> smoothed({"TASK": 3})["TASK"], smoothed({})["GENERAL"]
    (0.5, 0.2)
    """
    total = sum(counts.get(mode, 0) for mode in MODES) + len(MODES)
    return {mode: (counts.get(mode, 0) + 1) / total for mode in MODES}


def divergence(counts: Mapping[str, float], baseline: Mapping[str, float]) -> float:
    """The Kullback–Leibler divergence of the smoothed shares, in nats: Σ_m p_m · ln(p_m / q_m).

    p is of `counts`, q of `baseline`. 0 or more; 0 when the shares are the same.

    >>> divergence({"TASK": 5}, {"TASK": 5})
    0.0
    >>> round(divergence({"TASK": 995}, {}), 3)  # of one mode alone, against all alike: nearly ln 5
    1.578
    """
    from scipy.special import rel_entr

    p, q = smoothed(counts), smoothed(baseline)
    return max(0.0, float(sum(rel_entr(p[mode], q[mode]) for mode in MODES)))
