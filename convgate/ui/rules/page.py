"""The Rules page: exchanges with their decisions, what other rules change, statistics, and the editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from convgate.core.text import format_share, pluralize
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import apply_rules
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.statistics import KeptSkipped, Statistics
from convgate.store.conversations import terms
from convgate.ui.frame import App
from convgate.ui.navigation import EXPLORE
from convgate.ui.picker import Picker
from convgate.ui.rules.editor import Draft, add_rule, draw_editor, load_draft
from convgate.ui.rules.library import (
    CheckedConversation,
    Comparison,
    Row,
    check_conversation,
    check_library,
    compare_rules,
    decide,
)
from convgate.ui.rules.rows import exchange_html, style
from convgate.ui.rules.rules_file import read_file, rules_path
from convgate.ui.rules.view import CHANGES, LOOKS, MAX_SEARCH, SHOWS, View, address
from convgate.ui.state import put
from convgate.ui.text import literal
from convgate.ui.theme import current_palette

LOOK, SHOW, SEARCH, CHANGE, ON = (f"rules.{name}" for name in ("look", "show", "search", "change", "on"))
PREVIEW, PAGE = "rules.preview", "rules.page"
USER, ASSISTANT = "rules.try_user", "rules.try_assistant"
ROWS_PER_PAGE = 10
MAX_SKIPPED_SHARE = 0.5  # a skip rule that decides a larger share gets a warning
_SCOPES = {"conversation": "This conversation", "library": "The library"}


def rules_page(app: App) -> None:
    """Draw the page."""
    st.html(style(current_palette()))
    view, problems = address.current()
    picked = _picker.pick_conversation(app, view.conversation)
    if picked is not None:
        view = replace(view, conversation=picked[0])
    address.keep(view)
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")
    st.caption(
        "Decisions of your rules and the built-in checks; no language model is asked here."
        f" Agents run in mode **{app.settings.gatekeeper_mode}** (setting gatekeeper\\_mode)."
    )
    draft = load_draft(read_file(rules_path(app.settings)))
    conversation = check_conversation(app, *picked) if picked is not None else None
    left, right = st.columns([1.45, 1], gap="medium")
    with right:
        draw_editor(draft)
        _draw_try(app, draft)
    with left:
        put(LOOK, view.look)
        st.segmented_control(
            "Show", list(LOOKS), key=LOOK, required=True, format_func=LOOKS.__getitem__,
            on_change=_change, args=(LOOK,), label_visibility="collapsed",
        )  # fmt: skip
        if view.look == "changes":
            _draw_changes(app, view, draft)
        elif view.look == "statistics":
            _draw_statistics(app, view, draft, conversation)
        elif conversation is not None:
            _draw_exchanges(view, draft, decide(conversation, draft.shown))


def _draw_exchanges(view: View, draft: Draft, rows: Sequence[Row]) -> None:
    """Draw the exchanges of the conversation that the filters choose."""
    found = [row for row in rows if _contains(row.placed.exchange, view.search)]
    numbers = {name: sum(_is_shown(row, name) for row in found) for name in SHOWS}
    put(SHOW, view.show)
    st.pills(
        "Filter", list(SHOWS), key=SHOW, required=True, on_change=_change, args=(SHOW,),
        format_func=lambda name: f"{SHOWS[name]} {numbers[name]:,}", label_visibility="collapsed",
    )  # fmt: skip
    put(SEARCH, view.search)
    st.text_input(
        "Search", key=SEARCH, max_chars=MAX_SEARCH, on_change=_change, args=(SEARCH,),
        placeholder="Search messages and answers", label_visibility="collapsed",
    )  # fmt: skip
    shown = [row for row in found if _is_shown(row, view.show)]
    st.caption(f"{len(shown):,} of {pluralize(len(rows), 'exchange')}")
    _draw_rows(view, draft, shown)


def _draw_changes(app: App, view: View, draft: Draft) -> None:
    """Draw what the text in the editor changes in the library, on demand."""
    if draft.rules is None:
        st.info("Fix the problems in your rules to preview them.")
        return
    label = "Preview changes in the library"
    if st.button(label, key=PREVIEW, icon=":material/difference:", on_click=address.touched):
        checked = _check_library(app)
        comparison = compare_rules(checked, draft.saved, draft.rules)
        st.session_state[f"{PREVIEW}.result"] = (draft.saved, draft.rules, comparison)
    result: tuple[Rules, Rules, Comparison] | None = st.session_state.get(f"{PREVIEW}.result")
    if result is None or result[:2] != (draft.saved, draft.rules):
        st.caption("Shows which decisions differ from those of the saved rules.")
        return
    comparison = result[2]
    numbers = {"all": len(comparison.changed)}
    numbers |= {
        kind: sum(row.change == kind for row in comparison.changed) for kind in CHANGES if kind != "all"
    }
    st.markdown(
        f"**{pluralize(len(comparison.changed), 'changed decision')}** of"
        f" {pluralize(comparison.n_exchanges, 'exchange')}."
    )
    _draw_rule_counts(draft.rules, comparison)
    if comparison.changed:
        put(CHANGE, view.change)
        st.pills(
            "Changes", list(CHANGES), key=CHANGE, required=True, on_change=_change, args=(CHANGE,),
            format_func=lambda kind: f"{CHANGES[kind]} {numbers[kind]:,}", label_visibility="collapsed",
        )  # fmt: skip
        rows = [row for row in comparison.changed if view.change in ("all", row.change)]
        _draw_rows(view, draft, rows, with_titles=True)


def _draw_rule_counts(rules: Rules, comparison: Comparison) -> None:
    """Draw how many exchanges each rule decides, and a warning for a rule that skips most of them."""
    table = []
    for outcome, listed in ((SKIP, rules.skip_patterns), (KEEP, rules.keep_patterns)):
        for rule in listed:
            number = comparison.decided_by.get(f"{outcome}_patterns: {rule.pattern}", 0)
            table.append(
                {"Line": rule.line, "Outcome": outcome, "Pattern": rule.pattern, "Exchanges": number}
            )
            if outcome == SKIP and number > MAX_SKIPPED_SHARE * comparison.n_exchanges:
                st.warning(f"The rule in line {rule.line} skips most exchanges.", icon=":material/warning:")
    if table:
        with st.expander("Exchanges decided by each rule"):
            st.dataframe(table, hide_index=True)


def _draw_statistics(app: App, view: View, draft: Draft, conversation: CheckedConversation | None) -> None:
    """Draw how many exchanges of the conversation or the library are kept, by category and by rule."""
    put(ON, view.on)
    st.segmented_control(
        "Of", list(_SCOPES), key=ON, required=True, on_change=_change, args=(ON,),
        format_func=_SCOPES.__getitem__, label_visibility="collapsed",
    )  # fmt: skip
    checked = _check_library(app) if view.on == "library" else [conversation] if conversation else []
    rows = [row for one in checked for row in decide(one, draft.shown)]
    statistics = Statistics.of(row.decision for row in rows)
    if statistics.keep_rate is None:
        st.caption("There is no exchange to count.")
        return
    st.markdown(
        f"**{format_share(statistics.keep_rate)} kept:** {statistics.kept:,} of"
        f" {pluralize(statistics.decided, 'exchange')}; {statistics.skipped:,} skipped."
    )
    st.dataframe(_to_table("Category", statistics.categories), hide_index=True, key="rules.categories")
    st.dataframe(_to_table("Rule", statistics.rules), hide_index=True, key="rules.rules")
    st.markdown(
        f"**Kept by default: {statistics.kept_by_default:,}**",
        help="Nothing says that these can be left out. Make rules for those that matter or do not.",
    )
    _draw_rows(view, draft, [row for row in rows if row.is_default], with_titles=view.on == "library")


def _to_table(heading: str, counts: Mapping[str, KeptSkipped]) -> list[dict[str, object]]:
    return [
        {heading: name.replace("_", " "), "Kept": one.kept, "Skipped": one.skipped}
        for name, one in counts.items()
    ]


def _check_library(app: App) -> list[CheckedConversation]:
    place = st.empty()

    def progress(done: int, total: int) -> None:
        place.progress(done / total, f"Checking conversation {done + 1:,} of {total:,} …")

    checked = check_library(app, progress)
    place.empty()
    return checked


def _draw_rows(view: View, draft: Draft, rows: Sequence[Row], *, with_titles: bool = False) -> None:
    """Draw one page of exchanges, each with its buttons. with_titles: of their conversations."""
    n_pages = max(1, -(-len(rows) // ROWS_PER_PAGE))
    page = min(view.page, n_pages)
    title = None
    for number, row in enumerate(rows[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]):
        if with_titles and row.conversation.title != title:
            title = row.conversation.title
            st.markdown(f"**{literal(title, limit=90)}**")
        exchange, turn = row.placed.exchange, str(row.placed.user_turn + 1)
        st.html(exchange_html(exchange, row.decision, heading=f"turn {turn}", before=row.before))
        with st.container(horizontal=True, gap="small", key=f"rules-actions-{number}"):
            for label, outcome in (("Skip such", SKIP), ("Keep such", KEEP)):
                st.button(
                    label, key=f"rules.{outcome}.{number}", type="tertiary", on_click=add_rule,
                    args=(outcome, exchange.user), help=f"Add a rule that {outcome}s messages like this one",
                    disabled=bool(draft.file.problem) or not exchange.user.strip(),
                )  # fmt: skip
            st.page_link(
                EXPLORE, label="Explore", icon=":material/query_stats:", width="content",
                query_params={"conversation": row.conversation.key, "selected": turn},
            )  # fmt: skip
    if n_pages > 1:
        key = f"{PAGE}.{n_pages}.{page}"
        if st.session_state.get(key, page) != page:  # the address goes back to a page that was left
            del st.session_state[key]
        st.pagination(n_pages, default=page, key=key, on_change=_turn_page, args=(key,))


def _draw_try(app: App, draft: Draft) -> None:
    """Draw what the rules decide about an exchange that a person types."""
    st.subheader("Try it", anchor=False)
    for label, key in (("User message", USER), ("Answer", ASSISTANT)):
        st.text_input(label, key=key, on_change=address.touched, persist_state="session")
    exchange = Exchange(st.session_state.get(USER) or "", st.session_state.get(ASSISTANT) or "")
    if exchange.user.strip():
        checked = check(exchange, Limits.of(app.settings))
        st.html(exchange_html(exchange, apply_rules(draft.shown, checked, exchange)))


def _is_shown(row: Row, show: str) -> bool:
    kept = row.decision.keep
    values = {"all": True, "kept": kept, "skipped": not kept, "default": row.is_default, "own": row.is_own}
    return values[show]


def _contains(exchange: Exchange, search: str) -> bool:
    text = f"{exchange.user}\n{exchange.assistant}".casefold()
    return all(word.casefold() in text for word in terms(search))


def _change(key: str) -> None:
    """Take the value of a control into the view."""
    address.change(**{key.removeprefix("rules."): st.session_state[key] or ""}, page=1)


def _turn_page(key: str) -> None:
    address.change(page=int(st.session_state[key]))


def _open(key: str | None) -> None:
    if key is not None:
        address.change(conversation=key, page=1)
    address.touched()


_picker = Picker("rules", address.change, _open)
