"""Markdown and plain text: turns that begin with a line naming who speaks.

>>> find_speaker("**User:** Hi"), find_speaker("See the **User:** page")
(Speaker(style='bold', role='user', name=None, text='Hi', time=None), None)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.formats.code_fences import find_fence, find_fenced
from convgate.transcripts.formats.stamps import DATE, HALVES, read_moments
from convgate.transcripts.problems import Report
from convgate.transcripts.roles import ROLE_NAMES, role_of
from convgate.transcripts.source import LocatedConversations, Source

PREAMBLE, RAW = "_preamble", "markdown"
"""The lines before the first turn, in a conversation's metadata; the lines of a turn, in its source."""

_STYLE, _TIMED = "_style", "timed"
_MAX_SAMPLE_LINES = 5_000
_HEADERS = {"bold": "**{}:**", "plain": "{}:", "heading": "## {} said:"}  # and "heading 1" to "heading 6"
_ROLES = frozenset({"user", "assistant", "system", "developer", "tool"})  # those that a heading can name
# Names that begin too many lines which are no turns: they speak only where they are repeated.
_AMBIGUOUS = frozenset(
    {"model", "language model", "customer", "client", "bing", "llama", "me", "function", "cursor"}
)

_NAMES = "|".join(
    re.escape(name).replace(r"\ ", " +")
    for name in sorted(set().union(*ROLE_NAMES.values()) - _AMBIGUOUS, key=len, reverse=True)
)
_BEHIND = r"(?: +\((?P<name>[^()\n]{1,80})\))?"
_WHO = rf"(?P<role>{_NAMES}){_BEHIND}"
_MARKED_WHO = rf"(?P<role>{_NAMES}|cursor){_BEHIND}"  # in a style sheet it is a property
_TIME = (
    rf"(?:{DATE}(?:,?[ \t]|T))?\d{{1,2}}:\d\d(?::\d\d(?:[.,]\d{{1,6}})?)?(?:Z|[+-]\d\d:?\d\d)?"
    rf"(?:[ \t\u202f]?(?:{HALVES}))?"
)
_STAMP = rf"(?:\[(?P<bracket>[^\[\]\n]{{1,40}})\][ \t]*+|(?P<bare>{_TIME})[ \t]+(?:[-–][ \t]+)?)?"
_DAY = r"(?:(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:,? at)?,?[ ])?"
_NAME = r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,2}"
_STYLES = {
    "heading": re.compile(
        r" {0,3}(?P<marks>\#{1,6})[ \t]++(?:[^\w\s#*]{1,3}[ \t]++)?(?:\*\*|__)?"
        rf"{_MARKED_WHO}(?P<verb> said)?[ \t]*(?P<tail>.*)",
        re.IGNORECASE,
    ),
    "bold": re.compile(
        rf" {{0,3}}(?P<bold>\*\*|__){_MARKED_WHO}(?: said)?[ \t]*"
        r"(?:[:：](?P=bold)|(?P=bold)[ \t]*[:：]|(?P=bold)\s*$)[ \t]*(?P<text>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    "plain": re.compile(
        rf"{_STAMP}{_WHO}(?: said)?[ \t]*[:：](?!//)[ \t]*(?P<text>.*)", re.IGNORECASE | re.DOTALL
    ),
}
_ANY_NAME = re.compile(
    rf"{_STAMP}(?P<name>{_NAME})(?: \((?P<behind>{_TIME})\))?[:：](?!//|\d\d\b)[ \t]*(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_TIMED_NAME = re.compile(  # as in IRC, in chats of Zoom, and in LINE
    rf"{_STAMP}(?:<[@+%&~ ]?(?P<nick>[^\s<>][^<>\n]{{0,29}})>"
    rf"|From[ \t]+(?P<sender>{_NAME}?)(?:[ \t]+to[ \t][^:\n]{{1,80}}|[ \t]*):"
    rf"|(?P<name>{_NAME}?)\t)[ \t]*(?P<text>.*)",
    re.DOTALL | re.IGNORECASE,
)
_TIMED_LINE = re.compile(  # of its own, as copied from Teams, Slack, Discord and Telegram
    rf"(?!today\b|yesterday\b)(?P<name>{_NAME}?)"
    rf"(?:,? \[|[ \t,]*[—–•·|-][ \t]*|[ \t]+){_DAY}(?P<time>{_TIME})\]?[ \t]*"
    rf"|\[{_DAY}(?P<time_before>{_TIME})\][ \t]+(?P<name_behind>{_NAME}(?:, {_NAME})?)[ \t]*",
    re.IGNORECASE,
)
CUE = re.compile(r"[\d:]+[.,]\d+ +--> +\d")
"""The times of subtitles, which are no turns: a sentence goes on in the next one."""

