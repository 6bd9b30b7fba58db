"""Markdown and plain text: turns that begin with a line naming who speaks (`speakers`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize, quote, writable
from convgate.transcripts.formats.speakers import (
    TIMED,
    Speaker,
    find_fence,
    find_fenced,
    find_repeated_heading,
    find_speaker,
    find_speakers,
    is_time,
)
from convgate.transcripts.formats.stamps import read_moments
from convgate.transcripts.problems import Report
from convgate.transcripts.source import LocatedConversations, Source

PREAMBLE, RAW = "_preamble", "markdown"
"""The lines before the first turn, in a conversation's metadata; the lines of a turn, in its source."""

_STYLE = "_style"
_MAX_SAMPLE_LINES = 5_000
_HEADERS = {"bold": "**{}:**", "plain": "{}:", "heading": "## {} said:"}  # and "heading 1" to "heading 6"
_ROLES = frozenset({"user", "assistant", "system", "developer", "tool"})  # those that a heading can name
CUE = re.compile(r"[\d:]+[.,]\d+ +--> +\d")
"""The times of subtitles, which are no turns: a sentence goes on in the next one."""

_N_BEFORE_CUE = 20  # lines
_RULE = re.compile(r"\s*\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")
"""What some programs put between two turns."""
_SETTING = re.compile(r"\s*(?:- +)?(?P<key>[a-z_][\w.-]*):(?:\s.*)?|\s*(?:#|- |---).*")


