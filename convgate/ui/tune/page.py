"""Tune: who gets all they need, for how many tokens, what a new threshold changes, and saving it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from convgate.core.text import format_share, join_words, pluralize, writable
from convgate.evaluation.comparison import BROKEN, FIXED, outcome_codes
from convgate.evaluation.risk_control import PROMISES, Losses
from convgate.figures.curves import AnswerMark, answer_curve_figure
from convgate.gate.promise import min_conversations
from convgate.gate.thresholds import Anchored, MaxMissed
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy
from convgate.policies.spec import read_policy
from convgate.training.library import SetInfo
from convgate.training.split import MIN_CONVERSATIONS
from convgate.ui.shared import scoring
from convgate.ui.shared.changed_turns import ChangedTurn, Listed, draw_changes
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.codecs import share
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.files import draw_agent, draw_download
from convgate.ui.shared.frame import App
from convgate.ui.shared.improvement import draw_improvement
from convgate.ui.shared.label_sources import (
    draw_sources,
    learned_from,
    plain_name,
    read_measured,
    sources,
    usable,
)
from convgate.ui.shared.navigation import LABEL
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.policy_options import POLICY_OPTION, option_labels, version_option
from convgate.ui.shared.session_state import clicked
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.threshold_settings import THRESHOLD_SETTINGS, Extent, RuleControls, ThresholdSettings
from convgate.ui.tune.results import RuleResult, TuneResults, compute_results, draw_metrics
from convgate.ui.tune.saving import NewSettings, draw_saved, draw_saving
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("tune.css")
_CHART = "tune.curve"


@dataclass(frozen=True)
class TuneState(StandaloneState):
    """The gate, the labelled data, the promise, the threshold settings, and which changes are listed.

    ?version=gate@mine&data=@labels,talks&lose=0.05&rule=anchored,threshold=0.31
    """

    version: str = param(GatePolicy.name, POLICY_OPTION)  # a policy option that is a gate
    data: tuple[str, ...] | None = None  # None: what there is
    promise: float = param(0.02, share(0.0, 0.5), name="lose")  # share of the needed turns
    choice: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS, name="rule")  # noqa: RUF009  # None: as suggested
    only: Listed = "all"
    page: int = 1


page = Address("tune", TuneState)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    options = option_labels(app.settings)
    labels = {option: options[option] for option in options if read_policy(option).name == GatePolicy.name}
    known = sources(app)
    state = page.begin(version=labels, data=known)
    available = usable(known)
    names = available[:1] if state.data is None else [name for name in state.data if name in available]
    with st.sidebar:
        _draw_version(app, state, labels)
        draw_sources(page, known, names)
        sliders = st.expander("Set the rule by hand", icon=":material/tune:")
    policy = scoring.load_gate(app, state.version)
    improvement = draw_improvement(app, "tune", learned_from(app, [policy.version], names))
    today = ThresholdSettings(policy.rule, policy.limits)
    choice = state.choice.complete(today) if state.choice else None
    if choice is not None and isinstance(choice.rule, MaxMissed):
        page.keep(state := replace(state, promise=choice.rule.max_missed))
    results = None
    if names:
        labelled = [read_measured(app, name) for name in names]
        fitted_on = f"{_name_labels(known, names)}, gate {policy.version}"
        results = compute_results(labelled, policy, choice, state.promise, fitted_on=fitted_on)
    suggested = results.suggested if results else None
    is_own = suggested is not None and suggested.rule.name == today.rule.name
    controls = RuleControls(page, suggested if suggested is not None and is_own else today, today)
    with sliders:
        controls.draw(_extent(results, policy))
        controls.draw_reset("Back to the suggestion")
    new = results.new.choice if results else choice or today
    settings = NewSettings(app, page, policy, new, [known[name] for name in names], results)
    if results is None:
        st.info("Label some turns, or choose a relevance set on the left.", icon=":material/label:")
        st.page_link(LABEL, label="Label turns", icon=":material/label:")
    else:
        for overlap in results.scored.overlaps:
            st.caption(literal(overlap.sentence))
        _draw_sentences(results, state.promise)
    with st.container(horizontal=True, vertical_alignment="bottom", key="tune-controls"):
        if results is not None:
            _draw_promise(results)
        draw_saving(settings, is_next=improvement.is_next("tune"))
    draw_saved(settings)
    if results is not None:
        if results.today.figures.asked > 1:
            draw_curve(results, state.promise)
        else:
            st.caption("A curve takes two labelled messages that need an earlier turn.")
        _draw_measured(results, state.promise, settings.labels)
        _draw_changes(app, results, policy)
        with st.expander("All figures", icon=":material/table_chart:"):
            draw_metrics(results)
    with st.expander("Use in my agent", icon=":material/smart_toy:"):
        agent = AgentSettings.of(policy.with_rule(settings.rule, settings.choice.limits), app.settings)
        draw_download(agent, page="tune")
        draw_agent(agent)


def _draw_version(app: App, state: TuneState, labels: dict[str, str]) -> None:
    st.selectbox(
        "Version", list(labels), **page.control("version", choice=None),
        # The browser sends a label back: one with the active version's name would be stale after a change.
        format_func=lambda name: "The active version" if name == GatePolicy.name else labels[name],
        help="The gate whose threshold is tuned.",
    )  # fmt: skip
    if state.version == GatePolicy.name:
        active = app.settings.version or Versions(app.settings.home).active
        st.caption(f"Active: {literal(active or UNTRAINED)}")


def _name_labels(known: Mapping[str, SetInfo], names: list[str]) -> str:
    turns = sum(known[name].judged for name in names)
    return writable(
        f"{pluralize(turns, 'labelled turn')} of {join_words(plain_name(name) for name in names)}"
    )


def _extent(results: TuneResults | None, policy: GatePolicy) -> Extent:
    cases = results.scored.cases if results else ()
    turns = max((len(case.scores) for case in cases), default=100)
    tokens = max((int(case.tokens.sum()) for case in cases), default=10_000)
    return Extent(turns, tokens, policy.gate.learned_threshold)


def draw_curve(results: TuneResults, promise: float) -> None:
    """Draw who gets all they need over the tokens, with today's settings, the new ones and the promise."""
    curve = results.curve
    row = curve.row_for(promise) if curve is not None else None
    mark = None
    if curve is not None and row is not None:
        name = f"<b>{format_share(float(curve.missed[row]))}</b> of the needed turns missed"
        mark = AnswerMark(name, float(curve.kept_token_share[row]), float(curve.answerable[row]))
    figure = answer_curve_figure(
        curve, today=_mark("today", results.today), new=_mark("new", results.new), promise=mark,
        palette=current_palette(),
    )  # fmt: skip
    words = (
        f"Messages with all they need by tokens sent. Today: {results.today.sentence}."
        f" New: {results.new.sentence}."
    )
    draw_figure(figure, _CHART, words, on_click=partial(_click, results))


