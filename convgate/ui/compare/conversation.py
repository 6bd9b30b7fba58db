"""The policies on one conversation: a summary, a table of turns, each policy's reason for one turn."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ConvgateError
from convgate.core.text import format_share, pluralize, truncate
from convgate.policies.selector import Selection
from convgate.transcripts.characters import writable
from convgate.ui import scoring
from convgate.ui.changes import changes, following
from convgate.ui.compare.columns import Column, choice_of, chooser_of, draw_failure, is_gate
from convgate.ui.compare.state import View, page
from convgate.ui.explore.state import View as ExploreView
from convgate.ui.frame import App
from convgate.ui.keys import NEXT_DIFFERENT
from convgate.ui.navigation import EXPLORE
from convgate.ui.page_state import draw_problems
from convgate.ui.picker import Picker
from convgate.ui.scoring import Moment, encode_ahead
from convgate.ui.state import selected_cell
from convgate.ui.tables import markdown_table
from convgate.ui.text import literal
from convgate.ui.turn import Step, draw_turn_head, draw_turn_text, outcome_words

PER_PAGE = 100
_TABLE, _LISTED = "compare.table", "compare.listed"
_MAX_LABEL, _MAX_TEXT = 60, 200  # characters of a policy's name, of a turn
_PICKER = Picker("compare", page.change, page.open)


@dataclass(frozen=True, eq=False)
class ColumnDecisions:
    """One policy's decisions, after they were made a valid list of messages."""

    column: Column
    selection: Selection
    changed: Set[int] = frozenset()  # turns that it decides differently than the reference

    @property
    def label(self) -> str:
        """The name on screen."""
        return self.column.label

    @property
    def decisions(self) -> TurnDecisions:
        """What is sent and what is not, forced turns included."""
        return self.selection.decisions

    def mark(self, index: int) -> str:
        """Return the decision about a turn: filled is kept, a diamond was forced, an arrow is a change."""
        kept = bool(self.decisions.kept[index - int(self.decisions.indices[0])])
        shapes = "◆◇" if index in self.decisions.overrides else "●○"
        arrow = "" if index not in self.changed else " ▲" if kept else " ▼"
        return f"{shapes[0]} kept{arrow}" if kept else f"{shapes[1]} dropped{arrow}"


@dataclass(frozen=True, eq=False)
class PolicyComparison:
    """All policies on one message; `reference` is one of the columns."""

    moment: Moment
    columns: tuple[ColumnDecisions, ...]
    reference: ColumnDecisions

    @property
    def indices(self) -> NDArray[np.int64]:
        """(n,) the turns that all decide about."""
        return self.reference.decisions.indices

    @property
    def differ(self) -> NDArray[np.int64]:
        """The turns that the policies decide differently, in order."""
        kept = np.stack([column.decisions.kept for column in self.columns])
        return np.asarray(self.indices[kept.any(axis=0) & ~kept.all(axis=0)])


def draw_conversation(app: App, view: View, columns: Sequence[Column], reference: Column) -> None:
    """Draw the choice of conversation and message, then what the policies decide."""
    picked = _PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        return
    key, conversation = picked
    view, problems = view.showing(key).within(conversation)
    page.keep(view)
    draw_problems(problems)
    moment = _PICKER.pick_moment(key, conversation, view.turn, view.question)
    compared = _decide(columns, reference, moment)
    if compared is None:
        return
    if not len(compared.indices):
        st.info("This message is the first turn: there is no history to select from.")
        return
    _draw_summary(compared)
    _draw_table(view, compared)
    latest = compared.differ if len(compared.differ) else compared.indices
    _draw_reasons(view, compared, int(latest[-1]) if view.selected is None else view.selected)


def _decide(columns: Sequence[Column], reference: Column, moment: Moment) -> PolicyComparison | None:
    """Return what each policy decides, without those that fail; None when all do."""
    selections: dict[str, Selection] = {}
    for column in columns:
        try:
            if encoder := getattr(column.policy, "encoder", None):
                encode_ahead(moment, encoder)
            selections[column.label] = scoring.selected(column.policy, moment)
        except ConvgateError as error:
            draw_failure(column.label, error)
    if not selections:
        return None
    first = reference.label if reference.label in selections else next(iter(selections))
    before = selections[first].decisions
    decided = [
        ColumnDecisions(column, selection, frozenset(changes(selection.decisions, before).indices.tolist()))
        for column in columns
        if (selection := selections.get(column.label)) is not None
    ]
    return PolicyComparison(moment, tuple(decided), next(one for one in decided if one.label == first))