class MarkdownFormat:
    """`**User:**`, `## Assistant`, `User:`, or what is copied from a chat: `You:`, `ChatGPT said:`.

    The style that begins the conversation holds to its end. A role may have a name: `User (Nadia):`.
    Unless both a user and an assistant are named, any other name that begins two lines speaks too, and one
    with a time: `[10:02] Nadia: Hi`, `10:02 <nadia> Hi`, `Nadia (10:02): Hi`, or `Nadia 10:02` above the
    text. Between lines of names that are repeated, a name speaks that is not.
    What comes before the first turn is kept, and its top heading is the title. Ids, times, metadata, parts
    and calls of turns from other formats are not written. A backslash guards lines of a text that look like
    speakers.
    """

    name = "markdown"
    label = "Markdown or plain text"
    suffix = ".md"

    def match_share(self, source: Source) -> float:
        """Return 1 when at least two speak, 0.5 when one does."""
        if not source.is_text or (source.json is not None and not source.json.is_lines):
            return 0.0
        lines = source.first_lines(_MAX_SAMPLE_LINES)
        if any(CUE.match(line) for line in lines[:_N_BEFORE_CUE]):
            return 0.0
        speakers, _ = find_speakers(lines)
        if is_settings(lines, speakers):
            return 0.0
        return min(1.0, len({(who.role, who.name) for who in speakers.values()}) / 2)

    def read(self, source: Source) -> LocatedConversations:
        """Yield the one conversation of the text."""
        source.check_size()
        lines = list(source.lines())
        speakers, inside = find_speakers(list(source.report.watch(lines, "lines")))
        if not speakers:
            raise TranscriptError(
                "no line says who speaks; begin each turn with 'User:' or 'Assistant:'",
                file=source.report.file,
            )
        starts = list(speakers)
        turns = []
        ends = [*starts[1:], len(lines)]
        moments = _moments(speakers, source.report)
        for start, stop in source.report.watch(zip(starts, ends, strict=True), "turns"):
            who = speakers[start]
            turn_lines = [who.text, *(line.rstrip("\r\n") for line in lines[start + 1 : stop])]
            text = _trim(_unescape(turn_lines, inside[start:stop]))
            if stop < len(lines):
                text = _RULE.sub("", text)
            raw, moment = "".join(lines[start:stop]), moments.get(start)
            notes = {"time": who.time} if who.time and moment is None and start in moments else {}
            turn = Turn.of(who.role, text, name=who.name, timestamp=moment, metadata=notes, source={RAW: raw})
            turns.append(turn)
        heading, count = find_repeated_heading(lines, speakers)
        if count:
            source.report.warn_once(
                f"one alone speaks here, but {quote(heading)} heads {pluralize(count, 'part')}: write"
                " 'Assistant' over what the assistant says"
            )
        preamble = lines[: starts[0]]
        title = next((line[2:].strip() for line in preamble if line.startswith("# ")), "")
        layout = {_STYLE: speakers[starts[0]].style, PREAMBLE: "".join(preamble)}
        yield 1, Conversation("", tuple(turns), title or None, layout, self.name)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Return the text of the turns as it was, new ones under a heading or in the style of the others."""
        own = conversation.format == self.name
        if own and conversation.metadata.get(_STYLE) == TIMED:  # which no new turn can be written in
            own = all(turn.source and RAW in turn.source for turn in turns)
        text = conversation.metadata.get(PREAMBLE, "") if own else _render_title(conversation)
        style = conversation.metadata.get(_STYLE, "heading 2") if own else "heading 2"
        for turn in turns:
            raw = turn.source.get(RAW) if own and turn.source else None
            if text and not text.endswith("\n\n" if raw is None else "\n"):
                text += "\n" if text.endswith("\n") else "\n\n"
            text += _render(turn, style) if raw is None else str(raw)
        return writable(text)


def is_settings(lines: Sequence[str], speakers: Mapping[int, Speaker]) -> bool:
    """Return whether all lines are settings as in YAML, and those called like a role few and not repeated."""
    is_setting = [_SETTING.fullmatch(line.rstrip()) for line in lines if line.strip()]
    n_settings = sum(match is not None and bool(match["key"]) for match in is_setting)
    is_repeated = len({who.role for who in speakers.values()}) < len(speakers)
    return all(is_setting) and n_settings > 2 * len(speakers) and not is_repeated


def _moments(speakers: Mapping[int, Speaker], report: Report) -> dict[int, datetime | None]:
    """Return the times of the lines that have one, None where no day is known."""
    texts = {place: who.time for place, who in speakers.items() if who.time and is_time(who.time)}
    moments = dict(zip(texts, read_moments(list(texts.values()), report), strict=True))
    if None in moments.values():
        report.warn_once("times without a day are kept as text; gaps between messages are not known")
    return moments


def escape(text: str) -> str:
    """Return the text with a backslash before lines that would begin a turn or open a fence without end.

    >>> print(escape("see\\n## User\\nabove"))
    see
    \\## User
    above
    """
    lines = text.split("\n")
    return "\n".join(
        line if inside or not _has_meaning(line) else f"\\{line}"
        for line, inside in zip(lines, find_fenced(lines, {}), strict=True)
    )


def _unescape(lines: Sequence[str], flags: Sequence[bool]) -> list[str]:
    return [
        line[1:] if not inside and line.startswith("\\") and _has_meaning(line) else line
        for line, inside in zip(lines, flags, strict=True)
    ]


def _has_meaning(line: str) -> bool:
    bare = line.lstrip("\\")
    return find_speaker(bare) is not None or find_fence(bare) is not None


def _trim(lines: Sequence[str]) -> str:
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(lines[first:]).rstrip()


def _render(turn: Turn, style: str) -> str:
    role, name = turn.role, turn.name
    if role not in _ROLES:
        role, name = ("tool", name) if role == "function" else ("user", name or role)
    plain_name = " ".join((name or "").split()).translate(str.maketrans("()", "[]"))[:80].strip()
    who = f"{role.title()} ({plain_name})" if plain_name else role.title()
    _, _, level = style.partition("heading ")
    header = f"{'#' * int(level)} {who}" if level else _HEADERS[style].format(who)
    return f"{header}\n\n{escape(turn.scored_text)}\n"


def _render_title(conversation: Conversation) -> str:
    line = "# " + " ".join((conversation.title or "").split())
    return "" if not conversation.title or find_speaker(line) or not line[2:] else f"{line}\n\n"
