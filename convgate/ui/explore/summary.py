"""The outcome in a sentence, the chart of scores, and what a budget was spent on."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation, CurrentMessage
from convgate.core.decisions import FIT, IN_CASE, LIKELY, NEEDED
from convgate.core.text import format_percent, format_share, format_threshold, pluralize
from convgate.embedding.states import states_beside
from convgate.figures.budget import budget_figure, describe_budget
from convgate.figures.hover import on_screen
from convgate.figures.parts import describe_activation
from convgate.figures.scores import describe_scores, scores_figure
from convgate.gate.arrays import logistic
from convgate.gate.facts import NO_CUES, current_facts, facts_of
from convgate.gate.subjects import Subjects
from convgate.modes.mode import SURE
from convgate.policies.build import find_version
from convgate.policies.gate import GatePolicy
from convgate.selection.selection import Budgeted, Selection
from convgate.ui.explore.alternatives import describe_in_case
from convgate.ui.explore.sending import price_of
from convgate.ui.explore.without import draw_exchange
from convgate.ui.shared import services
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import clicked
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.turn import turn_labels
from convgate.versions import Version

CHART = "explore.scores"
_CHART_HEIGHT = 230  # pixels
_MAX_STATEMENT = 120  # characters
_MESSAGE = re.compile(r"^message (\d+)")  # a place in what is sent
_CAUSES = {
    "drift": "The modes of the last hour have drifted from the baseline",
    "misclassified": "People corrected too many modes",
    "errors": "This mode fails too often",
    "breach": "An invariant was missing",
}


def draw_answer(outcome: PolicyOutcome) -> None:
    """Draw in one sentence what is sent; below it, what it costs and what is not sent."""
    decisions = outcome.decisions
    n_kept, newest = int(decisions.kept.sum()), "the newest " if outcome.message.history.start else ""
    turns = f"{f'{n_kept:,}' if n_kept else 'none'} of {newest}{pluralize(len(decisions), 'earlier turn')}"
    added = f" and {pluralize(outcome.n_added, 'added message')}" if outcome.n_added > 0 else ""
    with st.container(gap=None, key="explore-answer"):
        groups = _describe_groups(outcome)
        cost, cost_of_all, model = price_of(outcome.selection)
        st.markdown(
            f"The model gets **{turns}**{added}{groups}.", help=_describe_help(outcome, groups, model)
        )
        st.caption(
            f"{outcome.selection.tokens:,} of {outcome.selection.tokens_total:,} tokens, {literal(cost)}"
            f" instead of {literal(cost_of_all)}. {_describe_rest(outcome)}"
        )
        if outcome.gate is not None and not outcome.gate.gate.is_trained:
            st.caption(":material/info: This gate is untrained. Its scores follow cosine similarity.")


def _describe_groups(outcome: PolicyOutcome) -> str:
    """Return how many of the kept turns are likely needed, and how many are not; empty where none is said."""
    names = Counter(decision.outcome_name for decision in outcome.decisions if decision.kept)
    groups = {name: names[name] for name in (NEEDED, IN_CASE)}
    if outcome.compared is not None:
        groups["recent"] = int((outcome.scored.kept & outcome.decisions.kept).sum())
    groups["by rule"] = n_rules = names.total() - sum(groups.values())
    is_said = n_rules < names.total()
    return f": {', '.join(f'{n:,} {name}' for name, n in groups.items() if n)}" if is_said else ""


def _describe_help(outcome: PolicyOutcome, groups: str, model: str) -> str:
    """Return what it means that turns are sent in case or by rule, and how tokens and prices are counted."""
    least, promise = format_percent(LIKELY), outcome.promise
    why = (
        "" if promise is None else f", and sent to keep the promise “lose at most {format_percent(promise)}”"
    )
    sentences = {
        IN_CASE: f"In case: each is less than {least} likely to be needed{why}.",
        "by rule": "By rule: instructions, what must hold, and what a valid list needs.",
    }
    said = [sentence for name, sentence in sentences.items() if name in groups]
    said.append(
        "Tokens are those of the encoder's word list, with the current message; your model counts otherwise."
        f" The price is of this request's input alone, by the list prices of {literal(model)};"
        " `costs.model` in the settings chooses others. What whole conversations cost, with a prompt cache:"
        " Compare, Bill."
    )
    return " ".join(said)


def _describe_rest(outcome: PolicyOutcome) -> str:
    """Return what is not sent, what the budget dropped, what changed and what is not decided, as Markdown."""
    decisions, message, flips = outcome.decisions, outcome.message, outcome.flips
    sentences = []
    if dropped := decisions.indices[~decisions.kept].tolist():
        stems = facts_of(message.current.turn).stems
        about = literal(find_subjects(message).name(dropped, stems, message.current.index))
        sentences.append(f"Not sent: {pluralize(len(dropped), 'turn')} ({about}).")
    if (budget := outcome.selection.budget) is not None:
        stages = Counter(
            decision.rule for decision in decisions if decision.stage == FIT and not decision.kept
        )
        cut = [f"{stages['budget']:,} for lack of room"] if stages["budget"] else []
        cut += [f"{stages['mode']:,} of another mode"] if stages["mode"] else []
        sentences.append(f"The budget of {pluralize(budget, 'token')} drops {' and '.join(cut) or 'none'}.")
    if flips is not None and len(flips):
        changed = ((flips.up, "now kept"), (flips.down, "now dropped"))
        words = ", ".join(f"{len(turns):,} {state}" for turns, state in changed if len(turns))
        by = "Changed by your rule" if outcome.compared is None else "Compared with the gate"
        missed = f", {len(outcome.missed):,} of them likely needed" if outcome.missed else ""
        sentences.append(f"{by}: {words}{missed}.")
    if reason := describe_in_case(outcome):
        sentences.append(reason)
    if outcome.gate is None:
        sentences.append(f"Chosen by {literal(outcome.label)}.")
    here = len(message.conversation) if message.current.index is None else message.current.index + 1
    if n_later := len(message.conversation) - here:
        sentences.append(f"{pluralize(n_later, 'later turn')}, not decided about.")
    return " ".join(sentences)


def find_subjects(message: OpenMessage) -> Subjects:
    """Return what names runs of the conversation's turns, made once."""
    return _subjects(f"{message.key} {len(message.conversation)}", message.conversation)