def _mark(name: str, result: RuleResult) -> AnswerMark:
    return AnswerMark(name, result.figures.kept_token_share, result.figures.answerable.value or 0.0)


def _click(results: TuneResults) -> None:
    # Read at once: the chart forgets its selection whenever it is drawn again.
    row = clicked(_CHART)
    if row is not None:
        page.change(choice=results.at(row))


def _draw_sentences(results: TuneResults, promise: float) -> None:
    """Draw what today's settings do, what the new ones would, and why none are suggested."""
    new, today = results.new, results.today
    changes = new.sentence
    if new.choice.same(today.choice):
        changes = "the same as today"
    elif np.array_equal(new.kept, today.kept):
        changes = "the same decisions on these labels as today"
    st.subheader(literal(f"Today: {today.sentence}."), anchor=False)
    st.markdown(f"**New:** {literal(changes + _warn(results, promise))}. {_why_none(results, promise)}")


def _warn(results: TuneResults, promise: float) -> str:
    """Return that more is missed than promised; else nothing."""
    if (results.new.figures.missed.value or 0.0) <= promise:
        return ""
    return f", which misses more than the {format_share(promise)} promised"


def _draw_measured(results: TuneResults, promise: float, labels: str) -> None:
    """Draw what was measured."""
    new, line, curve = results.new, "", results.curve
    row = curve.row_for(promise) if curve is not None and isinstance(new.choice.rule, MaxMissed) else None
    if curve is not None and row is not None and new.figures.asked > 1:
        line = f" At the dashed line these labels miss {format_share(max(0.0, float(curve.missed[row])))}."
        if new.figures.kept_token_share > curve.kept_token_share[row]:
            line += (
                f" To promise at most {format_share(promise)} for new conversations takes a margin, so the"
                " new setting is further right."
            )
    if new.choice.limits != NO_LIMITS:
        line += " The curve ignores the limits on the number of turns; the marks have them."
    st.caption(f"Measured on {literal(labels)}.{line}")


