"""The inspector of the selected turn: why it is kept or not, its links to other turns, and its words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from convgate.core.conversation import ContentPart
from convgate.core.decisions import HOLD, IN_CASE, NEEDED, TurnDecisions, say_likely
from convgate.core.text import (
    format_percent,
    format_share,
    format_signed,
    pluralize,
    truncate,
    writable,
)
from convgate.figures.modes import SECTION_LABELS
from convgate.figures.parts import (
    describe_activation,
    describe_links,
    describe_tiers,
    describe_waterfall,
    links_figure,
    part_label,
    tiers_figure,
    waterfall_figure,
)
from convgate.gate.explain import WordEffect
from convgate.policies.gate import GatePolicy
from convgate.ui.explore.invariants import TYPES, describe_state, find_active, release
from convgate.ui.explore.matrix import draw_matrix
from convgate.ui.explore.sharing import draw_sharing
from convgate.ui.explore.without import draw_without
from convgate.ui.shared import scoring
from convgate.ui.shared.actions import draw_result, run_action
from convgate.ui.shared.annotator import draw_annotator, is_asked
from convgate.ui.shared.answering import Answering, draw_answers
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.holding import HOLD_HELP, hold
from convgate.ui.shared.keys import MAKE_CURRENT
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.scoring import OpenMessage, passage_finder
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.turn import Step, draw_turn_head, draw_turn_text, format_explanation, turn_labels

TABS = ("Why", "Links", "Words", "Matrix")
_BAR, _AROUND = 22, 66  # pixels of a part in the waterfall, and around all of them
MIN_EFFECT = 0.1
"""Logits from which the effect of a word or a part is named: less moves no score by more than 0.025."""
_TERMS = (
    "Turn alone: the bilinear score, of this turn and the message. With linked turns: the attention score."
    " The score lies between both."
)
_SURENESS = ((0.5, "Close call"), (1.5, "Fairly clear"), (math.inf, "Clear"))
"""By the distance from what decides, in log odds."""
_HELD = "held"  # the place of the result of a turn's own actions
_MAX_PROMISE = 0.5  # of the slider
_MAX_STATEMENT = 160  # characters


def draw_inspector(
    app: App, state: ExploreState, outcome: PolicyOutcome, selected: int | None, answering: Answering
) -> None:
    """Draw the selected turn, the tab that is open, and links to them."""
    with st.container(key="explore-panel"):
        if selected is not None:
            _draw_selected(app, state, outcome, selected, answering)
        draw_sharing(state, outcome)


def _draw_selected(
    app: App, state: ExploreState, outcome: PolicyOutcome, selected: int, answering: Answering
) -> None:
    message, indices = outcome.message, outcome.decisions.indices
    is_decided = bool(len(indices)) and int(indices[0]) <= selected <= int(indices[-1])
    draw_turn_head(
        "explore", message.conversation, selected, page.select, _make_current(outcome, selected),
        *(_always_send(app, outcome, selected) if is_decided else ()),
        reference=message.current.turn.timestamp,
    )  # fmt: skip
    draw_result(page, f"{_HELD} {message.key}")
    if not is_decided:
        if selected == message.current.index:
            st.markdown("This is the current message: it is always sent.")
        elif selected < message.history.start:
            st.markdown("This turn is not read yet, so nothing is decided about it.")
        else:
            st.markdown("This turn comes after the current message, so nothing is decided about it.")
        draw_turn_text(message.conversation.turns[selected])
        return
    shown = state.tab if state.tab in TABS else TABS[0]
    tabs = st.tabs(TABS, **page.control("tab", shown, none=TABS[0]))
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open:
            with tab:
                _draw_tab(app, name, outcome, selected, answering)


def _draw_tab(app: App, name: str, outcome: PolicyOutcome, selected: int, answering: Answering) -> None:
    gate = outcome.gate
    if name == "Why":
        _draw_reason(outcome, selected)
        _draw_label(app, answering, selected)
        _draw_parts(outcome.decisions, selected)
        _draw_passage(outcome, selected)
        if gate is not None:
            draw_without(gate, outcome, selected)
    elif gate is None or not outcome.decisions.parts:
        st.caption("Only the gate explains this. Choose it as policy.")
    elif name == "Links":
        _draw_links(gate, outcome, selected)
    elif name == "Words":
        _draw_words(gate, outcome.message, selected)
    else:
        draw_matrix(gate, outcome, selected)


def _draw_reason(outcome: PolicyOutcome, selected: int) -> None:
    decision = outcome.decisions.of(selected)
    name = decision.outcome_name
    if decision.explanation.casefold().startswith(name) or f"sent {name}" in decision.explanation:
        name = decision.outcome
    elif not name.startswith(decision.outcome):
        name = f"{decision.outcome}, {name}"
    st.markdown(f"**{literal(name.capitalize())}:** {format_explanation(decision.explanation)}")
    facts = [
        f"{pluralize(placed.tokens, 'token')} of the budget for {SECTION_LABELS[section.name].lower()}"
        for section in outcome.selection.sections
        for placed in section.turns
        if placed.index == selected
    ]
    if (mode := outcome.labels.get(selected)) is not None:
        facts.append(f"mode {mode.capitalize()}")
    if facts:
        st.caption(" · ".join(facts))
    if sureness := describe_sureness(outcome, selected):
        st.markdown(f"**How sure?** {literal(sureness)}")
    for invariant in outcome.selection.invariants:
        if invariant.source == selected and invariant.held_because not in decision.explanation:
            text = literal(invariant.text, limit=_MAX_STATEMENT)
            sure = f" ({format_share(invariant.likelihood)} likely)" if invariant.likelihood < 1 else ""
            st.markdown(f"{describe_state(invariant)} **{TYPES[invariant.type]}:** “{text}”{sure}")
    if flip := outcome.flips.of(selected) if outcome.flips else "":
        before = "drops" if flip == "up" else "keeps"
        rule = "The version's own rule" if outcome.compared is None else "The gate"
        likely = " It is likely needed." if selected in outcome.missed else ""
        st.markdown(f":orange-badge[changed] {rule} {before} this turn.{likely}")


def describe_sureness(outcome: PolicyOutcome, selected: int) -> str:
    """Return how sure the decision is, how likely the turn is needed, and up to which promise; empty by rule.

    It is no more than fairly sure of what is sent in case.
    """
    decision = outcome.decisions.of(selected)
    is_rule = decision.kept and decision.outcome_name not in (NEEDED, IN_CASE)
    if not decision.is_probability or decision.score is None or is_rule:
        return ""
    likely = say_likely(decision.score)
    details = [] if likely in decision.explanation else [likely]
    value, limit = decision.score, decision.threshold
    if selected in outcome.decisions.overrides or outcome.selection.budget is not None:
        limit = None
    elif outcome.reach is not None:
        value, limit = float(outcome.reach[selected - outcome.message.history.start]), outcome.promise
        promise = f"“lose at most {format_percent(float(f'{min(value, _MAX_PROMISE):.2g}'))}”"
        kept = f"kept up to {promise}" if value < _MAX_PROMISE else "kept at any “lose at most”"
        details.append(kept if decision.kept else f"dropped from {promise} on")
    if limit is None:
        return f"{likely}." if details else ""
    distance = abs(_clipped_logit(value) - _clipped_logit(limit))
    level = next(place for place, (below, _) in enumerate(_SURENESS) if distance < below)
    name = _SURENESS[min(level, 1) if decision.outcome_name == IN_CASE else level][1]
    return f"{name}: {', '.join(details)}." if details else f"{name}."


def _draw_label(app: App, answering: Answering, selected: int) -> None:
    with st.container(horizontal=not is_asked(), vertical_alignment="center", gap="xsmall"):
        st.markdown("**Does it matter to the current message?**", width="content")
        draw_annotator(app)
    if answering.by is not None:
        draw_answers(answering, selected)


def _make_current(outcome: PolicyOutcome, selected: int) -> Step:
    return Step(
        "make_current", "make current", MAKE_CURRENT,
        None if selected == outcome.message.current.index else selected,
        "Decide as if this turn were the message to answer",
        lambda turn: page.change(turn=turn, question="", selected=None),
    )  # fmt: skip


def _always_send(app: App, outcome: PolicyOutcome, selected: int) -> tuple[Step, ...]:
    """Return the button that has the turn sent with every later message, or no longer."""
    key, conversation = outcome.message.key, outcome.message.conversation
    decision, turn = outcome.decisions.of(selected), conversation.turns[selected]
    is_held = decision.stage == HOLD and decision.kept
    if is_held and find_active(outcome, selected):
        label, act, help = (
            "stop always sending",
            partial(release, app.store, outcome),
            "Undo: send it only when it is needed",
        )
    elif is_held or turn.is_instruction or not turn.text.strip():
        return ()
    else:
        label, act, help = "always send", partial(hold, app.store, key, conversation), HOLD_HELP
    place = f"{_HELD} {key}"
    return (
        Step(
            "always", label, None, selected, help,
            lambda turn: run_action(page, partial(act, turn), place),
        ),
    )  # fmt: skip


def _draw_parts(decisions: TurnDecisions, selected: int) -> None:
    """Draw what a gate's score of a turn adds up from; say of other policies why there is nothing."""
    decision = decisions.of(selected)
    if parts := decision.parts:
        for sign, title in ((1, "Speaks for it"), (-1, "Speaks against it")):
            strong = [name for name in parts if sign * parts[name] >= MIN_EFFECT and name != "message"]
            strong.sort(key=lambda name: -abs(parts[name]))
            st.markdown(f"**{title}:** {', '.join(map(part_label, strong)) or 'nothing of weight'}")
        st.markdown("**What the score is made of**", help="Parts of the logit, whose logistic is the score.")
        threshold = _threshold_logit(decision.threshold)
        figure = waterfall_figure(parts, threshold_logit=threshold, palette=current_palette())
        words = describe_waterfall(parts, threshold_logit=threshold)
        draw_figure(figure, "explore.waterfall", words, height=_AROUND + _BAR * (len(parts) + 1))
    elif decisions.scores is None:
        st.caption("This policy does not score turns.")
    elif decision.score is None:
        st.caption("This turn has no score: an earlier stage decided about it.")
    else:
        st.caption("Only the gate's scores are made of parts; this policy has one number.")


