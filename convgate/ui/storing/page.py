"""The page Storing: exchanges with their decisions, what other rules change, and the editor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import re2
import streamlit as st

from convgate.core.text import join_words, pluralize
from convgate.figures.hover import on_screen
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.rules import MAX_PATTERN, MAX_REASON, PatternRule, RuleProblem, Rules, RulesError
from convgate.gatekeeper.rules_file import add_rule, parse_rules
from convgate.invariants.invariant import Invariant
from convgate.store.conversations import terms
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.codecs import one_of, words
from convgate.ui.shared.frame import App
from convgate.ui.shared.modes import statement_reader
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.picker import pick_conversation
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.storing.exchanges import (
    CheckedConversation,
    Row,
    changed_decisions,
    check_conversation,
    check_library,
    check_samples,
    decide,
    exchange_html,
    style,
)
from convgate.ui.storing.rules_file import EditorFile, read_file, rules_path, save, undo

LOOKS = {
    "library": "Whole library", "conversation": "This conversation", "samples": "Samples",
    "changes": "What changes",
}  # fmt: skip
SHOWS = {"skipped": "Skipped", "kept": "Kept", "own": "By your rules", "all": "All"}
ROWS_PER_PAGE = 20
_MAX_TITLE = 24  # characters
TEXT, DRAFT = "storing.text", "storing.draft"
PHRASE, REASON = "storing.phrase", "storing.reason"
OUTCOMES = {"skip_patterns": "Skipped", "keep_patterns": "Kept"}
EXAMPLE = r"""# keep_patterns come before skip_patterns; both before the built-in checks.
# pattern: a regular expression (RE2), found anywhere in the message; write it in single quotes
# applies_to: user, assistant or both; default: user
skip_patterns:
  - pattern: '^(lgtm|\+1|ping)[.!]*$'
    reason: says no more than yes
keep_patterns:
  - pattern: '\bticket #?\d+'
    reason: names a ticket
    category: ticket