@st.cache_resource(max_entries=8, show_spinner=False)
def _subjects(key: str, _conversation: Conversation) -> Subjects:
    return Subjects(_conversation.turns)


def _describe_threshold(outcome: PolicyOutcome) -> str:
    """Return the lowest score that is kept, as Markdown; of a promise, that it is no threshold."""
    lowest = outcome.threshold if outcome.promise is None else outcome.lowest_kept
    threshold = "none" if lowest is None else format_threshold(lowest)
    if outcome.promise is None:
        return f"**Threshold:** {threshold}, the lowest score that is kept."
    return (
        f"**Lowest kept:** {threshold}. The score by the length decides: a long turn needs a higher one. Each"
        " turn says up to which share it is kept."
    )


def _describe_measured(outcome: PolicyOutcome) -> list[str]:
    """Return what the version's own rule lost where it was measured, as one line; none of another rule."""
    is_own = outcome.choice and outcome.own and outcome.choice.same(outcome.own)
    version = find_version(services.settings(), outcome.version) if is_own else None
    metrics = version.card.metrics.values() if isinstance(version, Version) else ()
    measured = [each.metrics["missed"].value for each in metrics if "missed" in each.metrics]
    missed = [value for value in measured if value is not None]
    if not missed or outcome.selection.budget is not None:
        return []
    mean, low, high = map(format_share, (sum(missed) / len(missed), min(missed), max(missed)))
    sets = pluralize(len(missed), "set")
    return [f"**Measured:** {mean} of what is needed was lost on average; {low} to {high} on each of {sets}."]


def draw_details(outcome: PolicyOutcome) -> None:
    """Draw what the selection is made by, and what a budget was spent on, behind a button."""
    with st.popover("Details", key="explore-details"):
        for line in _details(outcome):
            st.markdown(line)
        if outcome.gate is not None:
            draw_exchange(outcome.gate, outcome)
        if outcome.gate is not None and (sentence := describe_cues(outcome.gate, outcome.message.current)):
            st.markdown(sentence)
        _draw_sections(outcome.selection)


