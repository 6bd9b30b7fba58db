"""Reasons name what is true of the turn, and what changes the score as they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import convgate
from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import LIKELY, TurnDecisions, say_likely
from convgate.embedding import default_encoder
from convgate.figures.hover import on_screen
from convgate.gate.effects import KINDS, ThreadEffects, mean_of_others
from convgate.gate.facts import facts_of
from convgate.gate.features import FEATURES
from convgate.gate.full import ThreadState
from convgate.gate.quotes import quote_words
from convgate.gate.reasons import Clause, GateReasons
from convgate.gate.scoring import Inputs
from convgate.gate.subjects import Subjects
from convgate.policies.gate import GatePolicy, ScoredHistory
from convgate.policies.pipeline import Pipeline
from convgate.policies.search import BM25
from convgate.policies.window import LastK
from convgate.transcripts import read_relevance_set
from convgate.ui.shared.transcript_rows import RowMarks, transcript_data

pytestmark = [pytest.mark.shipped, pytest.mark.xdist_group("encoder")]

SAMPLES = Path(__file__).resolve().parent.parent / "sample_conversations" / "samples.relevance.jsonl"
OF_TURNS = [feature for feature in FEATURES if feature.part != "message"]
MIN_DECISIONS, MIN_SHARE = 60, 0.9

GARDEN = (
    "My tomato plants have yellow leaves, only the lower ones. What is missing?",
    "Yellow lower leaves on tomato plants are mostly a lack of nitrogen. Feed them with nettle manure.",
    "And the slugs in the lettuce bed, do beer traps help?",
    "A little. They attract more slugs than they drown. Collect them at dusk.",
    "The printer at work says paper jam, and there is none.",
    "Clean the sensor behind the rear flap with a dry cotton bud.",
    "How often would I feed the tomato plants with the nettle manure?",
)
KITCHEN = (
    "I'm allergic to hazelnuts. Keep that in mind for all recipes.",
    "Noted: no hazelnuts in anything.",
    "We're six on Saturday. Lasagne with spinach, how much spinach?",
    "For six, 900 g of fresh spinach, or 600 g of frozen spinach.",
    "Which train gets me from Ghent to Liège before nine?",
    "The 7:02 arrives at 8:41.",
    "A dessert that goes with the spinach lasagne?",
)
THESIS = (
    "The regression in chapter three has heteroscedastic residuals. Robust standard errors?",
    "Yes, HC3 for a sample as small as yours.",
    "What do I write in the acknowledgements for my supervisor?",
    "Thank her for the two things she did that nobody else would have done.",
    "My bicycle chain skips on the smallest sprocket.",
    "The sprocket is worn. Replace cassette and chain together.",
    "ok and with clustered standard errors instead of HC3?",
)


@dataclass(frozen=True, eq=False)
class Case:
    """A message with its history, as the shipped gate decides it."""

    policy: GatePolicy
    current: CurrentMessage
    history: History
    scored: ScoredHistory
    decisions: TurnDecisions

    @property
    def effects(self) -> ThreadEffects:
        assert isinstance(self.scored.effects, ThreadEffects)
        return self.scored.effects

    def clauses(self, row: int) -> list[Clause]:
        kept = self.decisions.kept
        return GateReasons(self.effects, kept, self.history.turns, self.current).clauses(row)

    def without(self, row: int, places: tuple[tuple[int, int], ...]) -> float:
        """The change of the logit of a turn when its text lacks what stands at these places."""
        turn, text = self.history.turns[row], self.history.turns[row].text
        for start, stop in sorted(places, reverse=True):
            text = text[:start] + text[stop:]
        turns = list(self.history.turns)
        turns[row] = Turn.of(turn.role, text, name=turn.name)
        state = self.policy.gate.state(*self.policy.read_turns(turns))
        logits = self.policy.gate.score(state, self.effects.message).logits
        return float(self.scored.scores.logits[row] - logits[row])


def decide(policy: GatePolicy, current: CurrentMessage, history: History) -> Case:
    scored = policy.score(current, history)
    return Case(policy, current, history, scored, policy.decide_scored(scored))


def written(texts: tuple[str, ...]) -> Conversation:
    roles = ("user", "assistant")
    return Conversation("new", tuple(Turn.of(roles[place % 2], text) for place, text in enumerate(texts)))


@cache
def cases() -> tuple[Case, ...]:
    policy = convgate.load(version="shipped", encoder=default_encoder()).policy
    assert isinstance(policy, GatePolicy)
    samples = read_relevance_set(SAMPLES)
    moments = [samples.current(case) for case in samples.cases]
    moments = [moment for moment in moments if 3 < len(moment[1]) <= 80][::3]
    moments += [written(texts).at(len(texts) - 1) for texts in (GARDEN, KITCHEN, THESIS)]
    return tuple(decide(policy, *moment) for moment in moments)


def decisions_with_clauses() -> Iterator[tuple[Case, int, Clause]]:
    for case in cases():
        best = np.argsort(-case.scored.scores.scores)[:4].tolist()
        for row in sorted({*best, *range(0, len(case.history), 3)}):
            for clause in case.clauses(row):
                yield case, row, clause


def logits_with(case: Case, turns: np.ndarray) -> np.ndarray:
    """The logits with other features, by both tiers on all turns, with nothing held as it is."""
    effects, state = case.effects, case.effects.state
    scorer, share = state.arrays.tiers.scorer, effects.scores.activation
    message = state.inputs(effects.message.embedding, effects.message.facts).message
    tier1 = scorer.parts(Inputs(turns, message)).sum(axis=0)
    return (1 - share) * tier1 + share * scorer.attend(Inputs(turns, message), state.window).logits


def replaced(case: Case, row: int, clause: Clause) -> float:
    """The change of the logit of a turn when its features of a kind are as in turns of the other side."""
    effects, scores = case.effects, case.scored.scores.scores
    turns = effects.state.inputs(effects.message.embedding, effects.message.facts).turns
    others = mean_of_others(turns, 1 - scores if clause.sign > 0 else scores)
    rows = [place for place, feature in enumerate(OF_TURNS) if feature.part in KINDS[clause.kind]]
    changed = turns.copy()
    changed[rows, row] = others[rows, row]
    return float(logits_with(case, turns)[row] - logits_with(case, changed)[row])


def test_enough_decisions_are_measured() -> None:
    assert len({(id(case), row) for case, row, _ in decisions_with_clauses()}) >= MIN_DECISIONS


def test_no_reason_names_a_part_of_the_opposite_sign() -> None:
    for case, row, clause in decisions_with_clauses():
        parts = {name: float(part[row]) for name, part in case.scored.scores.parts.items()}
        named = KINDS[clause.kind]
        if clause.said.words:
            named = ("words",)
        elif clause.said.text == "close in meaning":
            named = ("meaning", "passages")
        assert clause.sign * sum(parts.get(name, 0.0) for name in named) > 0, (clause, parts)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_kind_that_a_reason_names_changes_the_score_as_it_says(sign: int) -> None:
    moved = [
        sign * replaced(case, row, clause) > 0
        for case, row, clause in decisions_with_clauses()
        if clause.kind != "links" and clause.sign == sign
    ]
    assert len(moved) > 15
    assert np.mean(moved) >= MIN_SHARE


def test_hiding_the_words_that_a_reason_names_lowers_the_score() -> None:
    fallen = [
        case.without(row, clause.said.words) > 0
        for case, row, clause in decisions_with_clauses()
        if clause.said.words and max(stop for _, stop in clause.said.words) <= len(case.history[row].text)
    ]
    assert len(fallen) > 10
    assert np.mean(fallen) >= MIN_SHARE


def test_cutting_a_link_that_a_reason_names_changes_the_score_as_it_says() -> None:
    moved = []
    for case, row, clause in decisions_with_clauses():
        for other in clause.said.turns if clause.kind == "links" else ():
            state, late, early = case.effects.state, max(row, other), min(row, other)
            attended = without_link(state, case, late, early)
            moved.append(clause.sign * (case.scored.scores.attention[row] - attended[row]) > 0)
    assert len(moved) > 10
    assert np.mean(moved) >= MIN_SHARE


def without_link(state: ThreadState, case: Case, late: int, early: int) -> np.ndarray:
    """Tier 2 of all turns with the links of a conversation computed anew, without one of them."""
    scorer, shares = state.arrays.tiers.scorer, state.window.shares.copy()
    shares[late, :, shares.shape[2] - (late - early)] = 0
    links = type(state.arrays.links)(scorer.decay, shares.shape[2])
    for row in shares:
        links.append(row)
    message = case.effects.message
    inputs = state.inputs(message.embedding, message.facts)
    return scorer.attend(inputs, links.window(0, len(state))).logits


def test_words_are_offsets_in_the_turn_and_quoted_in_the_reason() -> None:
    case = next(case for case in cases() if "nettle manure" in case.current.turn.text)
    words = case.decisions.words(1)
    text = case.history.turns[1].scored_text
    quoted = {text[start:stop] for start, stop in words}
    assert quoted
    assert all(f"“{word}”" in case.decisions[1].reason for word in quoted)
    with pytest.raises(KeyError):
        case.decisions.words(99)


def test_a_reason_ends_with_the_score_unless_it_says_it_and_the_rule_stands_once_for_all_turns() -> None:
    decisions = cases()[-1].decisions
    assert all(
        (" Score " in decision.explanation) != ("likely to be needed" in decision.reason)
        for decision in decisions
    )
    assert "what is needed" in decisions.because
    assert decisions.because not in decisions[0].explanation
    assert decisions.to_json()["because"] == decisions.because


def shift_by_two(case: Case) -> TurnDecisions:
    """The same history behind two turns that the first stage of a pipeline drops."""
    turns = (Turn.of("user", "hello"), Turn.of("assistant", "hi"), *case.history.turns, case.current.turn)
    pipeline = Pipeline("last_k > gate", policies=(LastK(len(case.history)), case.policy))
    return pipeline.decide(*Conversation("new", turns).at(len(turns) - 1))


def test_reasons_of_a_pipeline_name_turns_of_the_whole_conversation() -> None:
    case = next(case for case in cases() if case.current.index is not None and named_links(case))
    row = named_links(case)[0]
    said = case.clauses(row)[0].said
    assert f"message {said.turns[0]}" in case.decisions[row].reason
    shifted = shift_by_two(case)
    assert f"message {said.turns[0] + 2}" in shifted[row + 2].reason
    assert shifted.words(row + 2) == case.decisions.words(row)


def named_links(case: Case) -> list[int]:
    if case.history.start or len(case.history) > 30:
        return []
    return [row for row in range(len(case.history)) if (said := case.clauses(row)) and said[0].said.turns]


def test_bm25_names_shared_words() -> None:
    current, history = written(GARDEN).at(len(GARDEN) - 1)
    decisions = BM25(k=1).decide(current, history)
    assert decisions[1].explanation.startswith("your words “")
    assert "nettle manure" in decisions[1].explanation
    assert decisions[4].explanation.startswith("none of your words.")


def test_names_with_braces_and_long_words_are_quoted_as_text() -> None:
    name, word = "{0}{x}", "supercali" * 20
    turns = [
        Turn.of("user", f"the {word} of the router {place}", name=name if place % 2 else "ada")
        for place in range(6)
    ]
    conversation = Conversation("new", (*turns, Turn.of("user", f"{name}: {word} again? router", name="ada")))
    policy = cases()[0].policy
    decisions = policy.decide(*conversation.at(6))
    reasons = [decision.reason for decision in decisions]
    assert all(word not in reason for reason in reasons)
    assert any(f"names {name}" in reason for reason in reasons)


def test_a_dropped_turn_names_its_subject_and_an_answer_that_of_its_question() -> None:
    case = next(case for case in cases() if "nettle manure" in case.current.turn.text)
    reasons = [decision.reason for decision in case.decisions]
    assert not case.decisions.kept[4:].any()
    assert all("printer)" in reason for reason in reasons[4:])


def test_a_message_that_names_no_subject_has_turns_of_no_other() -> None:
    texts = (
        "Last time, in May, we ordered 80 cards, and I want to order again. Do you ship to Nigeria?",
        "Yes, by DHL Express, 48 euros, about six days.",
        "My surname will change to Okafor. Please always print Okafor from now on.",
        "Understood: Okafor on everything.",
        "Okay, then same as last time please, but 95 cards.",
        "95 cards, name Okafor.",
        "no, the second one was what I liked but leave it. What will it all cost?",
    )
    policy = cases()[0].policy
    reasons = [decision.reason for decision in decide(policy, *written(texts).at(6)).decisions]
    assert not any("another subject" in reason or "something else" in reason for reason in reasons), reasons
    first = decide(policy, *written(texts).at(4)).decisions[0].reason
    assert first.startswith("Kept: your words “Last time”, “cards”"), first


def test_a_reason_says_nothing_and_its_opposite_and_no_distance_alone() -> None:
    for case, row, _ in decisions_with_clauses():
        reason = case.decisions[row].reason
        assert not re.search("(?<!not )close in meaning", reason) or "not close in meaning" not in reason
        assert not re.search(r": (only )?\d+ messages back[.]", reason), reason
        assert not re.search("thread|continues", reason), "only answers are certain"
        assert not re.search("(no|any) link( found|.*); but (close|your)", reason), reason


def test_a_kept_turn_that_is_unlikely_says_so_behind_what_speaks_for_it() -> None:
    n_about = 0
    for case in cases():
        for row in np.flatnonzero(case.decisions.kept & (case.scored.scores.scores < LIKELY)).tolist():
            decision = case.decisions[row]
            said = decision.explanation.removesuffix(".").split("; but ")[0].split("; ")
            likely = say_likely(float(case.scored.scores.scores[row]))
            assert re.fullmatch(rf"sent in case: {likely}, (only )?\d+ tokens?", said[-1]), said
            assert "Score" not in decision.explanation
            assert not re.search("another subject|something else|names no subject", decision.reason)
            subject = Subjects(case.history.turns).of(row, facts_of(case.current.turn).stems)
            if len(said) == 1 or (subject.stems and "no link found" in decision.reason):
                pytest.fail(f"its link or its subject is not said: {decision.reason}")
            n_about += "link (it is about " in said[0]
    assert n_about > 3


def test_no_turn_is_about_a_word_that_it_does_not_have() -> None:
    n_near = 0
    for case in cases():
        for row, turn in enumerate(case.history.turns):
            reason = case.decisions[row].explanation
            if own := re.search(
                r"\(it is about ((?:(?!, like message)[^;.)])+)\)"
                r"|(?:another subject|something else) \(([^;.)]+)",
                reason,
            ):
                named = (own[1] or own[2]).split(", messages ")[0].split(", ")
                assert all(word in turn.scored_text for word in named), (reason, turn.text)
            n_near += bool(re.search(r"(subject|else), like message \d+ \(|, like message \d+\)", reason))
    assert n_near >= 3


def test_stop_words_of_any_language_are_neither_quoted_nor_what_a_turn_is_about() -> None:
    message, text = "Was haben wir über das Lokal gesagt?", "Im Lokal wird das Essen gut, wir haben Platz."
    quoted = quote_words(text, ["wir", "das", "lokal"], written(("", message)).at(1)[0])
    assert quoted is not None
    assert quoted.text.endswith("word “Lokal”")
    danish = (
        "Det er ikke dyrt, men jeg vil gerne have en hund.",
        "Det er jeg ikke sikker på. En hund er dyr.",
    )
    assert Subjects([Turn.of("user", each) for each in danish]).of(0, ()).stems[0] == "hund"


def test_a_less_likely_turn_that_is_kept_says_how_few_tokens_it_has_and_a_dropped_one_how_many() -> None:
    n_dropped = 0
    for case in cases():
        scores = case.scored.scores.scores
        kept = np.arange(len(scores)) > 0
        tokens = np.where(kept, 9, 200)
        reasons = GateReasons(case.effects, kept, case.history.turns, case.current, tokens)
        n_dropped += (said := "too little for 200 tokens" in reasons.of(0).text)
        assert not said or bool((scores[1:] < scores[0]).any())
        for row in np.flatnonzero(scores[1:] < LIKELY) + 1:
            is_traded = bool(scores[row] < scores[0])
            assert (", only 9 tokens" in reasons.of(int(row)).text) == is_traded
    assert n_dropped > 0


def test_a_dropped_turn_of_which_no_more_is_certain_says_what_it_is_about() -> None:
    n_about = 0
    for case in cases():
        for row in np.flatnonzero(~case.decisions.kept).tolist():
            reason = case.decisions[row].explanation
            if not re.search(r"\babout |another subject|something else", reason):
                subject = Subjects(case.history.turns).of(row, facts_of(case.current.turn).stems)
                assert not subject.stems, reason
            n_about += "link (it is about " in reason
    assert n_about > 3


def test_no_reason_says_which_role_speaks() -> None:
    reasons = [case.decisions[row].reason for case, row, _ in decisions_with_clauses()]
    assert not any("the assistant" in reason or "the user" in reason for reason in reasons)


def test_pieces_of_numbers_and_contractions_are_no_words() -> None:
    current, _ = written(("", "We'll want the loss at 1,200")).at(1)
    quoted = quote_words("we'll see the loss at step 200", ["200", "loss", "ll"], current)
    assert quoted is not None
    assert quoted.text.endswith("word “loss”")


def test_a_run_of_dropped_turns_has_the_words_of_their_reasons_which_say_where_it_is_talked_about() -> None:
    more = (
        "Now the printer prints stripes.",
        "Stripes of a printer come from a dirty drum. Take the drum out of the printer and wipe it.",
    )
    conversation = written((*GARDEN[:-1], *more, GARDEN[-1]))
    case = decide(cases()[0].policy, *conversation.at(8))
    assert case.decisions.kept.tolist() == [True] * 4 + [False] * 4
    reasons = [on_screen(decision.reason) for decision in case.decisions]
    assert all("printer" in reason and ", turns 5–8)" in reason for reason in reasons[4:])
    assert "messages 4–7" in case.decisions[4].reason
    shifted = shift_by_two(case)
    assert "messages 6–9" in shifted[6].reason
    marks = RowMarks(subjects=Subjects(conversation.turns))
    data = transcript_data(conversation, case.current, case.decisions, marks, place="t", height="1px")
    (fold,) = data["folds"]
    named = fold["label"].removeprefix("4 turns dropped: ").split(", ")
    assert "printer" in named
    assert all(any(word in reason for reason in reasons[4:]) for word in named), named


def test_frequent_words_are_quoted_of_a_message_without_rare_ones() -> None:
    text, shared = "Last time it could take a week. It might not fit.", ["last", "might", "could"]
    quoted = quote_words(text, shared[:1], written(("", "same as last time please")).at(1)[0])
    assert quoted is not None
    assert quoted.text.endswith("word “Last time”")
    current, _ = written(("", "last: could my marathon in programming be what it might not be?")).at(1)
    assert quote_words(text, shared, current) is None


def test_distance_is_said_only_where_no_turn_farther_off_is_decided_otherwise() -> None:
    n_said = 0
    for case in cases():
        kept = case.decisions.kept
        for row in range(len(kept)):
            reason = case.decisions[row].explanation
            if is_said := re.search(r"\d+ messages back", reason):
                assert kept[row:].all() if kept[row] else not kept[:row].any(), reason
            n_said += bool(is_said)
    assert n_said > 3


def test_a_turn_near_is_named_with_its_own_reason_and_never_an_instruction() -> None:
    n_named = 0
    for case in cases():
        for row in np.flatnonzero(case.decisions.kept).tolist():
            reason = case.decisions[row].explanation
            if named := re.search(r"message (\d+), (which )?(.*?)[;.]", reason):
                n_named += 1
                assert re.match("has |is close in meaning|is likely needed itself", named[3]), reason
                assert not case.history.turns[int(named[1])].is_instruction
            assert not re.search(r"message \d+ answers it|% likely to be needed, by all", reason)
    assert n_named > 3
