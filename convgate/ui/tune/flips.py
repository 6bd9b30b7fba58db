"""Which turns flip against the version's own rule: labelled ones, with who is right, and the library's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.text import pluralize
from convgate.evaluation.metrics import Bools
from convgate.evaluation.outcomes import BROKEN, FIXED, outcome_codes
from convgate.evaluation.tuning import ScoredCases
from convgate.policies.gate import GatePolicy
from convgate.store.conversations import title_of
from convgate.transcripts import Case, RelevanceSet
from convgate.ui.choice import Choice
from convgate.ui.explore.state import View as ExploreView
from convgate.ui.frame import App
from convgate.ui.library_lookup import library_keys, said_in
from convgate.ui.navigation import EXPLORE
from convgate.ui.text import literal
from convgate.ui.tune import state
from convgate.ui.tune.state import LABELLED, ONLY, WHERE, View
from convgate.ui.tune.trial import scored_turns

PER_PAGE = 10
SAMPLE = 30
"""Conversations of the library that are looked at together, the newest."""

_TEXT = 240  # characters of a turn


@dataclass(frozen=True, eq=False)
class Flips:
    """Judged or unjudged turns that one rule keeps and the other drops, as rows of the scored turns."""

    scored: ScoredCases
    up: NDArray[np.int64]  # kept now
    down: NDArray[np.int64]
    right: NDArray[np.int64]  # of labelled turns: now as the label says; empty without labels
    wrong: NDArray[np.int64]

    @classmethod
    def of(cls, scored: ScoredCases, before: Bools, now: Bools, *, labelled: bool) -> Flips:
        """The difference between what was kept before and what is kept now."""
        codes = outcome_codes(scored.relevant, before, now)
        flipped = before != now
        return cls(
            scored,
            np.flatnonzero(flipped & now),
            np.flatnonzero(flipped & ~now),
            np.flatnonzero((codes == FIXED) & labelled),
            np.flatnonzero((codes == BROKEN) & labelled),
        )

    def __len__(self) -> int:
        return len(self.up) + len(self.down)

    def rows(self, only: str) -> NDArray[np.int64]:
        """Those of a kind, in the order of the cases; of all, those that are wrong come first."""
        if only != "all":
            return np.asarray(
                {"up": self.up, "down": self.down, "right": self.right, "wrong": self.wrong}[only]
            )
        both = np.sort(np.concatenate([self.up, self.down]))
        return both[np.argsort(~np.isin(both, self.wrong), kind="stable")]


@dataclass(frozen=True, eq=False)
class FlipList:
    """What a list of flips needs besides them."""

    flips: Flips
    sets: Mapping[str, RelevanceSet]  # by name
    labelled: bool


def draw_flips(
    app: App, view: View, policy: GatePolicy, own: Choice, labelled: FlipList | None, version: str
) -> None:
    """The choice of where, the counts, the list with its pages."""
    st.subheader("Which turns flip", anchor=False)
    st.segmented_control(
        "Where", list(WHERE), format_func=WHERE.__getitem__, required=True, label_visibility="collapsed",
        **state.page.control("where", view.where, only="all"),
    )  # fmt: skip
    choice = view.choice or own
    listed = labelled if view.where == LABELLED else _in_library(app, view, policy, own, choice)
    if listed is None:
        if view.where == LABELLED:
            st.caption("Choose labelled data on the left to see which labelled turns flip.")
        return
    if view.where == LABELLED:
        _draw_counts(listed.flips)
    _draw_list(app, view, listed, version, choice)


def listed_labels(scored: ScoredCases, sets: Sequence[RelevanceSet], before: Bools, now: Bools) -> FlipList:
    """The flips of labelled turns."""
    flips = Flips.of(scored, before, now, labelled=True)
    by_name = {one.name: one for one in sets}
    return FlipList(flips, by_name, labelled=True)


def _in_library(app: App, view: View, policy: GatePolicy, own: Choice, choice: Choice) -> FlipList | None:
    newest = app.conversations.find(per_page=SAMPLE)
    if not newest.rows:
        st.caption("There is no conversation in your library yet.")
        return None
    relevance_set = _asked(app, [row.key for row in newest.rows])
    told = "library " + " ".join(f"{case.id}" for case in relevance_set.cases)
    scored = scored_turns([relevance_set], told, policy)
    before = scored.kept(own.rule, own.limits)
    now = scored.kept(choice.rule, choice.limits)
    flips = Flips.of(scored, before, now, labelled=False)
    total, then, after = (int(scored.tokens[kept].sum()) for kept in (np.ones_like(now), before, now))
    st.markdown(
        f"**{pluralize(len(flips), 'turn')}** of {len(now):,} {'flips' if len(flips) == 1 else 'flip'} before"
        f" the last message of {pluralize(len(scored.cases), 'conversation')}:"
        f" ↑\u00a0{len(flips.up):,} kept, ↓\u00a0{len(flips.down):,} dropped. Tokens kept: {then:,}"
        f" before, **{after:,}** now, of {total:,}."
    )
    sets = {relevance_set.name: relevance_set}
    return FlipList(flips, sets, labelled=False)


def _asked(app: App, keys: Sequence[str]) -> RelevanceSet:
    """Return the last message of each conversation as a case of which nothing is known to be relevant."""
    talks, cases = {}, []
    for key in keys:
        talk = app.conversation(key)
        if len(talk):
            turn = talk.current_index()
            # The set's conversations are called by their keys, which the transcripts need not be.
            talks[key] = replace(talk, id=key)
            cases.append(Case(f"{key}-{turn:06}", key, turn, None, frozenset()))
    return RelevanceSet("your library", talks, tuple(cases))


def _draw_counts(flips: Flips) -> None:
    verb = "turn flips" if len(flips) == 1 else "turns flip"
    st.markdown(
        f"**{len(flips):,} {verb}** against the version's own rule: ↑\u00a0{len(flips.up):,} kept,"
        f" ↓\u00a0{len(flips.down):,} dropped. :material/check: **{len(flips.right):,} right**,"
        f" :material/close: **{len(flips.wrong):,} wrong** by the labels."
    )


def _draw_list(app: App, view: View, listed: FlipList, version: str, choice: Choice) -> None:
    flips = listed.flips
    if not len(flips):
        st.caption("No turn flips: both rules keep the same turns here.")
        return
    kinds = [only for only in ONLY if listed.labelled or only not in ("right", "wrong")]
    only = view.only if view.only in kinds else "all"
    names = {
        "all": "All",
        "wrong": "✕ Wrong",
        "right": "✓ Right",
        "up": "↑ Kept now",
        "down": "↓ Dropped now",
    }
    st.segmented_control(
        "Flips", kinds, required=True, label_visibility="collapsed", **state.page.control("only", only),
        format_func=lambda name: f"{names[name]} {len(flips.rows(name)):,}",
    )  # fmt: skip
    rows = flips.rows(only)
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(view.page, pages)
    shown = rows[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()
    places = _places(app, listed, shown)
    for row in shown:
        _draw_turn(listed, row, places, version, choice)
    if not len(rows):
        st.caption("There is no such turn.")
    state.page.draw_pages(len(rows), PER_PAGE, page)


def _places(app: App, listed: FlipList, rows: Sequence[int]) -> dict[tuple[str, str], tuple[str | None, str]]:
    """By set and id the key, if the library has it, and the title of each conversation that is shown."""
    scored, library = listed.flips.scored, app.conversations
    cases = [scored.cases[int(scored.case[row])] for row in rows]
    wanted = dict.fromkeys((one.set, one.case.conversation) for one in cases)
    found = {}
    for name, id in wanted:
        talk = listed.sets[name].conversations[id]
        key = library_keys(app.store, {id: said_in(talk)})[id]
        found[name, id] = key, title_of(talk) if key is None else library.summary(key).title
    return found


def _draw_turn(
    listed: FlipList,
    row: int,
    places: Mapping[tuple[str, str], tuple[str | None, str]],
    version: str,
    choice: Choice,
) -> None:
    scored = listed.flips.scored
    one = scored.cases[int(scored.case[row])]
    id, index = one.case.conversation, int(scored.turn[row])
    turn = listed.sets[one.set].conversations[id].turns[index]
    key, title = places[one.set, id]
    asked = "a question" if one.case.turn is None else f"message {one.case.turn + 1:,}"
    label = f"Turn {index + 1:,} for {asked}"
    with st.container(border=True, gap=None):
        if key is None:
            st.markdown(f"**{label}** · {literal(title, limit=60)}")
        else:
            st.page_link(
                EXPLORE, label=f"**{label}** · {literal(title, limit=60)}", icon=":material/query_stats:",
                width="stretch", query_params=explore_query(one.case, key, index, version, choice),
            )  # fmt: skip
        st.markdown(f":small[{verdict(listed, row)}]")
        st.caption(f"{literal(turn.speaker, limit=40)}: {literal(turn.scored_text, limit=_TEXT)}")


def verdict(listed: FlipList, row: int) -> str:
    """Where the turn flips to, its score, and whether that is right."""
    flips = listed.flips
    arrow = "↑ kept now" if row in flips.up else "↓ dropped now"
    parts = [f"**{arrow}**", f"score {flips.scored.scores[row]:.2f}"]
    if listed.labelled:
        parts.append("labelled relevant" if flips.scored.relevant[row] else "labelled not relevant")
        right = row in flips.right
        parts.append(f":material/{'check' if right else 'close'}: {'right' if right else 'wrong'}")
    return " · ".join(parts)


def explore_query(case: Case, key: str, turn: int, version: str, choice: Choice) -> dict[str, str]:
    """The address of the turn in Explore, decided by the version with the rule that is tried."""
    question = case.query.text if case.query and case.turn is None else ""
    return ExploreView(
        key, case.turn, question, selected=turn, policy=version, choice=choice
    ).to_query()  # fmt: skip