def describe_cues(gate: GatePolicy, current: CurrentMessage) -> str:
    """Return what a user's message tells by its wording alone, before any turn is looked at; else empty."""
    cues = current_facts(current, states_beside(gate.encoder)).cues
    if cues == NO_CUES:
        return ""
    needs, continues, returns = (f"{share:.0%}" for share in logistic(np.array(cues[:3])))
    return (
        f"By its wording the message needs something said before: {needs}; the exchange just before:"
        f" {continues}; something earlier: {returns}."
    )


def draw_chart(outcome: PolicyOutcome, selected: int | None, *, is_logit: bool) -> None:
    """Draw one mark for each turn; a click selects the turn."""
    flips = outcome.flips
    flipped = {int(turn): "flips to kept" for turn in flips.up} if flips else {}
    flipped |= {int(turn): "flips to dropped" for turn in flips.down} if flips else {}
    figure = scores_figure(
        outcome.decisions, labels=turn_labels(outcome.message.key, outcome.message.conversation),
        palette=current_palette(), selected=selected, flipped=flipped, is_logit=is_logit,
    )  # fmt: skip
    words = describe_scores(outcome.decisions, selected=selected, flipped=flipped)
    draw_figure(figure, CHART, words, on_click=lambda: page.select(clicked(CHART)), height=_CHART_HEIGHT)


def _draw_sections(selection: Selection) -> None:
    """Draw the tokens of each section beside the budget and the whole conversation."""
    if selection.budgeted is None:
        return
    figure = budget_figure(selection, selection.budgeted, palette=current_palette())
    words = describe_budget(selection, selection.budgeted)
    draw_figure(figure, "explore.bar", words, height=figure.layout.height)


def describe_mode(spent: Budgeted) -> str:
    """Return which mode divides the budget, and why, as Markdown."""
    decision = spent.mode_decision
    reason = literal(on_screen(decision.reason), limit=400)
    if decision.source == "intent":
        reason = f"{decision.mode}: chosen by a person."
    if any(fallback.cause != "breach" for fallback in spent.fallbacks):
        return f"**{spent.mode}** in place of {decision.mode}. Message: {reason}"
    if spent.mode == decision.mode:
        return f"**Mode:** {reason}"
    return (
        f"**Mode:** {reason} The conversation stays in **{spent.mode}**: it changes from {SURE:.2f} on, or"
        " when two messages in a row agree."
    )


def draw_selection_problems(selection: Selection) -> None:
    """Draw fallbacks, what exceeds the budget, and what chat APIs may refuse."""
    for fallback in selection.fallbacks:
        reason = literal(on_screen(fallback.reason))
        st.error(f"**{_CAUSES[fallback.cause]}.** {reason}", icon=":material/error:")
    for invariant in selection.breaches:
        text = literal(invariant.text, limit=_MAX_STATEMENT)
        st.error(f"Missing was turn {invariant.source + 1:,}: “{text}”", icon=":material/error:")
    if selection.over_budget:
        st.error(
            f"**{pluralize(selection.over_budget, 'token')} over the budget.** Increase the budget.",
            icon=":material/data_alert:",
        )
    if selection.missing_results:
        ids = ", ".join(literal(id, limit=40) for id in selection.missing_results[:5])
        st.warning(f"Results of tool calls are missing: {ids}", icon=":material/hourglass_empty:")
    for violation in selection.violations[:5]:
        text = _MESSAGE.sub(
            lambda match: f"message {int(match[1]) + 1:,} of those sent", violation.partition(": ")[2]
        )
        st.warning(f"Chat APIs may refuse this list: {literal(text, limit=300)}", icon=":material/warning:")


def _details(outcome: PolicyOutcome) -> list[str]:
    decisions = outcome.decisions
    names = Counter(decision.outcome_name for decision in decisions).most_common()
    lines = [
        f"**Policy:** {literal(outcome.label)}",
        f"**Weights:** {literal(outcome.version) if outcome.version else 'none'}",
        f"**Conversation:** {pluralize(len(outcome.message.conversation), 'turn')}",
        f"**Turns:** {' · '.join(f'{literal(name)} {count:,}' for name, count in names) or 'none'}",
    ]
    if outcome.choice is not None:
        lines.append(f"**Rule:** {literal(outcome.choice.describe())}")
        lines += _describe_measured(outcome)
    lines.append(_describe_threshold(outcome))
    if decisions.because:
        lines.append(literal(decisions.because))
    if decisions.gate_activation is not None:
        lines.append(literal(describe_activation(decisions.gate_activation)))
    return lines
