"""Two choosers on a set: metrics with intervals, the paired difference, and every turn as it came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from convgate.evaluation.metrics import METRICS as ORDER
from convgate.evaluation.outcomes import OUTCOMES, Sides
from convgate.evaluation.results import Measure
from convgate.figures.hover import signed
from convgate.store.conversations import title_of
from convgate.transcripts import RelevanceSet
from convgate.ui import scoring
from convgate.ui.finding import library_keys, said_in
from convgate.ui.frame import App
from convgate.ui.judging import digest, judged, sides
from convgate.ui.labelled import read_labelled
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.sources import set_labels
from convgate.ui.versions.turns import TurnRow, draw_paging, draw_turn
from convgate.ui.versions.view import View
from convgate.ui.versions.words import METRICS, markdown_table, with_interval
from convgate.ui.wording import counted

SET, ONLY = "versions.set", "versions.only"
_ALL = "all"
_UNDEFINED = "–"


def draw_on_set(app: App, view: View, labels: Mapping[str, str]) -> None:
    """The choice of the set, then both on it."""
    sets = set_labels(app)
    if not sets:
        st.info("There is no set yet: label some turns, or import a relevance set on the Train page.")
        return
    missing = view.set is not None and view.set not in sets
    if missing:
        st.warning(f"The address names the set {literal(str(view.set))}, which there is not, or no longer.")
    name = view.set if view.set in sets else next(iter(sets))
    state.put(SET, name)
    st.selectbox(
        "Set with known relevant turns", list(sets), key=SET, format_func=lambda one: sets[one],
        on_change=_chose_set,
    )  # fmt: skip
    assert name is not None
    view = replace(view, set=name)
    state.keep(view)  # what a link opens must not hang on what else there is by then
    relevance_set, told = read_labelled(app, name)
    made, digests = [], []
    for chooser in (view.a, view.b or view.a):
        policy = scoring.policy(app, chooser)
        made.append(judged(relevance_set, told, policy, labels[chooser]))
        digests.append(digest(policy))
    found = sides(told, made[0], made[1], (digests[0], digests[1]))
    _draw_answer(found)
    _draw_metrics(found)
    _draw_turns(app, view, relevance_set, found)


def answer(found: Sides) -> str:
    """What B does to A, in two sentences.

    The difference is called sure when its 95% interval leaves out 0.
    """
    counts = found.counts
    told = (
        f"B fixes **{counted(counts['fixed'], 'turn')}** and breaks **{counted(counts['broken'], 'turn')}**"
        f" of {sum(counts.values()):,} judged, in {counted(len(found.a.cases), 'case')}."
    )
    f1 = found.comparison.differences["f1"]
    if f1.value is None:
        return f"{told} Nothing is relevant and nothing is kept, so there is no F1."
    if f1.low is None or f1.high is None:
        return f"{told} F1 moves by {signed(f1.value)}; one conversation does not tell how sure that is."
    span = f"(95%: {signed(f1.low)} to {signed(f1.high)})"
    if f1.low > 0 or f1.high < 0:
        return f"{told} F1 is {'better' if f1.value > 0 else 'worse'} by {signed(f1.value)} {span}."
    return f"{told} F1 moves by {signed(f1.value)} {span}, which may be chance."


def _draw_answer(found: Sides) -> None:
    st.markdown(answer(found))


def _draw_metrics(found: Sides) -> None:
    rows = []
    for name in ORDER:
        a, b, by = found.summary_a[name], found.summary_b[name], found.comparison.differences[name]
        if a.value is not None or b.value is not None:
            sure = by.low is not None and by.high is not None and (by.low > 0 or by.high < 0)
            told = _cell(by, difference=True)
            rows.append((METRICS[name], _cell(a), _cell(b), f"**{told}**" if sure else told))
    with st.container(key="versions-metrics"):
        st.markdown(markdown_table(("Metric", "A", "B", "B less A"), rows, numbers=True))
    st.caption(
        "With each one's own rule, before the list is made a valid one. Ranges are 95% intervals over"
        " conversations; a difference in bold is one whose interval leaves out 0."
    )


def _cell(measure: Measure, *, difference: bool = False) -> str:
    if measure.value is None:
        return _UNDEFINED
    return with_interval(measure.value, measure.low, measure.high, difference=difference)


def _draw_turns(app: App, view: View, relevance_set: RelevanceSet, found: Sides) -> None:
    counts = found.counts
    labels = {_ALL: f"All {len(found.codes):,}"}
    labels |= {name: f"{name.capitalize()} {counts[name]:,}" for name in OUTCOMES}
    state.put(ONLY, view.only or _ALL)
    st.segmented_control(
        "Turns", list(labels), key=ONLY, format_func=lambda name: labels[name], required=True,
        on_change=_chose_outcome, label_visibility="collapsed",
    )  # fmt: skip
    rows = found.rows(view.only)
    if not len(rows):
        st.caption("There is no such turn.")
        return
    shown = [int(rows[place]) for place in draw_paging(view, len(rows))]
    ids = {found.a.cases[int(found.a.case[row])].conversation for row in shown}
    keys = library_keys(app.store, {id: said_in(relevance_set.conversations[id]) for id in ids})
    for row in shown:
        case = found.a.cases[int(found.a.case[row])]
        conversation = relevance_set.conversations[case.conversation]
        turn = int(found.a.turns[row])
        draw_turn(
            TurnRow(
                turn=turn,
                message=case.turn,
                text=conversation.turns[turn].scored_text,
                speaker=conversation.turns[turn].speaker,
                kept_a=bool(found.a.kept[row]),
                kept_b=bool(found.b.kept[row]),
                score_a=None if found.a.scores is None else float(found.a.scores[row]),
                score_b=None if found.b.scores is None else float(found.b.scores[row]),
                outcome=OUTCOMES[int(found.codes[row])],
                relevant=bool(found.a.relevant[row]),
                question=case.query.text if case.query else "",
                of=title_of(conversation),
            ),
            keys[case.conversation],
            view,
        )
    draw_paging(view, len(rows), below=True)
    if not any(keys.values()):
        st.caption("These conversations are not in the Library; add the set's file there to open its turns.")


def _chose_set() -> None:
    state.change(set=st.session_state[SET], page=1)


def _chose_outcome() -> None:
    chosen = st.session_state[ONLY]
    state.change(only=None if chosen == _ALL else chosen, page=1)
