"""The editor of own rules: a text, its problems by line, saving and undo, and rules made of messages."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO

import streamlit as st
from ruamel.yaml import YAML

from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize, truncate
from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.gatekeeper.rules import RuleProblem, Rules, RulesError
from convgate.gatekeeper.rules_file import parse_rules
from convgate.transcripts.characters import writable
from convgate.ui.rules.rules_file import StoredRules, read_file, save, undo
from convgate.ui.rules.view import address
from convgate.ui.state import put
from convgate.ui.text import literal

TEXT, DRAFT, BASE, NOTE = "rules.text", "rules.draft", "rules.base", "rules.note"
_LISTS = {SKIP: "skip_patterns", KEEP: "keep_patterns"}
_MAX_PATTERN_TEXT = 80  # characters of a message that a pattern is made of
_SPECIAL = re.compile(r"([\\.^$|?*+()\[\]{}])")

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

    file: StoredRules
    base: StoredRules  # the file as it was when the draft began
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
        """Whether the text differs from the file it began with."""
        return self.text != self.base.text


@functools.lru_cache(maxsize=32)
def parse(text: str) -> tuple[Rules | None, Sequence[RuleProblem]]:
    """Return the rules of a text, or None and its problems."""
    try:
        return parse_rules(text), ()
    except RulesError as error:
        return None, error.problems


def load_draft(file: StoredRules) -> Draft:
    """Return the session's draft; an unchanged one follows the file."""
    base: StoredRules | None = st.session_state.get(BASE)
    if base is None or base.path != file.path or st.session_state[DRAFT] in (base.text, file.text):
        st.session_state[BASE], st.session_state[DRAFT] = file, file.text
    text: str = st.session_state[DRAFT]
    rules, problems = parse(text)
    return Draft(file, st.session_state[BASE], text, parse(file.text)[0] or Rules(), rules, problems)


def draw_editor(draft: Draft) -> None:
    """Draw the text with its problems and buttons."""
    st.subheader("Your rules", anchor=False, help="They decide before the built-in checks.")
    st.caption(f":material/draft: {literal(str(draft.file.path))}")
    put(TEXT, draft.text)
    st.text_area(
        "Your rules, as YAML", key=TEXT, height=320, disabled=bool(draft.file.problem),
        on_change=lambda: _put(draft=st.session_state[TEXT]), help="Press Ctrl+Enter to check the text.",
    )  # fmt: skip
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Save", key="rules.save", type="primary", icon=":material/save:", on_click=_save,
            disabled=bool(draft.file.problem),
        )  # fmt: skip
        st.button(
            "Discard", key="rules.discard", disabled=not draft.is_changed, on_click=_put,
            kwargs={"base": draft.file, "draft": draft.file.text},
        )  # fmt: skip
        if draft.file.backup.exists():
            st.button(
                "Undo last save", key="rules.undo", icon=":material/undo:", on_click=_undo,
                disabled=draft.is_changed or bool(draft.file.problem), args=(draft.file,),
                help="Restores the file of before; a second undo restores the save.",
            )  # fmt: skip
    if note := st.session_state.pop(NOTE, None):
        st.info(note)
    if draft.file.problem:
        st.error(literal(draft.file.problem, ltr=True), icon=":material/error:")
    elif draft.base != draft.file:
        st.warning(
            "Another program changed the file. Discard your text to load the file, or keep your text.",
            icon=":material/sync_problem:",
        )
        st.button("Keep my text", key="rules.keep_mine", on_click=_put, kwargs={"base": draft.file})
    _draw_state(draft)


def add_rule(outcome: str, message: str) -> None:
    """Add a rule for messages like this one to the text; for callbacks."""
    text, pattern = st.session_state[DRAFT], make_pattern(message)
    shown = literal(pattern, limit=80)
    rules, _ = parse(text)
    if rules is None:
        _put(note="Fix the problems in your rules first.")
    elif any(rule.pattern == pattern for rule in (*rules.skip_patterns, *rules.keep_patterns)):
        _put(note=f"There is already a rule with the pattern {shown}.")
    else:
        reason = f"says “{truncate(' '.join(writable(message).split()), 50)}”"
        text = append_rule(text, outcome, pattern, reason)
        _put(draft=text, note=f"Added a {outcome} rule: {shown}. Preview it, then save.")


