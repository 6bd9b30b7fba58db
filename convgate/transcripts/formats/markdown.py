"""Markdown and plain text: turns that begin with a line naming who speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.markdown_lines import Speaker, escape, fenced, speaker, speakers_in, unescape
from convgate.transcripts.message_lists import Read
from convgate.transcripts.source import Source

_STYLE, _PREAMBLE, RAW = "_style", "_preamble", "markdown"
_LINES_LOOKED_AT = 5_000
_HEADERS = {"bold": "**{}:**", "plain": "{}:", "heading": "## {} said:"}  # and "heading 1" to "heading 6"
_LABELS = {
    "user": "User",
    "assistant": "Assistant",
    "system": "System",
    "developer": "Developer",
    "tool": "Tool",
}


class MarkdownFormat:
    """`**User:**`, `## Assistant`, `User:`, or what is copied from a chat: `You:`, `ChatGPT said:`.

    The style that begins the conversation holds to its end: in a text with `**User:**`, a line `## User`
    is what somebody says. So is everything in a closed code fence. A name may stand behind the role:
    `User (Nadia):`. What comes before the first turn is kept, and its top heading is the title.

    Written for turns that came from elsewhere, it cannot hold ids, times, metadata, parts, tool calls
    (they become text), unusual roles (they become names), blank lines around a text and white space at
    its end; line ends become line feeds. A backslash guards lines of a text that look like speakers.
    """

    name = "markdown"
    label = "Markdown or plain text"
    suffix = ".md"

    def recognises(self, source: Source) -> float:
        """1 when at least two roles speak, 0.5 when one does."""
        if not source.is_text or (source.json is not None and not source.json.is_lines):
            return 0.0
        lines = list(islice(source.lines(), _LINES_LOOKED_AT))
        named = speakers_in(lines)
        roles = {who.role for who in _turns(named, fenced(lines, named)).values()}
        return min(1.0, len(roles) / 2)

    def read(self, source: Source) -> Read:
        """The one conversation of the text."""
        lines = list(source.lines())
        named = speakers_in(source.report.watch(lines, "lines"))
        inside = fenced(lines, named)
        speakers = _turns(named, inside)
        if not speakers:
            raise TranscriptError(
                "no line says who speaks; begin each turn with 'User:' or 'Assistant:'",
                file=source.report.file,
            )
        starts = list(speakers)
        turns = []
        ends = [*starts[1:], len(lines)]
        for start, stop in source.report.watch(zip(starts, ends, strict=True), "turns"):
            who = speakers[start]
            said = [who.said, *(line.rstrip("\r\n") for line in lines[start + 1 : stop])]
            text = _trimmed(unescape(said, inside[start:stop]))
            turns.append(Turn.of(who.role, text, name=who.name, source={RAW: "".join(lines[start:stop])}))
        preamble = lines[: starts[0]]
        title = next((line[2:].strip() for line in preamble if line.startswith("# ")), "")
        notes = {_STYLE: speakers[starts[0]].style, _PREAMBLE: "".join(preamble)}
        yield 1, Conversation("", tuple(turns), title or None, notes, self.name)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """The text of the turns as it was, new ones under a heading or in the style of the others."""
        own = conversation.format == self.name
        text = conversation.metadata.get(_PREAMBLE, "") if own else _title(conversation)
        style = conversation.metadata.get(_STYLE, "heading 2") if own else "heading 2"
        for turn in turns:
            raw = _raw(turn) if own else None
            if text and not text.endswith("\n\n" if raw is None else "\n"):
                text += "\n" if text.endswith("\n") else "\n\n"
            text += raw if raw is not None else _rendered(turn, style)
        return writable(text)


def _turns(named: Mapping[int, Speaker], inside: Sequence[bool]) -> dict[int, Speaker]:
    """The lines that begin turns: those of the first style in which two roles speak, or else one does."""
    styles: dict[str, dict[int, Speaker]] = {}
    for place, who in named.items():
        if not inside[place] and _credible(who, styles.get(who.style, {})):
            styles.setdefault(who.style, {})[place] = who
    both = [found for found in styles.values() if len({who.role for who in found.values()}) > 1]
    return next(iter(both or styles.values()), {})


def _credible(who: Speaker, before: Mapping[int, Speaker]) -> bool:
    """Whether the line is a turn; `System: Linux` in plain text is one only at the beginning."""
    return who.style != "plain" or who.role in ("user", "assistant") or (who.role == "system" and not before)


def _trimmed(lines: Sequence[str]) -> str:
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(lines[first:]).rstrip()


def _raw(turn: Turn) -> str | None:
    raw = turn.source.get(RAW) if turn.source else None
    return raw if isinstance(raw, str) else None


def _rendered(turn: Turn, style: str) -> str:
    label, name = _LABELS.get(turn.role), turn.name
    if label is None:
        label, name = ("Tool", name) if turn.role == "function" else ("User", name or turn.role)
    plain_name = " ".join((name or "").split()).translate(str.maketrans("()", "[]"))[:80].strip()
    who = f"{label} ({plain_name})" if plain_name else label
    _, _, level = style.partition("heading ")
    header = f"{'#' * int(level)} {who}" if level else _HEADERS[style].format(who)
    return f"{header}\n\n{escape(turn.scored_text)}\n"


def _title(conversation: Conversation) -> str:
    line = "# " + " ".join((conversation.title or "").split())
    return "" if not conversation.title or speaker(line) or not line[2:] else f"{line}\n\n"