def _draw_passage(outcome: PolicyOutcome, selected: int) -> None:
    """Draw the passage that is closest to the message, or the whole turn where it has one or no gate."""
    turn = outcome.message.conversation.turns[selected]
    passage = passage_finder(outcome.gate, outcome.message)(selected) if outcome.gate else ""
    if passage:
        st.markdown("**Closest passage**", help="The passage of the turn that is closest to the message.")
        turn = replace(turn, parts=(ContentPart("text", passage),), tool_calls=())
    draw_turn_text(turn)


def _draw_links(gate: GatePolicy, outcome: PolicyOutcome, turn: int) -> None:
    """Draw what other turns do to a turn (0-based): the tiers, and the turns that it attends to most."""
    decisions, message = outcome.decisions, outcome.message
    st.markdown("**From the turn alone to the final score**", help=_TERMS)
    figure = tiers_figure(decisions, turn, palette=current_palette())
    draw_figure(figure, "explore.tiers_of_turn", describe_tiers(decisions, turn))
    if decisions.gate_activation is not None:
        st.caption(describe_activation(decisions.gate_activation))
    start = message.history.start
    links = scoring.measure_links(gate, message, turn - start)
    if not links:
        st.caption("This turn is linked to no other turn.")
        return
    st.markdown(
        "**Turns that it is linked to**",
        help="Left: their share of its attention. Right: how the score changes when that turn is left out.",
    )
    labels = turn_labels(message.key, message.conversation)
    figure = links_figure(links, labels, current_palette(), start=start)
    draw_figure(figure, "explore.links_of_turn", describe_links(links, start=start))