def make_pattern(message: str) -> str:
    r"""Return a pattern for messages like this one: all of a short one, the first words of a long one.

    >>> make_pattern(" Fix it! (now) ")
    '^Fix it! \\(now\\)$'
    """
    text = writable(message).strip()
    start = text
    if len(text) > _MAX_PATTERN_TEXT:
        cut = re.match(rf"(?s).{{1,{_MAX_PATTERN_TEXT}}}(?=\s)", text)
        start = cut[0].rstrip() if cut else text[:_MAX_PATTERN_TEXT]
    escaped = _SPECIAL.sub(r"\\\1", start)
    escaped = re.sub(r"\s+", lambda gap: " " if gap[0] == " " else r"[\s\pZ]+", escaped)
    return f"^{escaped}{'$' if start == text else ''}"


def append_rule(text: str, outcome: str, pattern: str, reason: str) -> str:
    """Return the text with a rule at the end of its list; comments and quotes stay. text: valid rules.

    >>> print(append_rule("# mine\\nskip_patterns: []\\n", SKIP, "^lgtm$", "says yes"), end="")
    # mine
    skip_patterns:
      - pattern: ^lgtm$
        reason: says yes
    """
    yaml = YAML()  # keeps comments
    yaml.preserve_quotes = True
    yaml.width = 10_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    document = yaml.load(text)
    entry = {"pattern": pattern, "reason": reason}
    output = StringIO()
    if document is None:
        output.write(f"{text.rstrip()}\n" if text.strip() else "")
        document = {}
    if not document.get(_LISTS[outcome]):
        document[_LISTS[outcome]] = []
    entries = document[_LISTS[outcome]]
    entries.append(entry)
    yaml.dump(document, output)
    return output.getvalue()


def _draw_state(draft: Draft) -> None:
    """Draw whether the text is valid and saved, or the problems with their lines."""
    if draft.problems:
        lines = draft.text.split("\n")
        items = []
        for problem in draft.problems:
            place = f"**Line {problem.line}:** " if problem.line else ""
            quote = lines[problem.line - 1] if problem.line and problem.line <= len(lines) else ""
            items.append(f"- {place}{literal(problem.problem)}")
            if quote:
                items.append(f"  \n  {literal(quote, limit=80)}")
        summary = f"{pluralize(len(draft.problems), 'problem')}. The rules in the file stay in force."
        st.error("\n".join([summary, "", *items]), icon=":material/error:")
    elif not draft.text.strip() and not draft.file.problem:
        st.caption("No rules yet.")
        st.button("Insert an example", key="rules.example", on_click=_put, kwargs={"draft": EXAMPLE})
    elif draft.rules is not None:
        skips, keeps = len(draft.rules.skip_patterns), len(draft.rules.keep_patterns)
        state = "Not saved yet." if draft.is_changed else "Saved."
        st.caption(f"{pluralize(skips, 'skip rule')}, {pluralize(keeps, 'keep rule')}. {state}")


def _put(**values: object) -> None:
    """Change the draft in the session; for callbacks."""
    st.session_state.update({f"rules.{name}": value for name, value in values.items()})
    address.touched()


def _save() -> None:
    text, base = st.session_state[DRAFT], st.session_state[BASE]
    if parse(text)[0] is None:
        _put(note="Not saved: fix the problems first.")
    elif text == base.text:
        _put(note="There is nothing to save.")
    else:
        _write(lambda: save(base, text.encode()), base, "Saved. Running agents use these rules from now on.")


def _undo(file: StoredRules) -> None:
    _write(lambda: undo(file), file, "The previous file is restored.")


def _write(write: Callable[[], None], file: StoredRules, note: str) -> None:
    try:
        write()
    except ConvgateError as error:
        _put(note=literal(str(error), ltr=True))
    else:
        file = read_file(file.path)
        _put(base=file, draft=file.text, note=note)