"""


@dataclass(frozen=True)
class StoringState(PageState):
    """Which exchanges are listed: ?conversation=KEY&show=skipped&search=hello&page=2."""

    look: str | None = param(None, one_of(LOOKS))  # None: see `_first_look`
    show: str = param("all", one_of(SHOWS))
    search: str = param("", words(200))
    page: int = 1


page = Address("storing", StoringState)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(style(current_palette()))
    state, problems = page.current()
    draft = load_draft(read_file(rules_path(app.settings)))
    if state.look is None:
        state = replace(state, look=_first_look(app, draft))
    picked = None
    if state.conversation is not None or app.conversations.keys():
        picked = pick_conversation(page, app, state, problems)
    if picked is None:
        page.keep(state, problems)
    else:
        state = picked[0]
    if state.look == "changes":
        _draw_changes(app, state, draft)
    elif state.look != "conversation":
        listed = check_samples(app) if state.look == "samples" else _check_library(app)
        _draw_exchanges(app, state, draft, _decide_all(listed, draft))
    elif picked is not None:
        rows = _explain(app, decide(check_conversation(app, *picked[1:]), draft.shown))
        _draw_exchanges(app, state, draft, rows)


def _first_look(app: App, draft: RulesDraft) -> str:
    """Return the conversation of the address, else the library; the samples where nothing speaks for any."""
    if "conversation" in st.query_params:
        return "conversation"
    return (
        "library" if any(not row.is_default for row in _decide_all(_check_library(app), draft)) else "samples"
    )


def _decide_all(conversations: Sequence[CheckedConversation], draft: RulesDraft) -> list[Row]:
    """Return the decisions on all conversations."""
    return [row for conversation in conversations for row in decide(conversation, draft.shown)]


def _draw_exchanges(app: App, state: StoringState, draft: RulesDraft, rows: Sequence[Row]) -> None:
    """Draw how many exchanges are kept and why, the rules, and those that the filters choose."""
    if rows:
        st.markdown(
            _summary(rows),
            help="No language model is asked here."
            f" Agents run in mode **{app.settings.gatekeeper.mode}** (setting gatekeeper\\_mode).",
        )
    if is_busy := draft.is_changed or bool(draft.file.problem or draft.problems):
        draw_editor(draft)
    else:
        draw_result(page)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page.draw_choice("look", "Show", LOOKS)
        st.text_input(
            "Search", placeholder="Search messages and answers", label_visibility="collapsed",
            **page.control("search"),
        )  # fmt: skip
    matching = [row for row in rows if _contains(row.placed.exchange, state.search)]
    counts = {name: sum(_is_shown(row, name) for row in matching) for name in SHOWS}
    names = [name for name in SHOWS if counts[name] or name in ("all", state.show)]
    st.pills(
        "Filter", names, required=True, label_visibility="collapsed", width="content",
        format_func=lambda name: f"{SHOWS[name]} {counts[name]:,}", **page.control("show"),
    )  # fmt: skip
    shown = [row for row in matching if _is_shown(row, state.show)]
    _draw_rows(app, state, sorted(shown, key=lambda row: (row.is_default, row.decision.keep, row.why)))
    if not is_busy:
        draw_editor(draft, with_result=False)


def _summary(rows: Sequence[Row]) -> str:
    """Return how many exchanges are kept and skipped, and by what, as Markdown."""
    kept, skipped = (Counter(row.why for row in rows if row.decision.keep is keep) for keep in (True, False))
    lines = [
        f"##### {kept.total():,} of {pluralize(len(rows), 'exchange')} are kept in full,"
        f" {skipped.total():,} skipped\n"
    ]
    if skipped:
        lines.append(f"**Skipped:** {_count(skipped)}")
    if kept:
        lines.append(f"**Kept in full:** {_count(kept)}")
    return "  \n".join(lines)


def _count(reasons: Counter[str]) -> str:
    return " · ".join(f"{literal(why)} {count:,}" for why, count in reasons.most_common())


def _draw_changes(app: App, state: StoringState, draft: RulesDraft) -> None:
    """Draw the exchanges of the library that the text in the editor decides differently than the file."""
    changed = changed_decisions(_check_library(app), draft.saved, draft.shown)
    st.markdown(f"##### Your changes flip {pluralize(len(changed), 'decision')} in the library")
    if not draft.is_changed:
        st.markdown("Add or edit a rule to see which decisions it changes.")
    draw_editor(draft)
    page.draw_choice("look", "Show", LOOKS)
    _draw_rows(app, state, changed)


def _draw_rows(app: App, state: StoringState, rows: Sequence[Row]) -> None:
    """Draw one page of exchanges, under what decides, with the titles of conversations where several are."""
    number = min(state.page, max(1, -(-len(rows) // ROWS_PER_PAGE)))
    counts = Counter((row.decision.keep, row.why) for row in rows)
    last = None
    shown = rows[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
    explained = shown if state.look == "conversation" else _explain(app, shown)
    for row, told in zip(shown, explained, strict=True):
        if last != (last := (row.decision.keep, row.why)):
            outcome = "Kept in full" if row.decision.keep else "Skipped"
            st.markdown(f"**{outcome}: {literal(row.why)}** · {counts[last]:,}")
        turn, key = str(row.placed.user_turn + 1), row.conversation.key
        place, widths = f"Turn {turn}", (1, 11)
        if state.look != "conversation":
            place, widths = f"{literal(row.conversation.title, limit=_MAX_TITLE)} · {turn}", (1, 4)
        says_more = bool(told.is_own or told.before or (told.states and state.look != "conversation"))
        left, right = st.columns(widths, gap="small")
        if key is None:
            left.caption(place)
        else:
            left.page_link(EXPLORE, label=place, query_params={"conversation": key, "selected": turn})
        body = exchange_html(told.placed.exchange, told.decision, with_reason=says_more, before=told.before)
        right.html(body)
    page.draw_pages(len(rows), ROWS_PER_PAGE, number)


def _explain(app: App, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with what their messages state that must hold, which is no reason of the checks."""
    held: dict[str, dict[int, Invariant]] = {}
    explained = []
    for row in rows:
        if (key := row.conversation.key) is not None and row.is_default:
            if key not in held:
                read = statement_reader(app.settings).read(list(app.conversation(key).turns))
                held[key] = {each.source: each for each in reversed(read) if each.held}
            if (found := held[key].get(row.placed.user_turn)) is not None:
                explanation = f"by default, and as a {on_screen(found.held_because)}"
                decision = replace(row.decision, explanation=explanation)
                row = replace(row, decision=decision, states=found.label)
        explained.append(row)
    return explained


def _check_library(app: App) -> list[CheckedConversation]:
    with st.spinner("Checking the library …"):
        return check_library(app)


def _is_shown(row: Row, show: str) -> bool:
    kept = row.decision.keep
    shows = {"kept": kept, "skipped": not kept, "default": row.is_default, "own": row.is_own}
    return shows.get(show, True)


def _contains(exchange: Exchange, search: str) -> bool:
    text = f"{exchange.user}\n{exchange.assistant}".casefold()
    return all(word.casefold() in text for word in terms(search))


@dataclass(frozen=True)
class RulesDraft:
    """The file, and the text in the editor."""

    file: EditorFile
    text: str
    saved: Rules  # of the file; none where it is broken
    rules: Rules | None  # of the text; None when it has problems
    problems: Sequence[RuleProblem]

    @property
    def shown(self) -> Rules:
        """The rules that decide on the page: of the text, or of the file where the text has problems."""
        return self.saved if self.rules is None else self.rules

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the file."""
        return self.text != self.file.text


@lru_cache(maxsize=32)
def parse(text: str) -> tuple[Rules | None, Sequence[RuleProblem]]:
    """Return the rules of a text, or None and its problems."""
    try:
        return parse_rules(text), ()
    except RulesError as error:
        return None, error.problems


def load_draft(file: EditorFile) -> RulesDraft:
    """Return the session's draft, or the text of the file."""
    text: str = st.session_state.get(DRAFT, file.text)
    return RulesDraft(file, text, parse(file.text)[0] or Rules(), *parse(text))