def _draw_words(gate: GatePolicy, message: OpenMessage, turn: int) -> None:
    """Draw the text of a turn (0-based) with the words that matter to its score, and how much."""
    effects = scoring.measure_words(gate, message, turn - message.history.start)
    if not effects:
        st.caption("This turn has no words.")
        return
    limit = " Only the first 60 words were tried." if len(effects) == 60 else ""
    marked = notable_words(effects)
    if marked:
        said = (
            "Each word was hidden once. Marked are the words that matter most, with what each adds to the"
            " part “close meaning”."
        )
    else:
        said = f"Each word was hidden once: no single one changes “close meaning” by {MIN_EFFECT} or more."
    st.caption(f"{said}{limit}")
    st.html(_words_html(message.conversation.turns[turn].scored_text, marked))


def notable_words(effects: Sequence[WordEffect]) -> list[WordEffect]:
    """Return the words whose effect is no noise: at least `MIN_EFFECT`, and a quarter of the strongest."""
    strongest = max((abs(effect.effect) for effect in effects), default=0.0)
    least = max(MIN_EFFECT, strongest / 4)
    return [effect for effect in effects if abs(effect.effect) >= least]


def _words_html(text: str, effects: Sequence[WordEffect]) -> str:
    """Return the text, escaped, with these words marked by the sign and size of their effect."""
    strongest = max((abs(effect.effect) for effect in effects), default=0.0) or 1.0
    pieces, end = [], 0
    for effect in effects:
        share = abs(effect.effect) / strongest
        side = "more" if effect.effect > 0 else "less"
        word = escape(text[effect.start : effect.stop])
        number = format_signed(effect.effect)
        mark = f'<span class="{side}" style="--share: {share:.2f}" data-effect="{number}">{word}</span>'
        pieces += [escape(text[end : effect.start]), mark]
        end = effect.stop
    pieces.append(escape(truncate(text[end:], 1_000)))
    return f'<div class="turn-words" dir="auto">{writable("".join(pieces))}</div>'


def _clipped_logit(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))


def _threshold_logit(threshold: float | None) -> float | None:
    """Return the threshold on the scale of the parts; None where it has none.

    >>> _threshold_logit(0.5), _threshold_logit(1.0), _threshold_logit(None)
    (0.0, None, None)
    """
    if threshold is None or not 0 < threshold < 1:
        return None
    return math.log(threshold / (1 - threshold))