_N_BEFORE_CUE = 20  # lines
_CLOCK = re.compile(r"\d:\d\d")
_MAX_TIMED_LINE = 100  # characters
_IS_TIME = re.compile(_TIME, re.IGNORECASE)
_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"})
"""What the lines of a log file begin with after their time, and nobody's name."""
_LABELS = frozenset(
    {"note", "answer", "question", "example", "hint", "tip", "warning", "summary", "ps", "update", "edit"}
    | {"todo", "source", "link", "hinweis", "antwort", "frage", "beispiel", "achtung"}
)
"""What begins lines within a message, and is nobody's name unless it is repeated."""
_MAX_NAME = 30  # characters
_SETTING = re.compile(r"\s*(?:- +)?(?P<key>[a-z_][\w.-]*):(?:\s.*)?|\s*(?:#|- |---).*")


@dataclass(frozen=True, slots=True)
class Speaker:
    """What a line that begins a turn says."""

    style: str  # "plain", "bold", "timed", "heading 2", "heading" for those of any level: "You said:"
    role: str
    name: str | None
    text: str  # what follows on the same line
    time: str | None = None  # as the line has it


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
            raw, moment = "".join(lines[start:stop]), moments.get(start)
            notes = {"time": who.time} if who.time and moment is None and start in moments else {}
            turn = Turn.of(who.role, text, name=who.name, timestamp=moment, metadata=notes, source={RAW: raw})
            turns.append(turn)
        preamble = lines[: starts[0]]
        title = next((line[2:].strip() for line in preamble if line.startswith("# ")), "")
        layout = {_STYLE: speakers[starts[0]].style, PREAMBLE: "".join(preamble)}
        yield 1, Conversation("", tuple(turns), title or None, layout, self.name)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Return the text of the turns as it was, new ones under a heading or in the style of the others."""
        own = conversation.format == self.name
        if own and conversation.metadata.get(_STYLE) == _TIMED:  # which no new turn can be written in
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


def find_speaker(line: str) -> Speaker | None:
    """Return who a line says speaks now; None when it names no known role."""
    line = line.rstrip("\r\n")
    for style, pattern in _STYLES.items():
        match = pattern.fullmatch(line)
        if match is None:
            continue
        groups = match.groupdict()
        text = groups.get("text") or ""
        if style == "heading":
            tail = groups["tail"].strip(" \t*_#")
            if tail and tail[0] not in ":：":
                continue
            text = tail[1:].lstrip(" \t*_")
            if not groups["verb"]:
                style = f"heading {len(groups['marks'])}"
        name, time = groups["name"], groups.get("bracket") or groups.get("bare")
        if name and _IS_TIME.fullmatch(name):
            name, time = None, name
        return Speaker(style, role_of(groups["role"]) or "user", name, text, time)
    return None


def find_speakers(lines: Sequence[str]) -> tuple[dict[int, Speaker], list[bool]]:
    """Return the lines that begin turns, by their place, and for each line whether a code fence holds it.

    Turns begin in the first style in which two roles speak, or else one does.
    """
    named = {place: who for place, line in enumerate(lines) if (who := find_speaker(line))}
    inside = find_fenced(lines, {place: who.text for place, who in named.items()})
    roles = {who.role for place, who in named.items() if not inside[place]}
    others = _timed_lines(lines, named, inside)
    if not {"user", "assistant"} <= roles:
        others |= _repeated_names(lines, named, inside)
    if others:
        named = dict(sorted({**named, **others}.items()))
        inside = find_fenced(lines, {place: who.text for place, who in named.items()})
    styles: dict[str, dict[int, Speaker]] = {}
    for place, who in named.items():
        if not inside[place] and _is_credible(who, styles.get(who.style, {})):
            styles.setdefault(who.style, {})[place] = who
    with_two_roles = [
        speakers for speakers in styles.values() if len({who.role for who in speakers.values()}) > 1
    ]
    return next(iter(with_two_roles or styles.values()), {}), inside


def _repeated_names(
    lines: Sequence[str], named: Mapping[int, Speaker], inside: Sequence[bool]
) -> dict[int, Speaker]:
    """Return the lines that begin with a name which other lines begin with, or which begins the text.

    Where most of them have times, those that have one speak, and no others. Where most lines of the text
    begin with repeated names, a name in the same spelling speaks that is not repeated.
    """
    matches: dict[int, Speaker] = {}
    for place, line in enumerate(lines):
        if place not in named and not inside[place] and (who := _named_line(line.rstrip("\r\n"))):
            matches[place] = who
    timed = {place: who for place, who in matches.items() if _is_time(who.time)}
    are_timed = len(timed) > 1 and 2 * len(timed) >= len(matches)
    if are_timed:
        matches = timed
    counts = Counter(who.name for who in matches.values() if len(who.name or "") <= _MAX_NAME)
    first = next((place for place, line in enumerate(lines) if line.strip()), None)
    n_lines = sum(bool(line.strip()) and not fenced for line, fenced in zip(lines, inside, strict=True))
    repeated = {name: n for name, n in counts.items() if n > 1 and name}
    if not are_timed and len(repeated) > 1 and 2 * sum(repeated.values()) >= n_lines:
        shapes = set(map(_shape, repeated))
        others = (name for name in counts if name and name.lower() not in _LABELS and name not in repeated)
        counts.update(name for name in list(others) if _shape(name) in shapes)
    speakers = {}
    for place, who in matches.items():
        role = role_of(who.name or "")
        begins = place == first and role is not None
        if counts[who.name] > 1 or begins or (are_timed and who.name in counts):
            speakers[place] = replace(who, role=role, name=None) if role else who
    return speakers


def _shape(name: str) -> tuple[tuple[bool, bool], ...]:
    """Return for each word of a name whether it begins with a capital, and whether it is all capitals."""
    return tuple((word[0].isupper(), word.isupper()) for word in name.split())


def _named_line(line: str) -> Speaker | None:
    """Return who speaks on a line with any name, a user; None when there is no name, or a log's level."""
    match = _TIMED_NAME.fullmatch(line)
    if match and _is_time(time := match["bracket"] or match["bare"]):
        name = match["nick"] or match["sender"] or match["name"]
    elif match := _ANY_NAME.fullmatch(line):
        name, time = match["name"], match["bracket"] or match["bare"] or match["behind"]
    else:
        return None
    is_level = _is_time(time) and name.split()[0].lower() in _LEVELS
    return None if is_level else Speaker("plain", "user", name, match["text"], time)