def _draw_promise(results: TuneResults) -> None:
    """Draw the promise, and the way back to the suggestion."""
    shares = sorted({0.0, *PROMISES, page.now().promise})
    st.select_slider(
        "Lose at most this share of the needed turns", shares, width=340,
        format_func=format_share, **page.control("promise") | {"on_change": _choose_promise, "args": ()},
    )  # fmt: skip
    suggested = results.suggested
    if suggested is not None and not suggested.same(results.new.choice):
        st.button(
            "Use the suggestion", key="tune.use_best", on_click=page.change, kwargs={"choice": suggested}
        )


def _choose_promise() -> None:
    """Take the promise, also into a rule by hand that has one."""
    promise, choice = st.session_state["tune.promise"], page.now().choice
    if choice is not None and isinstance(choice.rule, MaxMissed):
        choice = replace(choice, rule=replace(choice.rule, max_missed=promise))
    page.change(promise=promise, choice=choice)


def _why_none(results: TuneResults, promise: float) -> str:
    """Return why nothing is suggested, nothing that these labels were fitted on, or not what is shown."""
    rule, n_asked = results.new.choice.rule, Losses(results.scored).conversations
    if isinstance(rule, MaxMissed):
        wanted = min_conversations(promise) if promise else math.inf
        if not n_asked < wanted < math.inf:
            return ""
        enough = [share for share in PROMISES if min_conversations(share) <= n_asked]
        fits = f", enough for {format_share(enough[0])}" if enough else ""
        return (
            f"A promise of {format_share(promise)} takes {int(wanted):,} labelled conversations; there are"
            f" {n_asked:,}{fits}. Until then the version's setting stays."
        )
    if results.scored.conversations < MIN_CONVERSATIONS:
        return f"These labels are too few to choose a threshold that loses at most {format_share(promise)}."
    if not n_asked:
        return "No message here needs a turn, so nothing can be suggested yet."
    if results.curve is None:
        return "This rule keeps a number of turns or tokens, so nothing is suggested."
    if results.suggested is None:
        anchor = (
            f" It keeps nothing where no turn scores {rule.anchor:.2f}, its anchor."
            if isinstance(rule, Anchored)
            else ""
        )
        return f"No threshold of this rule loses so little here.{anchor}"
    if not results.suggested.same(results.new.choice):
        return "It is set by hand; the suggestion below follows the share."
    return ""


def _draw_changes(app: App, results: TuneResults, policy: GatePolicy) -> None:
    st.subheader("What changes", anchor=False)
    scored, sets = results.scored, {relevance_set.name: relevance_set for relevance_set in results.sets}
    codes = outcome_codes(scored.relevant, results.today.kept, results.new.kept)
    wrong, right = (np.flatnonzero(codes == code).tolist() for code in (BROKEN, FIXED))

    def read(row: int) -> ChangedTurn:
        scored_case = scored.cases[int(scored.case[row])]
        case = scored_case.case
        return ChangedTurn(
            sets[scored_case.set].conversations[case.conversation],
            case.turn,
            case.query.text if case.query and case.turn is None else "",
            int(scored.turn[row]),
            is_kept=bool(results.new.kept[row]),
            is_relevant=bool(scored.relevant[row]),
        )

    option = GatePolicy.name if policy.version == UNTRAINED else version_option(policy.version)
    base = ExploreState(policy=option, choice=results.new.choice)
    draw_changes(app, page, right, wrong, lambda row: bool(results.new.kept[row]), read, base)
