"""The text in the editor: kept in the session over pages, never saved while it is broken, never lost."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from convgate.gatekeeper.errors import RuleProblem, RulesError
from convgate.gatekeeper.rules import Rules, parse_rules
from convgate.ui.rules import state
from convgate.ui.rules.rules_file import RulesFile

DRAFT = "rules.draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that a person works on."""

    text: str
    base: RulesFile  # the file as it was when the work began
    revision: int = 0  # one higher whenever something else than typing changes the text
    reveal: int | None = None  # line, from 1, that was put in last

    @property
    def is_changed(self) -> bool:
        """Whether it is another text than that of the file it began with."""
        return self.text != self.base.text

    def with_text(self, text: str, *, reveal: int | None = None) -> Draft:
        """Another text, which the editor has to show."""
        return replace(self, text=text, revision=self.revision + 1, reveal=reveal)


@dataclass(frozen=True)
class Checked:
    """What a text means: its rules, or everything that is wrong with it."""

    rules: Rules | None  # None: it cannot be used
    problems: Sequence[RuleProblem] = ()


def current_draft(file: RulesFile) -> Draft:
    """The text of this session; where nothing was typed, that of the file as it is now."""
    draft: Draft | None = st.session_state.get(DRAFT)
    if draft is None or draft.base.path != file.path:
        draft = Draft(file.text, file, revision=0 if draft is None else draft.revision + 1)
    elif draft.base != file and (not draft.is_changed or draft.text == file.text):
        draft = replace(draft, text=file.text, base=file, revision=draft.revision + 1, reveal=None)
    st.session_state[DRAFT] = draft
    return draft


def put_text(text: str, *, reveal: int | None = None) -> None:
    """Have the editor show another text; for callbacks."""
    draft: Draft = st.session_state[DRAFT]
    st.session_state[DRAFT] = draft.with_text(text, reveal=reveal)
    state.touched()


def start_again(file: RulesFile) -> None:
    """Begin with the text of the file once more; for callbacks."""
    draft: Draft = st.session_state[DRAFT]
    st.session_state[DRAFT] = Draft(file.text, file, draft.revision + 1)
    state.touched()


@functools.lru_cache(maxsize=32)
def checked(text: str) -> Checked:
    """The rules of a text, or its problems."""
    try:
        return Checked(parse_rules(text))
    except RulesError as error:
        return Checked(None, error.problems)