def _timed_lines(
    lines: Sequence[str], named: Mapping[int, Speaker], inside: Sequence[bool]
) -> dict[int, Speaker]:
    """Return the lines of a name and a time alone that have text below them; none unless there are two."""
    speakers: dict[int, Speaker] = {}
    below = False  # whether the next line that is not blank is text
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place].strip()
        match = _TIMED_LINE.fullmatch(line) if len(line) <= _MAX_TIMED_LINE else None
        name = (match["name"] or match["name_behind"]) if match else ""
        if match and below and not inside[place] and name.split()[0].lower() not in _LEVELS:
            role, time = role_of(name), match["time"] or match["time_before"]
            speakers[place] = Speaker(_TIMED, role or "user", None if role else name, "", time)
            below = False
        elif line:
            below = place not in named
    return speakers if len(speakers) > 1 else {}


def _is_time(text: str | None) -> bool:
    return text is not None and _CLOCK.search(text) is not None


def _moments(speakers: Mapping[int, Speaker], report: Report) -> dict[int, datetime | None]:
    """Return the times of the lines that have one, None where no day is known."""
    texts = {place: who.time for place, who in speakers.items() if who.time and _is_time(who.time)}
    moments = dict(zip(texts, read_moments(list(texts.values()), report), strict=True))
    if None in moments.values():
        report.warn_once("times without a day are kept as text; gaps between messages are not known")
    return moments


def _is_credible(who: Speaker, before: Mapping[int, Speaker]) -> bool:
    """Return whether the line is a turn; `System: Linux` in plain text is one only at the beginning."""
    return who.style != "plain" or who.role in ("user", "assistant") or (who.role == "system" and not before)


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
