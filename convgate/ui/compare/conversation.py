"""The policies on one message: what each sends, and a table of turns whose cells open in Explore."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ConvgateError
from convgate.core.text import format_share, join_words, pluralize, truncate, writable
from convgate.figures.hover import on_screen
from convgate.selection.selection import Selection
from convgate.ui.compare.state import (
    Column,
    CompareState,
    choice_of,
    draw_failures,
    is_gate,
    option_of,
    page,
)
from convgate.ui.shared import scoring
from convgate.ui.shared.changes import Indices, changes
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.picker import pick_message
from convgate.ui.shared.scoring import OpenMessage, encode_ahead
from convgate.ui.shared.tables import markdown_table
from convgate.ui.shared.text import literal

PER_PAGE = 100
_TABLE = "compare.table"
_MAX_LABEL, _MAX_TEXT, _MAX_ASKED = 60, 200, 80  # characters of a policy's name, of a turn, of a message


@dataclass(frozen=True, eq=False)
class ColumnDecisions:
    """One policy's decisions, after they were made a valid list of messages."""

    column: Column
    selection: Selection
    changed: Set[int] | None  # turns that it decides differently than the reference; None of the reference

    @property
    def decisions(self) -> TurnDecisions:
        """What is sent and what is not, forced turns included."""
        return self.selection.decisions

    def count_kept(self) -> str:
        """Return how many turns are sent, by the policy itself and whatever it decides, as Markdown."""
        n_kept = int(self.decisions.kept.sum())
        n_always = sum(override.kept for override in self.decisions.overrides.values())
        parts = f" :small[{n_kept - n_always:,} + {n_always:,} that are always sent]" if n_always else ""
        return f"{n_kept:,} of {len(self.decisions):,}{parts}"

    def mark(self, index: int) -> str:
        """Return the decision about a turn, in the words of Explore behind a filled or a hollow mark."""
        decision = self.decisions.of(index)
        name = decision.outcome_name
        words = name if name.startswith(decision.outcome) else f"{decision.outcome}, {name}"
        return f"{'●' if decision.kept else '○'} {words}"


def draw_conversation(
    app: App, state: CompareState, columns: Sequence[Column], reference: Column, answer: DeltaGenerator
) -> None:
    """Draw the choice of conversation and message, then what the policies decide; `answer`: the sentence."""
    picked = pick_message(page, app, state)
    if picked is None:
        return
    state, message = picked
    decided, failures = decide(app, columns, reference, message)
    draw_failures(failures)
    if not decided:
        return
    indices = decided[0].decisions.indices
    if not len(indices):
        st.info("This message is the first turn: there is no history to select from.")
        return
    kept = np.stack([column.decisions.kept for column in decided])
    differ = indices[kept.any(axis=0) & ~kept.all(axis=0)]
    _draw_summary(decided, message, len(differ), answer)
    _draw_table(state, message, decided, differ)


def decide(
    app: App, columns: Sequence[Column], reference: Column, message: OpenMessage
) -> tuple[list[ColumnDecisions], dict[str, str]]:
    """Return what each policy decides, and why others fail; the first stands in for a failing reference."""
    selections: dict[Column, Selection] = {}
    failures: dict[str, str] = {}
    for column in columns:
        try:
            encode_ahead(message, column.policy)
            pairs = app.settings.pair_answers
            selections[column] = scoring.select(app, column.policy, message, pair_answers=pairs)
        except ConvgateError as error:
            failures[column.label] = str(error)
    if reference not in selections:
        reference = next(iter(selections), reference)

    def changed(column: Column) -> Set[int] | None:
        if column is reference:
            return None
        diff = changes(selections[column].decisions, selections[reference].decisions)
        return frozenset(diff.indices.tolist())

    decided = [
        ColumnDecisions(column, selection, changed(column)) for column, selection in selections.items()
    ]
    return decided, failures


def _draw_summary(
    decided: Sequence[ColumnDecisions], message: OpenMessage, n_differ: int, answer: DeltaGenerator
) -> None:
    first, *others = decided
    numbers = [f"{first.column.label} sends {pluralize(first.selection.tokens, 'token')}"]
    numbers += [f"{each.column.label} {each.selection.tokens:,}" for each in others]
    asked = truncate(" ".join(message.current.turn.scored_text.split()), _MAX_ASKED)
    sentence = f"For “{asked}”, {join_words(numbers)}; {pluralize(n_differ, 'turn')} decided differently"
    answer.markdown(f"##### {literal(sentence, limit=500)}")
    rows = []
    for column in decided:
        selection = column.selection
        saved = 1 - selection.tokens / selection.tokens_total if selection.tokens_total else 0.0
        rows.append(
            (
                f"**{literal(column.column.label, limit=_MAX_LABEL)}**",
                column.count_kept(),
                f"{selection.tokens:,}",
                format_share(saved),
            )
        )
    with st.container(key="compare-summary"):
        head = ("", "Turns kept", "Tokens sent", "Saved")
        st.markdown(markdown_table(head, rows, numbers=True))


def _draw_table(
    state: CompareState, message: OpenMessage, decided: Sequence[ColumnDecisions], differ: Indices
) -> None:
    """Draw what each policy decides about each turn."""
    st.toggle(
        f"Only the {pluralize(len(differ), 'turn')} decided differently", disabled=not len(differ),
        **page.control("differ"),
    )  # fmt: skip
    turns = differ if state.differ and len(differ) else decided[0].decisions.indices
    number = min(state.page, -(-len(turns) // PER_PAGE))
    listed = turns[(number - 1) * PER_PAGE : number * PER_PAGE].tolist()
    reasoned = next((each for each in decided if is_gate(each.column.written)), decided[0])
    why = f"why, by {writable(reasoned.column.label)}"
    rows = [
        {
            "turn": index + 1,
            "text": writable(truncate(f"{turn.speaker}: {turn.scored_text.strip()}", _MAX_TEXT)),
            **{writable(column.column.label): column.mark(index) for column in decided},
            why: writable(_begin(on_screen(reasoned.decisions.of(index).explanation))),
        }
        for index, turn in ((index, message.conversation.turns[index]) for index in listed)
    ]
    event = st.dataframe(
        rows, hide_index=True, key=_TABLE, height=min(460, 38 + 35 * len(rows)), on_select="rerun",
        selection_mode="single-cell", column_config={"turn": {"width": 50}, "text": {"width": 300}},
        alt=f"What {len(decided)} policies decide about {pluralize(len(rows), 'turn')}",
    )  # fmt: skip
    st.caption("● kept, ○ dropped. Click a cell to open the turn in Explore, as that policy decides.")
    page.draw_pages(len(turns), PER_PAGE, number)
    if cells := event["selection"]["cells"]:
        row, name = cells[0]
        columns = {writable(column.column.label): column.column.written for column in decided}
        spec = columns.get(name, decided[0].column.written)
        key, turn = message.key, message.current.index
        explore = ExploreState(key, turn, state.question, listed[row], option_of(spec), choice_of(spec))
        st.switch_page(EXPLORE, query_params=explore.to_query())


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]
