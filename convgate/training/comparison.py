"""Fit the threshold of a trained gate, and compare it with its parent on held-out conversations.

The intervals are over conversations: how much others could change the numbers, not another seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from convgate.evaluation.metrics import Bools
from convgate.evaluation.sending import SentTurns
from convgate.gate.promise import level_of, read_levels, write_levels
from convgate.gate.rule import Rule
from convgate.gate.thresholds import Absolute, Anchored, MaxMissed
from convgate.training.episodes import BATCH_SIZE, Episode, batches
from convgate.training.gate_module import GateModule
from convgate.training.report import CaseDecisions
from convgate.training.split import Parts, group_episodes

_THRESHOLDS = np.linspace(0.2, 0.8, 61)
_MAX_FITTED = 100  # conversations of a set


@torch.no_grad()
def compare_gates(
    parent: GateModule,
    child: GateModule,
    sets: Mapping[str, Sequence[Episode]],
    *,
    rules: tuple[Rule, Rule] | None = None,
    tokens: Mapping[str, NDArray[np.int64]] | None = None,
    sent: Callable[[str, str], SentTurns] | None = None,
) -> list[CaseDecisions]:
    """Return what both decide about the judged turns of each case of these episodes.

    rules: what decides for each; the absolute unless given. tokens: of each turn, by conversation; where they
    are not known, all turns cost the same. sent: what is sent in a case beside what a gate keeps, by its
    conversation and id.
    """
    rules = rules or (Absolute(), Absolute())
    cases = []
    episodes = [episode for some in sets.values() for episode in some]
    for episode, group in zip(episodes, group_episodes(episodes), strict=True):
        digest = episode.hashes[-1].hex() if episode.hashes else ""
        known = (tokens or {}).get(episode.conversation)
        stop = episode.start + len(episode.embeddings)
        costs = np.ones(stop, dtype=np.int64) if known is None else known[:stop]
        starts = range(0, len(episode.questions), BATCH_SIZE)
        for first, batch in zip(starts, batches(child, episode), strict=True):
            questions = episode.questions[first : first + BATCH_SIZE]
            sends = [sent(episode.conversation, question.case) if sent else None for question in questions]
            kept, reach = [], []
            for gate, rule in zip((parent, child), rules, strict=True):
                scores = torch.sigmoid(gate(batch.turns, batch.messages, batch.mask).logit)
                decide = partial(
                    _decide, scores, batch.mask, costs[episode.start :], gate.learned_threshold, sends
                )

                def keep(*args: Any, rule: Rule = rule, **known: Any) -> Bools:
                    return rule.cut(*args, **known).kept

                kept.append(decide(keep, SentTurns.of) > 0)
                reach.append(decide(rule.reach if rule.swept else keep, SentTurns.reach))
            for row, (question, judged) in enumerate(zip(questions, batch.judged, strict=True)):
                turns = episode.start + torch.nonzero(judged).flatten().numpy()
                cases.append(
                    CaseDecisions(
                        id=question.case,
                        conversation=episode.conversation,
                        group=group,
                        digest=digest,
                        message=None if question.typed else episode.start + question.stop,
                        turns=turns,
                        tokens=costs[turns],
                        relevant=batch.relevant[row][judged].bool().numpy(),
                        needed=(batch.target[row][judged] == 1).numpy(),
                        parent_kept=kept[0][row][judged.numpy()],
                        child_kept=kept[1][row][judged.numpy()],
                        parent_reach=reach[0][row][judged.numpy()],
                        child_reach=reach[1][row][judged.numpy()],
                    )
                )
    return cases


def _decide(
    scores: Tensor,
    mask: Tensor,
    tokens: NDArray[np.int64],
    learned: float,
    sends: Sequence[SentTurns | None],
    decide: Callable[..., NDArray[Any]],
    send: Callable[[SentTurns, Any], NDArray[Any]],
) -> NDArray[np.float64]:
    """Return (B, n) what a rule says of each turn in each case, as it is sent; 0 for those after it.

    tokens: (n,). sends: B; None: what the rule says alone.
    """
    result = np.zeros(mask.shape)
    for row, history in enumerate(mask.numpy()):
        known = scores[row].double().numpy()[history]
        decided = decide(known, learned=learned, tokens=tokens[: len(history)][history])
        if (sent := sends[row]) is not None:
            whole = np.zeros(len(sent), dtype=decided.dtype)  # the history may begin before the episode
            whole[len(whole) - len(decided) :] = decided
            decided = send(sent, whole)[len(whole) - len(decided) :]
        result[row, history] = decided
    return result


def match_tokens(
    rule: Rule, parent: Rule, cases: Sequence[CaseDecisions]
) -> tuple[Rule, list[CaseDecisions]]:
    """Return the child's promise with levels that send as many tokens of these cases, and what it keeps.

    A promise is calibrated on the scores of one gate, and those of a child are on another scale; so it takes
    its parent's levels in proportion, until it is calibrated itself. Other rules stay.
    """
    if not (isinstance(rule, MaxMissed) and isinstance(parent, MaxMissed) and rule.max_missed > 0 and cases):
        return rule, list(cases)
    reach, tokens, kept = (
        np.concatenate([getattr(case, name) for case in cases])
        for name in ("child_reach", "tokens", "parent_kept")
    )
    is_decided = np.isfinite(reach)  # others are sent, or not, at every level
    reach, tokens, kept = reach[is_decided], tokens[is_decided], kept[is_decided]
    order = np.argsort(-reach, kind="stable")
    n_fitting = int(np.count_nonzero(np.cumsum(tokens[order]) <= tokens[kept].sum()))
    level = float(reach[order][n_fitting - 1]) if n_fitting else 1.0
    levels = read_levels(parent.levels) or [(rule.max_missed, rule.max_missed)]
    factor = level / level_of(levels, rule.max_missed)
    scaled = [(promise, min(1.0, factor * each)) for promise, each in levels]
    return replace(rule, levels=write_levels(scaled)), [
        replace(case, child_kept=np.greater_equal(case.child_reach, level)) for case in cases
    ]


def fit_threshold(gate: GateModule, parts: Parts, rule: Rule) -> float | None:
    """Set the gate's threshold for the rule that decides, and return it; None, unchanged, without data.

    It is fitted on what the parts hold for it, else on what is trained on.
    """
    anchor = rule.anchor if isinstance(rule, Anchored) else 0.0
    best = fit_threshold_on(gate, parts.fitted, anchor=anchor)
    return fit_threshold_on(gate, parts.training, anchor=anchor) if best is None else best


@torch.no_grad()
def fit_threshold_on(
    gate: GateModule, sets: Mapping[str, Sequence[Episode]], *, anchor: float = 0.0
) -> float | None:
    """Set the gate's threshold, 0.2…0.8, where the sets' mean F1 is highest, and return it.

    The F1 of a set is micro over all judged turns of its cases; among equally good thresholds, the middle one
    is taken. Sets of questions put from outside are left out unless there are no others. anchor: nothing is
    kept in a case in which no turn scores as much. None, and no change, when no case has a relevant turn.
    """
    flow = {
        name: episodes
        for name, episodes in sets.items()
        if not all(question.typed for episode in episodes for question in episode.questions)
    }
    curves = [
        curve
        for episodes in (flow or sets).values()
        if (curve := _f1_curve(gate, episodes, anchor)) is not None
    ]
    if not curves:
        return None
    curve = np.mean(curves, axis=0)
    highest = np.flatnonzero(curve == curve.max())
    best = float(_THRESHOLDS[highest[len(highest) // 2]])
    gate.threshold_logit.fill_(float(np.log(best / (1 - best))))
    return best


def _f1_curve(gate: GateModule, episodes: Sequence[Episode], anchor: float) -> NDArray[np.float64] | None:
    """Return (61,) F1 at each threshold."""
    scores, labels = [], []
    for episode in episodes[:_MAX_FITTED]:
        for batch in batches(gate, episode):
            output = gate(batch.turns, batch.messages, batch.mask)
            each = torch.sigmoid(output.logit) * batch.mask
            each = each * (each.amax(dim=1, keepdim=True) >= anchor)
            scores.append(each[batch.judged].numpy())
            labels.append(batch.relevant[batch.judged].numpy())
    if not scores or not (relevant := np.concatenate(labels)).any():
        return None
    reached = np.searchsorted(_THRESHOLDS, np.concatenate(scores), side="right")  # how many thresholds
    kept, hits = (
        np.bincount(reached, weights, minlength=len(_THRESHOLDS) + 1)[:0:-1].cumsum()[::-1]
        for weights in (None, relevant)
    )
    return np.asarray(2 * hits / (kept + relevant.sum()))
