"""Turns of labelled cases whose decision a change flips, the worse ones first, on Tune and Train."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.text import join_words, pluralize
from convgate.store.conversations import title_of
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.library import library_key
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.text import literal

PER_PAGE = 10
Listed = Literal["all", "fixed", "broken"]


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """One decision that is another than before."""

    conversation: Conversation
    message: int | None  # None: a question after the last turn
    question: str  # its text; empty for a message
    turn: int  # 0-based
    is_kept: bool  # now
    is_relevant: bool

    @property
    def is_right(self) -> bool:
        """Whether the labels agree with what is decided now."""
        return self.is_kept == self.is_relevant


def draw_changes(
    app: App,
    page: Address[Any],
    right: Sequence[Any],
    wrong: Sequence[Any],
    is_kept: Callable[[Any], bool],
    read: Callable[[Any], ChangedTurn | None],
    base: ExploreState,
) -> None:
    """Draw how many decisions change and how, misses first, and the list with its filter and pages.

    right, wrong: what `read` makes a turn of, when it is listed; None for one that is no longer there.
    is_kept: whether one of them is sent now.
    base: how links into Explore decide. The page's state has the fields `only` and `page`.
    """
    wrong = sorted(wrong, key=is_kept)  # missed turns first
    rows = {"all": [*wrong, *right], "broken": wrong, "fixed": right}
    if not rows["all"]:
        st.caption("No decision on these labels changes.")
        return
    more, less = (sum(map(is_kept, each)) for each in (right, wrong))  # sent now: needed, not needed
    counts = {
        ("needed turn", "no longer sent"): len(wrong) - less,
        ("needed turn", "sent now"): more,
        ("not needed turn", "sent now"): less,
        ("not needed turn", "no longer sent"): len(right) - more,
    }
    texts = [
        f"**{pluralize(count, noun)}** {'is' if count == 1 else 'are'} {change}"
        for (noun, change), count in counts.items()
        if count
    ]
    st.markdown(f"By the labels, {join_words(texts)}.")
    state = page.now()
    names = {"all": "All", "broken": "✕ Worse", "fixed": "✓ Better"}
    page.draw_choice(
        "only", "Changed decisions", {name: f"{text} {len(rows[name]):,}" for name, text in names.items()}
    )
    listed = rows[state.only]
    number = min(state.page, max(1, -(-len(listed) // PER_PAGE)))
    for row in listed[(number - 1) * PER_PAGE : number * PER_PAGE]:
        if (changed := read(row)) is not None:
            _draw_turn(app, changed, base)
    page.draw_pages(len(listed), PER_PAGE, number)


def _draw_turn(app: App, changed: ChangedTurn, base: ExploreState) -> None:
    conversation, turn = changed.conversation, changed.conversation.turns[changed.turn]
    key = library_key(app.store, conversation)
    title = title_of(conversation) if key is None else app.conversations.summary(key).title
    message = "a question" if changed.message is None else f"message {changed.message + 1:,}"
    label = f"**Turn {changed.turn + 1:,} for {message}** · {literal(title, limit=60)}"
    needs = "needs it" if changed.is_relevant else "does not need it"
    words = f"{'↑ sent' if changed.is_kept else '↓ dropped'} now; by the labels, {message} {needs}"
    icon = ":material/check:" if changed.is_right else ":material/close:"
    with st.container(border=True, gap=None):
        if key is None:
            st.markdown(label)
        else:
            state = ExploreState(
                key, changed.message, changed.question, changed.turn, base.policy, base.choice
            )
            st.page_link(
                EXPLORE, label=label, icon=":material/query_stats:", width="stretch",
                query_params=state.to_query(),
            )  # fmt: skip
        st.markdown(f":small[{icon} {words}]")
        st.caption(f"{literal(turn.speaker, limit=40)}: {literal(turn.scored_text, limit=240)}")
