"""The editor of own rules: a text, its problems by line, saving and undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import streamlit as st

from convgate.core.text import pluralize
from convgate.gatekeeper.rules import RuleProblem, Rules, RulesError
from convgate.gatekeeper.rules_file import parse_rules
from convgate.ui.rules.rules_file import RulesFile, save, undo
from convgate.ui.rules.state import page
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal

TEXT, DRAFT = "rules.text", "rules.draft"

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
class Draft:
    """The file, and the text in the editor."""

    file: RulesFile
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


def load_draft(file: RulesFile) -> Draft:
    """Return the session's draft, or the text of the file."""
    text: str = st.session_state.get(DRAFT, file.text)
    return Draft(file, text, parse(file.text)[0] or Rules(), *parse(text))


def draw_editor(draft: Draft) -> None:
    """Draw the text with its problems and buttons."""
    st.subheader("Your rules", anchor=False, help="They decide before the built-in checks.")
    st.caption(f":material/draft: {literal(str(draft.file.path))}")
    put(TEXT, draft.text)
    st.text_area(
        "Your rules, as YAML", key=TEXT, height=320, disabled=bool(draft.file.problem),
        on_change=lambda: _set_draft(st.session_state[TEXT]), help="Press Ctrl+Enter to check the text.",
    )  # fmt: skip
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Save", key="rules.save", type="primary", icon=":material/save:", on_click=run_action,
            args=(page, partial(_save, draft)),
            disabled=bool(draft.file.problem or draft.problems) or not draft.is_changed,
        )  # fmt: skip
        st.button(
            "Discard", key="rules.discard", disabled=not draft.is_changed, on_click=_set_draft
        )  # fmt: skip
        if draft.file.backup.exists():
            st.button(
                "Undo last save", key="rules.undo", icon=":material/undo:", on_click=run_action,
                args=(page, partial(_undo, draft.file)),
                disabled=draft.is_changed or bool(draft.file.problem),
                help="Restores the file of before; a second undo restores the save.",
            )  # fmt: skip
        if not draft.text.strip() and not draft.file.problem:
            st.button("Insert an example", key="rules.example", on_click=_set_draft, args=(EXAMPLE,))
    draw_result(page)
    if draft.file.problem:
        st.error(literal(draft.file.problem, ltr=True), icon=":material/error:")
    elif draft.problems:
        _draw_problems(draft)
    elif draft.rules is not None:
        counts = [("skip rule", draft.rules.skip_patterns), ("keep rule", draft.rules.keep_patterns)]
        numbers = ", ".join(pluralize(len(listed), name) for name, listed in counts)
        st.caption(f"{numbers}. {'Not saved yet.' if draft.is_changed else 'Saved.'}")


def _draw_problems(draft: Draft) -> None:
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


def _save(draft: Draft) -> ActionResult:
    """Write the text to the file, and discard the draft, which it has."""
    save(draft.file, draft.text.encode())
    _set_draft()
    return ActionResult("Saved. Agents use these rules now.")


def _undo(file: RulesFile) -> ActionResult:
    undo(file)
    return ActionResult("The previous file is restored.")
