"""A scripted agent: calls real tools, and notes which result each of its actions took something from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tools.agent_runs.run import AgentRun, Message, ModelCall
from tools.agent_runs.workspace import Workspace

_SEARCH_PREFIX = re.compile(r"^[^\s:]+:\d+:")  # of a line that a search found
_NUMBERS = re.compile(r"^ *\d+\t", re.MULTILINE)

MIN_LENGTH = 8
"""Characters of what is looked for in other texts too; shorter pieces stand there by chance."""


class Seen(str):
    """A piece of a result."""

    __slots__ = ("evidence", "source")
    source: str  # the id of the call
    evidence: str  # the line that it stands in, without what a search puts before it

    @classmethod
    def of(cls, text: str, source: str, line: str | None = None) -> Seen:
        """Return the text as seen in a line of the result of a call; without a line, it says all itself."""
        seen = cls(text)
        seen.source = source
        line = text if line is None else line
        content = _SEARCH_PREFIX.sub("", line)
        seen.evidence = (content if text in content else line).strip()
        return seen

    def strip(self, characters: str | None = None, /) -> Seen:
        """Return it without the spaces around it."""
        return Seen.of(super().strip(characters), self.source, self.evidence)


@dataclass(frozen=True)
class Result:
    """What a tool returned."""

    id: str
    text: str

    @cached_property
    def plain(self) -> str:
        """The text without line numbers, ended by a line break."""
        return _NUMBERS.sub("", self.text) + "\n"

    def find(self, pattern: str) -> Seen:
        """Return the first group of the pattern's first match.

        Raises LookupError when there is none: a script asked for what its result does not show.
        """
        match = re.search(pattern, self.text, re.MULTILINE)
        if match is None:
            raise LookupError(f"{pattern!r} is not in the result of {self.id}: {self.text[:500]}")
        return self._seen(match)

    def find_all(self, pattern: str) -> list[Seen]:
        """Return the first group of every match."""
        return [self._seen(match) for match in re.finditer(pattern, self.text, re.MULTILINE)]

    def _seen(self, match: re.Match[str]) -> Seen:
        start = self.text.rfind("\n", 0, match.start(1)) + 1
        stop = self.text.find("\n", match.end(1))
        line = self.text[start : stop if stop >= 0 else len(self.text)]
        return Seen.of(match[1], self.id, _NUMBERS.sub("", line))

    def quote(self, text: str) -> Seen:
        """Return the text, which has to be in the result, possibly behind line numbers; else LookupError."""
        if text not in self.text and text not in self.plain:
            raise LookupError(f"{text!r} is not in the result of {self.id}: {self.text[:500]}")
        return Seen.of(text, self.id)


Call = tuple[str, Mapping[str, Any]]
"""The name of a tool, and its arguments."""


class Agent:
    """Writes down a run as it happens.

    Texts are templates whose fields are pieces of results or plain values, so that every piece that is
    repeated is known with its source.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._messages: list[Message] = []
        self._calls: list[ModelCall] = []
        self._n_tool_calls = 0
        self._results: list[Result] = []
        self._written: list[str] = []  # by the user and the agent
        self._own: set[tuple[str, str]] = set()  # pieces that the agent wrote out, with their sources

    def hear(self, text: str) -> None:
        """Take a message of the user."""
        self._messages.append({"role": "user", "content": text})
        self._written.append(text)

    def act(
        self, template: str, /, *calls: Call, needs: Iterable[Seen | Result] = (), **fields: object
    ) -> list[Result]:
        """Say something and call tools in parallel; return their results.

        needs: what the action rests on without repeating it as a field or a whole argument.
        """
        text = template.format(**fields)
        blocks: list[Message] = [{"type": "text", "text": text}] if text else []
        results: list[Result] = []
        arguments = [value for _, given in calls for value in given.values()]
        self._note([*fields.values(), *arguments, *needs], [text, *map(str, arguments)])
        for name, given in calls:
            self._n_tool_calls += 1
            id = f"toolu_{self._n_tool_calls:04}"
            plain = {key: str(value) if isinstance(value, str) else value for key, value in given.items()}
            blocks.append({"type": "tool_use", "id": id, "name": name, "input": plain})
            results.append(Result(id, self._workspace.call(name, plain)))
        self._messages.append({"role": "assistant", "content": blocks})
        if results:
            self._results += results
            content = [
                {"type": "tool_result", "tool_use_id": result.id, "content": result.text}
                for result in results
            ]
            self._messages.append({"role": "user", "content": content})
        return results

    def act_once(
        self, template: str, call: Call, /, *, needs: Iterable[Seen | Result] = (), **fields: object
    ) -> Result:
        """Say something and call one tool; return its result."""
        return self.act(template, call, needs=needs, **fields)[0]

    def answer(self, template: str, /, *, needs: Iterable[Seen | Result] = (), **fields: object) -> None:
        """Answer the user."""
        self.act(template, needs=needs, **fields)

    @property
    def n_tool_calls(self) -> int:
        """How many tools were called."""
        return self._n_tool_calls

    def finish(self, id: str, family: str) -> AgentRun:
        """Return the run."""
        return AgentRun(id, family, tuple(self._messages), tuple(self._calls))

    def _note(self, values: Iterable[object], written: list[str]) -> None:
        """Note what is used, and what the agent writes out itself, which it knows from then on."""
        uses: list[frozenset[str]] = []
        own: set[tuple[str, str]] = set()
        for value in values:
            if isinstance(value, Result):
                uses.append(frozenset({value.id}))
            elif isinstance(value, Seen):
                piece = (value.source, str(value))
                is_long = len(value) >= MIN_LENGTH
                if piece not in self._own and not (is_long and any(value in text for text in self._written)):
                    uses.append(self._holders(value))
                if any(value in text for text in written):
                    own.add(piece)
        self._own |= own
        self._written += written
        self._calls.append(ModelCall(len(self._messages), tuple(dict.fromkeys(uses))))

    def _holders(self, piece: Seen) -> frozenset[str]:
        """The results that show the piece with its line."""
        holders = {result.id for result in self._results if piece.evidence in result.plain}
        is_long = len(piece.evidence) >= MIN_LENGTH
        return frozenset({piece.source, *holders}) if is_long else frozenset({piece.source})