def draw_editor(draft: RulesDraft, *, with_result: bool = True) -> None:
    """Draw how many rules there are with their buttons, the form for another one, and the text."""
    if with_result:
        draw_result(page)
    _draw_buttons(draft)
    is_broken = bool(draft.file.problem or draft.problems)
    if draft.file.problem:
        st.error(literal(draft.file.problem, ltr=True), icon=":material/error:")
    elif draft.problems:
        _draw_problems(draft)
    if not is_broken:
        with st.expander("Add a rule", icon=":material/add:"):
            _draw_form()
    with st.expander("Edit all rules as text (YAML)", expanded=is_broken, icon=":material/edit:"):
        put(TEXT, draft.text)
        st.text_area(
            "Your rules, as YAML", key=TEXT, height=320, disabled=bool(draft.file.problem),
            placeholder=EXAMPLE, on_change=lambda: _set_draft(st.session_state[TEXT]),
            help="Press Ctrl+Enter to check the text.",
        )  # fmt: skip
        st.caption(f":material/draft: {literal(str(draft.file.path))}")


def _draw_form() -> None:
    """Draw the form that adds a rule to the draft."""
    with st.form("storing.form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("When a message has the words", key=PHRASE, max_chars=MAX_PATTERN, placeholder="ping")
        st.segmented_control(
            "its exchange is", list(OUTCOMES), default="skip_patterns", required=True,
            key="storing.outcome", format_func=OUTCOMES.__getitem__,
        )  # fmt: skip
        st.text_input("because it", key=REASON, max_chars=MAX_REASON, placeholder="says nothing lasting")
        st.form_submit_button("Add", icon=":material/add:", on_click=run_action, args=(page, _add))


def _draw_buttons(draft: RulesDraft) -> None:
    """Draw the number of rules; to save or discard where they are changed, to undo where they were saved."""
    rules = draft.shown
    counts = (("skip rule", rules.skip_patterns), ("keep rule", rules.keep_patterns))
    numbers = join_words(pluralize(len(listed), name) for name, listed in counts if listed) or "none yet"
    is_broken = bool(draft.file.problem or draft.problems)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        state = ", not saved yet" if draft.is_changed else ""
        st.markdown(f"**Your rules:** {numbers}{state}.", width="content")
        if draft.is_changed:
            st.button(
                "Save", key="storing.save", type="primary", icon=":material/save:", on_click=run_action,
                args=(page, partial(_save, draft.file)), disabled=is_broken,
            )  # fmt: skip
            st.button("Discard", key="storing.discard", on_click=_set_draft)
        elif draft.file.backup.exists() and not draft.file.problem:
            st.button(
                "Undo last save", key="storing.undo", icon=":material/undo:", on_click=run_action,
                args=(page, partial(_undo, draft.file)), type="tertiary",
                help="Restores the file of before; a second undo restores the save.",
            )  # fmt: skip


def _draw_problems(draft: RulesDraft) -> None:
    """Draw what is wrong in each line of the text."""
    lines = draft.text.split("\n")
    items = []
    for problem in draft.problems:
        place = f"**Line {problem.line}:** " if problem.line else ""
        items.append(f"- {place}{literal(problem.problem)}")
        if problem.line and problem.line <= len(lines) and (line := lines[problem.line - 1]):
            items.append(f"  \n  {literal(line, limit=80)}")
    summary = f"{pluralize(len(draft.problems), 'problem')}. The rules in the file stay in force."
    st.error("\n".join([summary, "", *items]), icon=":material/error:")


def _set_draft(text: str | None = None) -> None:
    """Replace the draft; None discards it. For callbacks."""
    if text is None:
        st.session_state.pop(DRAFT, None)
    else:
        st.session_state[DRAFT] = text


def _add() -> ActionResult:
    """Add the rule of the form to the draft, and show what it changes. Raises RulesError."""
    values = st.session_state  # arguments would have the text of before the last keystrokes
    parse_rules(values[TEXT])
    rule = PatternRule(to_pattern(values[PHRASE].strip()), values[REASON].strip())
    text = add_rule(values[TEXT], values["storing.outcome"], rule)
    parse_rules(text)  # raises for one that is there already
    _set_draft(text)
    values[PHRASE] = values[REASON] = ""
    page.change(look="changes")
    return ActionResult("Added. Look at what it changes, and save it.")


def to_pattern(phrase: str) -> str:
    r"""Return a regular expression that finds the phrase, in whole words where its ends are such.

    >>> to_pattern("ping"), to_pattern("+1")
    ('\\bping\\b', '\\+1\\b')
    """
    ends = [r"\b" if re.match(r"\w", letter, re.ASCII) else "" for letter in (phrase[:1], phrase[-1:])]
    return f"{ends[0]}{re2.escape(phrase)}{ends[1]}" if phrase else ""


def _save(file: EditorFile) -> ActionResult:
    """Write the text to the file, and discard the draft, which it has. Raises RulesError."""
    text: str = st.session_state[TEXT]
    parse_rules(text)
    save(file, text.encode())
    _set_draft()
    return ActionResult("Saved. Agents use these rules now.")


def _undo(file: EditorFile) -> ActionResult:
    undo(file)
    return ActionResult("The previous file is restored.")
