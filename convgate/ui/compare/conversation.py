"""The policies on one conversation: a summary, and a table of turns whose cells open in Explore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ConvgateError
from convgate.core.text import format_share, join_words, pluralize, truncate, writable
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.selection.selection import Selection
from convgate.ui.compare.state import Column, CompareState, choice_of, draw_failure, option_of, page
from convgate.ui.shared import scoring
from convgate.ui.shared.changes import Indices, changes
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.picker import pick_message
from convgate.ui.shared.results_cache import compute_if_asked, digest
from convgate.ui.shared.scoring import OpenMessage, encode_ahead
from convgate.ui.shared.tables import markdown_table
from convgate.ui.shared.text import literal

PER_PAGE = 100
_TABLE = "compare.table"
_ALL = 2**31  # conversations
_MAX_CHATS, _MAX_TITLE = 3, 40
_MAX_LABEL, _MAX_TEXT = 60, 200  # characters of a policy's name, of a turn


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
        """Return the decision about a turn: filled is kept, a diamond was forced, an arrow is a change."""
        kept = bool(self.decisions.kept[index - int(self.decisions.indices[0])])
        shapes = "◆◇" if index in self.decisions.overrides else "●○"
        arrow = "" if index not in (self.changed or ()) else " ▲" if kept else " ▼"
        return f"{shapes[0]} kept{arrow}" if kept else f"{shapes[1]} dropped{arrow}"


def draw_conversation(app: App, state: CompareState, columns: Sequence[Column], reference: Column) -> None:
    """Draw the choice of conversation and message, then what the policies decide."""
    picked = pick_message(page, app, state)
    if picked is None:
        return
    state, message = picked
    decided = _decide(app, columns, reference, message)
    if not decided:
        return
    indices = decided[0].decisions.indices
    if not len(indices):
        st.info("This message is the first turn: there is no history to select from.")
        return
    kept = np.stack([column.decisions.kept for column in decided])
    differ = indices[kept.any(axis=0) & ~kept.all(axis=0)]
    _draw_summary(decided, message.current.index, len(differ))
    _draw_table(state, message, decided, differ)


@dataclass(frozen=True)
class ChatRow:
    """What the policies send for the last message of one conversation."""

    key: str
    title: str
    sent: Mapping[str, int]  # tokens by policy
    total: int  # tokens of the history
    n_differ: int  # most turns that a policy decides differently than the reference


def draw_chats(app: App, columns: Sequence[Column], reference: Column, answer: DeltaGenerator) -> None:
    """Draw what the policies send of all conversations, and where they differ most, or the button."""
    titles = {row.key: row.title for row in app.conversations.find(per_page=_ALL).rows}
    if not titles:
        answer.info("There is no conversation yet.", icon=":material/inventory_2:")
        return
    selects = [f"{column.label} {digest(column.policy)}" for column in (reference, *columns)]
    key = f"chats {sorted(titles)} {selects} {app.settings.model_dump_json()}"

    def work(progress: EvaluationProgress) -> list[ChatRow]:
        rows, working = list[ChatRow](), columns
        for done, (key, title) in enumerate(titles.items()):
            progress("Conversation", done, len(titles))
            conversation = app.conversation(key)
            if len(conversation):
                message = OpenMessage(key, *conversation.at(conversation.current_index()))
                decided = _decide(app, working, reference, message)
                working = [each.column for each in decided]  # which fail is said once
                sent = {each.column.label: each.selection.tokens for each in decided}
                total = max((each.selection.tokens_total for each in decided), default=0)
                n_differ = max((len(each.changed or ()) for each in decided), default=0)
                rows.append(ChatRow(key, title, sent, total, n_differ))
        return sorted(rows, key=lambda row: -row.n_differ)

    with answer:
        rows = compute_if_asked(
            page, "measure", key, f"Compare on {pluralize(len(titles), 'conversation')}", work
        )
    if not rows:
        return
    total = sum(row.total for row in rows)
    names = [name for name in rows[0].sent if all(name in row.sent for row in rows)]
    sums = {name: sum(row.sent[name] for row in rows) for name in names}
    numbers = [f"{name} sends {format_share(sent / max(total, 1))}" for name, sent in sums.items()]
    sentence = f"Of {total:,} tokens before the last messages of {pluralize(len(rows), 'conversation')}"
    answer.markdown(f"##### {literal(f'{sentence}, {join_words(numbers)}', limit=400)}")
    answer.markdown(
        "Fewer tokens are better only if nothing that is needed is missing, which labels tell. Look where"
        " the policies decide most turns differently:"
    )
    with answer.container(horizontal=True, gap="medium"):
        for row in rows[:_MAX_CHATS]:
            st.button(
            f"{literal(row.title, limit=_MAX_TITLE)}: {pluralize(row.n_differ, 'turn')}",
            key=f"compare.chat.{row.key}", type="tertiary", icon=":material/arrow_forward:",
            on_click=page.change, kwargs={"conversation": row.key, "turn": None, "differ": True},
        )  # fmt: skip


def _decide(
    app: App, columns: Sequence[Column], reference: Column, message: OpenMessage
) -> list[ColumnDecisions]:
    """Return what each policy decides; say which fail. The first stands in for a reference that fails."""
    selections: dict[Column, Selection] = {}
    for column in columns:
        try:
            encode_ahead(message, column.policy)
            selections[column] = scoring.select(app, column.policy, message)
        except ConvgateError as error:
            draw_failure(column.label, error)
    if reference not in selections:
        reference = next(iter(selections), reference)

    def changed(column: Column) -> Set[int] | None:
        if column is reference:
            return None
        diff = changes(selections[column].decisions, selections[reference].decisions)
        return frozenset(diff.indices.tolist())

    return [ColumnDecisions(column, selection, changed(column)) for column, selection in selections.items()]


def _draw_summary(decided: Sequence[ColumnDecisions], current: int | None, n_differ: int) -> None:
    numbers = [f"{each.column.label} sends {each.selection.tokens:,} tokens" for each in decided]
    place = "For the question" if current is None else f"For turn {current + 1:,}"
    sentence = f"{place}, {join_words(numbers)}; {pluralize(n_differ, 'turn')} decided differently"
    st.markdown(f"##### {literal(sentence, limit=400)}")
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
                "reference" if column.changed is None else f"{len(column.changed):,}",
            )
        )
    with st.container(key="compare-summary"):
        head = ("", "Turns kept", "Tokens sent", "Saved", "Changed decisions")
        st.markdown(markdown_table(head, rows, numbers=True))


def _draw_table(
    state: CompareState, message: OpenMessage, decided: Sequence[ColumnDecisions], differ: Indices
) -> None:
    """Draw what each policy decides about each turn."""
    st.toggle(
        f"Only the {len(differ):,} that differ", disabled=not len(differ),
        help="List only the turns that the policies decide differently.",
        **page.control("differ"),
    )  # fmt: skip
    turns = differ if state.differ and len(differ) else decided[0].decisions.indices
    number = min(state.page, -(-len(turns) // PER_PAGE))
    listed = turns[(number - 1) * PER_PAGE : number * PER_PAGE].tolist()
    rows = [
        {
            "turn": index + 1,
            **{writable(column.column.label): column.mark(index) for column in decided},
            "who": writable(turn.speaker),
            "text": writable(truncate(turn.scored_text.strip(), _MAX_TEXT)),
        }
        for index, turn in ((index, message.conversation.turns[index]) for index in listed)
    ]
    event = st.dataframe(
        rows, hide_index=True, key=_TABLE, height=min(460, 38 + 35 * len(rows)), on_select="rerun",
        selection_mode="single-cell",
        alt=f"What {len(decided)} policies decide about {pluralize(len(rows), 'turn')}",
    )  # fmt: skip
    st.caption(
        "● kept, ○ dropped; ◆ ◇ forced; ▲ ▼ differs from the reference. Click a cell to open it in Explore."
    )
    page.draw_pages(len(turns), PER_PAGE, number)
    if cells := event["selection"]["cells"]:
        row, name = cells[0]
        columns = {writable(column.column.label): column.column.written for column in decided}
        spec = columns.get(name, decided[0].column.written)
        key, turn = message.key, message.current.index
        explore = ExploreState(key, turn, state.question, listed[row], option_of(spec), choice_of(spec))
        st.switch_page(EXPLORE, query_params=explore.to_query())