def _draw_summary(compared: PolicyComparison) -> None:
    total = len(compared.indices)
    rows = []
    for column in compared.columns:
        selection = column.selection
        saved = 1 - selection.tokens_kept / selection.tokens_total if selection.tokens_total else 0.0
        rows.append(
            (
                f"**{literal(column.label, limit=_MAX_LABEL)}**",
                f"{int(column.decisions.kept.sum()):,} of {total:,}",
                f"{selection.tokens_kept:,}",
                format_share(saved),
                "reference" if column is compared.reference else f"{len(column.changed):,}",
            )
        )
    with st.container(key="compare-summary"):
        head = ("", "Turns kept", "Tokens sent", "Saved", "Changed decisions")
        st.markdown(markdown_table(head, rows, numbers=True))


def _draw_table(view: View, compared: PolicyComparison) -> None:
    """Draw what each policy decides about each turn."""
    st.toggle(
        f"Only the {len(compared.differ):,} that differ", disabled=not len(compared.differ),
        help="List only the turns that the policies decide differently.",
        **page.control("differ", view.differ),
    )  # fmt: skip
    turns = compared.differ if view.differ and len(compared.differ) else compared.indices
    number = min(view.page, -(-len(turns) // PER_PAGE))
    listed = turns[(number - 1) * PER_PAGE : number * PER_PAGE].tolist()
    st.session_state[_LISTED] = listed
    rows = [
        {
            "turn": index + 1,
            **{writable(column.label): column.mark(index) for column in compared.columns},
            "who": writable(turn.speaker),
            "text": writable(truncate(turn.scored_text.strip(), _MAX_TEXT)),
        }
        for index, turn in ((index, compared.moment.conversation.turns[index]) for index in listed)
    ]
    st.dataframe(
        rows, hide_index=True, key=_TABLE, height=min(460, 38 + 35 * len(rows)), on_select=_select_cell,
        selection_mode="single-cell",
        alt=f"What {len(compared.columns)} policies decide about {pluralize(len(rows), 'turn')}",
    )  # fmt: skip
    st.caption("● kept, ○ dropped; ◆ ◇ forced; ▲ ▼ differs from the reference. Click a cell for the reasons.")
    page.draw_pages(len(turns), PER_PAGE, number)


def _select_cell() -> None:
    page.touched()
    row = selected_cell(_TABLE)
    listed: list[int] = st.session_state.get(_LISTED, [])
    if row is not None and row < len(listed):
        page.select(listed[row])


def _draw_reasons(view: View, compared: PolicyComparison, selected: int) -> None:
    """Draw the turn, and each policy's reason with a link to Explore."""
    moment = compared.moment
    step = Step(
        "next_different", "next that differs", NEXT_DIFFERENT, following(compared.differ, selected),
        "The next turn that the policies decide differently",
    )  # fmt: skip
    draw_turn_head(
        "compare", moment.conversation, selected, page.select, step,
        reference=moment.situation.turn.timestamp,
    )  # fmt: skip
    draw_turn_text(moment.conversation.turns[selected])
    if not int(compared.indices[0]) <= selected <= int(compared.indices[-1]):
        st.markdown("Nothing is decided about the current message and later turns.")
        return
    for column in compared.columns:
        outcome, why = outcome_words(column.decisions.of(selected).reason)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                EXPLORE, label=f"**{literal(column.label, limit=_MAX_LABEL)}**",
                icon=":material/query_stats:", query_params=_explore_query(view, compared, column, selected),
                help="Open this turn in Explore, with the policy as the settings have it",
            )  # fmt: skip
            st.markdown(f"{column.mark(selected)} · **{literal(outcome)}:** {literal(why)}")


def _explore_query(
    view: View, compared: PolicyComparison, column: ColumnDecisions, turn: int
) -> dict[str, str]:
    written = column.column.written
    return ExploreView(
        compared.moment.key,
        compared.moment.situation.index,
        view.question,
        selected=turn,
        policy=chooser_of(written),
        choice=choice_of(written) if is_gate(written) else None,
    ).to_query()
