"""The policies on the last message of every conversation, and what the gate misses in the others' choice."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import streamlit as st
from streamlit.column_config import NumberColumn
from streamlit.delta_generator import DeltaGenerator

from convgate.core.decisions import LIKELY
from convgate.core.errors import StoreError
from convgate.core.text import format_share, join_words, pluralize, truncate, writable
from convgate.policies.gate import GatePolicy
from convgate.store.edits import edits_digest
from convgate.ui.compare.conversation import ColumnDecisions, decide
from convgate.ui.compare.state import Column, CompareState, choice_of, draw_failures, option_of, page
from convgate.ui.shared import scoring
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE, LABEL, LIBRARY
from convgate.ui.shared.results_cache import digest
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import has_arrived, selected_cell
from convgate.ui.shared.text import literal
from convgate.ui.shared.turn import format_explanation

PER_PAGE = 10
_NEWEST = 200  # conversations that are compared
_FIRST_SECONDS, _SECONDS = 0.3, 1.0  # of work before the page is shown, and before it is shown again
_MAX_TITLE, _MAX_TEXT = 40, 220
_TABLE = "compare.chats"


@dataclass(frozen=True)
class ChatRow:
    """What the policies send for the last message of one conversation."""

    sent: Mapping[str, int]  # tokens by policy
    total: int  # tokens of the history
    n_differ: int  # most turns that a policy decides differently than the reference
    needed: int  # turns that the gate sends as likely needed
    lost: Mapping[str, Sequence[int]]  # of these, by policy, the turns (0-based) that it does not send
    failures: Mapping[str, str]  # by policy, why it could not decide


@dataclass(frozen=True)
class Chats:
    """What the policies send for the last messages of several conversations."""

    rows: Mapping[str, ChatRow]  # by key of the conversation
    n_all: int  # conversations, also those that are not compared yet
    gate: str | None  # the policy that says what is likely needed

    @property
    def shares(self) -> dict[str, float]:
        """The share of the tokens that each policy sends, of those that decided everywhere."""
        total = max(sum(row.total for row in self.rows.values()), 1)
        names = next(iter(self.rows.values())).sent
        return {
            name: sum(row.sent[name] for row in self.rows.values()) / total
            for name in names
            if all(name in row.sent for row in self.rows.values())
        }

    def count_lost(self, name: str) -> int:
        """Return how many likely needed turns that policy does not send."""
        return sum(len(row.lost.get(name, ())) for row in self.rows.values())

    def sentence(self, other: str) -> str:
        """Return what the gate and another policy send, and what that one loses."""
        shares, n = self.shares, len(self.rows)
        is_all = n == self.n_all
        newest = "newest " if n == _NEWEST else ""
        start = (
            f"On your {newest}{pluralize(n, 'chat')},"
            if is_all
            else f"On {n:,} of your {self.n_all:,} chats,"
        )
        if self.gate is None or self.gate not in shares or other not in shares:
            parts = [f"{name} sends {format_share(share)}" for name, share in shares.items()]
            return f"{start} {join_words(parts)} of the tokens"
        lost = self.count_lost(other)
        loss = (
            f"but leaves out {pluralize(lost, 'turn')} that {self.gate} thinks likely needed"
            if lost
            else f"and leaves out no turn that {self.gate} thinks likely needed"
        )
        return (
            f"{start} {self.gate} sends {format_share(shares[self.gate])} of the tokens, {other}"
            f" {format_share(shares[other])} {loss}"
        )


def draw_chats(
    app: App, state: CompareState, columns: Sequence[Column], reference: Column, answer: DeltaGenerator
) -> bool:
    """Draw what the policies send of all conversations and what is lost; return whether there is more."""
    titles = {row.key: row.title for row in app.conversations.find(per_page=_NEWEST).rows}
    if not titles:
        answer.info("There is no conversation yet.", icon=":material/inventory_2:")
        answer.page_link(LIBRARY, label="Add conversations", icon=":material/arrow_forward:")
        return False
    gates = (each for each in columns if isinstance(each.policy, GatePolicy) and each.policy.gate.is_trained)
    gate = next(gates, None)
    place = answer.empty()
    with place.container():
        chats = _compare(app, columns, reference, gate, list(titles))
    place.empty()
    failures = {name: text for row in chats.rows.values() for name, text in row.failures.items()}
    draw_failures(failures)
    if not chats.rows or not chats.shares:
        return False
    others = [column for column in columns if column is not gate and column.label in chats.shares]
    first = reference if reference in others else next(iter(others), None)
    if first is not None:
        answer.markdown(f"##### {literal(chats.sentence(first.label), limit=400)}")
    done = len(chats.rows)
    if done < chats.n_all:
        answer.progress(done / chats.n_all, "The others are being compared.")
    _draw_table(chats, titles)
    if gate is not None and others:
        _draw_lost(app, state, chats, gate, first or others[0], others, titles)
    return done < chats.n_all


def _compare(
    app: App, columns: Sequence[Column], reference: Column, gate: Column | None, keys: Sequence[str]
) -> Chats:
    """Return the rows that are known after a while; what was compared is kept."""
    selects = [f"{column.label} {digest(column.policy)}" for column in (reference, *columns)]
    known = _rows(f"{selects} {app.store.path} {app.settings.model_dump_json()}")
    if has_arrived():  # what failed on an earlier visit may work now
        for name in [name for name, row in list(known.items()) if row.failures or not row.total]:
            known.pop(name, None)
    began, seconds, is_late = time.monotonic(), _SECONDS if known else _FIRST_SECONDS, False
    rows = {}
    for key in keys:
        name = f"{key} {edits_digest(app.store, key)}"
        if name not in known and not is_late:
            known[name] = _compare_one(app, columns, reference, gate, key)
            is_late = time.monotonic() - began > seconds
        if (row := known.get(name)) is not None:
            rows[key] = row
    # Without a history, there is nothing to compare.
    empty = [key for key, row in rows.items() if not row.total and not row.failures]
    rows = {key: row for key, row in rows.items() if key not in empty}
    return Chats(rows, len(keys) - len(empty), gate.label if gate else None)


def _compare_one(
    app: App, columns: Sequence[Column], reference: Column, gate: Column | None, key: str
) -> ChatRow:
    try:
        conversation = app.conversation(key)
    except StoreError:  # it was deleted meanwhile, or is damaged; the Library says so
        return ChatRow({}, 0, 0, 0, {}, {})
    if not len(conversation):
        return ChatRow({}, 0, 0, 0, {}, {})
    message = OpenMessage(key, *conversation.at(conversation.current_index()))
    decided, failures = decide(app, columns, reference, message)
    by = next((each for each in decided if each.column is gate), None)
    needed = _likely_needed(by) if by else frozenset()
    return ChatRow(
        sent={each.column.label: each.selection.tokens for each in decided},
        total=max((each.selection.tokens_total for each in decided), default=0),
        n_differ=max((len(each.changed or ()) for each in decided), default=0),
        needed=len(needed),
        lost={
            each.column.label: sorted(needed.difference(each.decisions.kept_indices))
            for each in decided
            if each is not by
        },
        failures=failures,
    )


def _likely_needed(gate: ColumnDecisions) -> frozenset[int]:
    """Return the turns that a gate sends because they are likely needed."""
    decisions = gate.decisions
    if decisions.scores is None:
        return frozenset()
    return frozenset(decisions.indices[decisions.kept & (decisions.scores >= LIKELY)].tolist())


@st.cache_resource(max_entries=8, show_spinner=False)
def _rows(key: str) -> dict[str, ChatRow]:
    return {}


def _draw_table(chats: Chats, titles: Mapping[str, str]) -> None:
    """Draw a row for each conversation, those first where the policies differ most."""
    known = dict(sorted(chats.rows.items(), key=lambda each: -each[1].n_differ))
    rows = [
        {
            "chat": writable(truncate(titles[key], _MAX_TITLE)),
            "tokens": row.total,
            **{writable(name): round(row.sent[name] / max(row.total, 1), 2) for name in chats.shares},
            **{f"{writable(name)} leaves out": len(lost) for name, lost in row.lost.items() if chats.gate},
            "decided differently": row.n_differ,
        }
        for key, row in known.items()
    ]
    st.dataframe(
        rows, hide_index=True, key=_TABLE, height=min(320, 38 + 35 * len(rows)),
        on_select=partial(_open_chat, list(known)), selection_mode="single-cell",
        column_config=dict.fromkeys(map(writable, chats.shares), NumberColumn(format="percent")),
        alt=f"What the policies send of {pluralize(len(rows), 'chat')}",
    )  # fmt: skip
    st.caption("Shares of the tokens, and counts of turns. Click a row to see its turns side by side.")


def _open_chat(keys: Sequence[str]) -> None:
    if (row := selected_cell(_TABLE)) is not None and row < len(keys):
        page.change(show="conversation", conversation=keys[row], turn=None, question="")


def _draw_lost(
    app: App,
    state: CompareState,
    chats: Chats,
    gate: Column,
    first: Column,
    others: Sequence[Column],
    titles: Mapping[str, str],
) -> None:
    """Draw the turns that another policy does not send although the gate thinks them likely needed."""
    counts = {
        column.written.to_text(): f"{column.label}: {pluralize(chats.count_lost(column.label), 'turn')}"
        for column in others
    }
    chosen = state.lost if state.lost in counts else first.written.to_text()
    name = next(column.label for column in others if column.written.to_text() == chosen)
    listed = [
        (key, turn)
        for key, row in sorted(chats.rows.items(), key=lambda each: -len(each[1].lost.get(name, ())))
        for turn in row.lost.get(name, ())
    ]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Left out, but likely needed**", width="content")
        if len(counts) > 1:
            page.draw_choice("lost", "Whose left out turns are listed", counts, chosen)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"For the last message of each chat, by {literal(gate.label)}'s own estimate. Labels measure it:",
            width="content",
        )
        st.page_link(LABEL, label="Label some turns", icon=":material/label:")
    number = min(state.page, max(1, -(-len(listed) // PER_PAGE)))
    for key, group in groupby(listed[(number - 1) * PER_PAGE : number * PER_PAGE], lambda each: each[0]):
        _draw_lost_of(app, gate, key, titles[key], [turn for _, turn in group])
    if not listed:
        st.markdown(":material/check: None.")
    page.draw_pages(len(listed), PER_PAGE, number)


def _draw_lost_of(app: App, gate: Column, key: str, title: str, turns: Sequence[int]) -> None:
    """Draw lost turns of one conversation below its message; each opens in Explore."""
    conversation = app.conversation(key)
    message = OpenMessage(key, *conversation.at(conversation.current_index()))
    decisions = scoring.select(app, gate.policy, message, pair_answers=app.settings.pair_answers).decisions
    option, choice = option_of(gate.written), choice_of(gate.written)
    with st.container(border=True, gap="xsmall", key=f"compare-lost-{key}"):
        asked = literal(message.current.turn.scored_text, limit=_MAX_TEXT)
        st.markdown(f"**{asked}** :small[{literal(title, limit=_MAX_TITLE)}]")
        for index in turns:
            turn = conversation.turns[index]
            state = ExploreState(key, message.current.index, "", index, option, choice)
            st.page_link(
                EXPLORE, icon=":material/query_stats:", query_params=state.to_query(), width="stretch",
                label=f"**Turn {index + 1:,}**, {literal(turn.speaker, limit=40)}:"
                f" {literal(turn.scored_text, limit=_MAX_TEXT)}",
            )  # fmt: skip
            st.caption(format_explanation(decisions.of(index).explanation))
