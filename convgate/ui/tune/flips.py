"""The labelled turns whose decision changed: counts, and a list whose rows open in Explore."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import StoreError
from convgate.core.text import pluralize
from convgate.evaluation.comparison import BROKEN, FIXED, outcome_codes
from convgate.store import Conversations, Store
from convgate.store.conversations import title_of
from convgate.store.openings import PrefixIndex, prefix_hashes
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.text import literal
from convgate.ui.tune.results import TuneResults
from convgate.ui.tune.state import TuneState, page

PER_PAGE = 10


def draw_flips(app: App, state: TuneState, results: TuneResults, option: str) -> None:
    """Draw how many decisions flip, and the list with its filter and pages."""
    st.subheader("Flipped decisions", anchor=False)
    codes = outcome_codes(results.scored.relevant, results.own.kept, results.new.kept)
    broken, fixed = (np.flatnonzero(codes == code).tolist() for code in (BROKEN, FIXED))
    rows = {"all": broken + fixed, "broken": broken, "fixed": fixed}
    if not rows["all"]:
        st.caption("No decision flips: both keep the same turns.")
        return
    st.markdown(
        f"**{pluralize(len(rows['all']), 'decision')}** of {len(codes):,} flipped:"
        f" :material/check: **{len(fixed):,} fixed**,"
        f" :material/close: **{len(broken):,} broken** by the labels."
    )
    names = {"all": "All", "broken": "✕ Broken", "fixed": "✓ Fixed"}
    st.segmented_control(
        "Flipped decisions", list(names), required=True, label_visibility="collapsed",
        format_func=lambda name: f"{names[name]} {len(rows[name]):,}", **page.control("only", state.only),
    )  # fmt: skip
    listed = rows[state.only]
    number = min(state.page, max(1, -(-len(listed) // PER_PAGE)))
    _draw_turns(app, results, listed[(number - 1) * PER_PAGE : number * PER_PAGE], option)
    page.draw_pages(len(listed), PER_PAGE, number)


def _draw_turns(app: App, results: TuneResults, rows: Sequence[int], option: str) -> None:
    scored, sets = results.scored, {relevance_set.name: relevance_set for relevance_set in results.sets}
    for row in rows:
        scored_case = scored.cases[int(scored.case[row])]
        case, index = scored_case.case, int(scored.turn[row])
        conversation = sets[scored_case.set].conversations[case.conversation]
        key = library_key(app.store, conversation)
        title = title_of(conversation) if key is None else app.conversations.summary(key).title
        message = "a question" if case.turn is None else f"message {case.turn + 1:,}"
        label = f"**Turn {index + 1:,} for {message}** · {literal(title, limit=60)}"
        turn = conversation.turns[index]
        decision = "↑ kept" if results.new.kept[row] else "↓ dropped"
        relevance = "relevant" if scored.relevant[row] else "not relevant"
        right = results.new.kept[row] == scored.relevant[row]
        outcome = ":material/check: fixed" if right else ":material/close: broken"
        with st.container(border=True, gap=None):
            if key is None:
                st.markdown(label)
            else:
                question = case.query.text if case.query and case.turn is None else ""
                state = ExploreState(key, case.turn, question, index, option, results.new.choice)
                st.page_link(
                    EXPLORE, label=label, icon=":material/query_stats:", width="stretch",
                    query_params=state.to_query(),
                )  # fmt: skip
            score = f"score {scored.scores[row]:.2f}"
            st.markdown(f":small[**{decision} now** · {score} · labelled {relevance} · {outcome}]")
            st.caption(f"{literal(turn.speaker, limit=40)}: {literal(turn.scored_text, limit=240)}")


def library_key(store: Store, conversation: Conversation) -> str | None:
    """Return the Library's key of a conversation: by its key, present or former, else by equal turns."""
    try:
        return Conversations(store).summary(conversation.id).key
    except StoreError:
        with store.read() as db:
            return PrefixIndex(db).same(prefix_hashes(conversation.turns))
