"""Who speaks: the lines of Markdown and plain text that begin turns, outside of code fences.

>>> find_speaker("**User:** Hi"), find_speaker("See the **User:** page")
(Speaker(style='bold', role='user', name=None, text='Hi', time=None), None)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from convgate.transcripts.formats.stamps import DATE, HALVES
from convgate.transcripts.roles import ROLE_NAMES, role_of

TIMED = "timed"
"""The style of lines with a name and a time alone."""

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
_SIGNS = r"[^\w\s*_#:：()\[\]\\]{1,8}"  # an emoji, a dash
_BEFORE = (
    rf"(?:(?:message|msg|turn)?[ \t]*\#?\d{{1,4}}[.)]?[ \t]+)?(?:\[?{_TIME}\]?[ \t]+)?"
    rf"(?:{_SIGNS}[:：]?[ \t]*+)?"
)
_AFTER = rf"(?:[ \t]*(?:{_SIGNS}|\#?\d{{1,4}}\b(?!:\d)|[(\[]?{_TIME}[)\]]?)){{0,4}}"
"""What decorates a role in a heading: a number, a time, signs."""
_STYLES = {
    "heading": re.compile(
        rf" {{0,3}}(?P<marks>\#{{1,6}})[ \t]++(?:\*\*|__)?(?P<before>{_BEFORE})(?:\*\*|__)?"
        rf"{_MARKED_WHO}(?P<verb> said)?(?P<after>{_AFTER})[ \t]*(?P<tail>.*)",
        re.IGNORECASE,
    ),
    "bold": re.compile(
        rf" {{0,3}}(?P<bold>\*\*|__)(?P<before>{_BEFORE}){_MARKED_WHO}(?: said)?(?P<after>{_AFTER})[ \t]*"
        r"(?:[:：](?P=bold)|(?P=bold)[ \t]*[:：]|(?P=bold)\s*$)[ \t]*(?P<text>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    "plain": re.compile(
        rf"{_STAMP}{_WHO}(?: said)?[ \t]*[:：](?!//)[ \t]*(?P<text>.*)", re.IGNORECASE | re.DOTALL
    ),
}
_MARKED = {  # lines of the same form, whatever they say
    "heading": re.compile(
        r" {0,3}(?P<marks>#{1,6})[ \t]+(?:\*\*|__)?(?P<label>[^\n]{1,80}?)[ \t*_#]*(?P<text>)"
    ),
    "bold": re.compile(
        r" {0,3}(?P<marks>\*\*|__)(?P<label>[^\n*_]{1,80}?)"
        r"(?:[:：](?P=marks)|(?P=marks)[ \t]*[:：]|(?P=marks)\s*$)[ \t]*(?P<text>.*)"
    ),
}
_DECORATION = re.compile(rf"^{_BEFORE}|(?: said)?[:：]?{_AFTER}[ \t:：]*$", re.IGNORECASE)
_SIGNS_AROUND = re.compile(rf"^(?:{_SIGNS}[ \t]*)?|(?: said)?[ \t]*(?:{_SIGNS})?[ \t:：]*$")
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
_CLOCK, _NUMBER = re.compile(r"\d:\d\d"), re.compile(r"\d")
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


@dataclass(frozen=True, slots=True)
class Speaker:
    """What a line that begins a turn says."""

    style: str  # "plain", "bold", "timed", "heading 2", "heading" for those of any level: "You said:"
    role: str
    name: str | None
    text: str  # what follows on the same line
    time: str | None = None  # as the line has it


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
        role = role_of(groups["role"]) or "user"
        decoration = f"{groups.get('before') or ''}{groups.get('after') or ''}"
        is_numbered = _NUMBER.search(_IS_TIME.sub("", decoration)) is not None
        if is_numbered and (text or role not in ("user", "assistant")):
            continue  # a numbered heading of a text about roles
        name, time = groups["name"], groups.get("bracket") or groups.get("bare")
        if name and _IS_TIME.fullmatch(name):
            name, time = None, name
        return Speaker(style, role, name, text, time)
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
        others |= _answering_headings(lines, named, inside)
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
    timed = {place: who for place, who in matches.items() if is_time(who.time)}
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
    # Beside a user without a name, the only other one who speaks is the assistant.
    speaking = [name for name in counts if name and counts[name] > 1]
    has_user = any(who.role == "user" and who.name is None for who in named.values())
    answering = speaking[0] if has_user and len(speaking) == 1 else None
    speakers = {}
    for place, who in matches.items():
        known = role_of(who.name or "")
        role = known or ("assistant" if who.name == answering else "user")
        begins = place == first and known is not None
        if counts[who.name] > 1 or begins or (are_timed and who.name in counts):
            speakers[place] = replace(who, role=role, name=None if known else who.name)
    return speakers


def _answering_headings(
    lines: Sequence[str], named: Mapping[int, Speaker], inside: Sequence[bool]
) -> dict[int, Speaker]:
    """Return the lines that the assistant speaks under, where the user's are headings without a name.

    Its headings have the form of the user's, and are the first ones behind most of them: each behind several,
    unless it names an assistant.
    """
    styles = {who.style for place, who in named.items() if who.role == "user" and not inside[place]}
    answers: dict[int, Speaker] = {}
    for style in styles - {"plain"}:
        asked = False
        labels: dict[int, Speaker] = {}
        first: Counter[str] = Counter()  # of the labels that come first behind the user's
        for place, line in enumerate(lines):
            who = named.get(place)
            if inside[place]:
                continue
            if who is not None and who.style == style:
                asked = who.role == "user"
            elif found := _marked_line(line.rstrip("\r\n"), style):
                labels[place] = found
                first[found.name or ""] += asked
                asked = False
        known = {label for label in first if role_of(label) == "assistant"}
        several = {label for label, count in first.items() if count > 1 and role_of(label) is None}
        chosen = known | several
        if 2 * sum(first[label] for label in chosen) >= first.total():
            answers |= {
                place: replace(found, name=None if found.name in known else found.name)
                for place, found in labels.items()
                if found.name in chosen
            }
    return answers


def find_repeated_heading(lines: Sequence[str], speakers: Mapping[int, Speaker]) -> tuple[str, int]:
    """Return the heading in the form of the turns' that stands most often where nobody speaks, and how often.

    ("", 0) where several roles speak, or none under headings.
    """
    styles = {(who.style, who.role) for who in speakers.values()}
    if len(styles) != 1 or (style := styles.pop()[0]) in ("plain", TIMED):
        return "", 0
    others = (line.rstrip("\r\n") for place, line in enumerate(lines) if place not in speakers)
    found = Counter(who.name or "" for line in others if (who := _marked_line(line, style)))
    return found.most_common(1)[0] if found else ("", 0)


def _marked_line(line: str, style: str) -> Speaker | None:
    """Return a line in the form of a style's headings as what an assistant of that name says."""
    kind, _, level = style.partition(" ")
    match = _MARKED[kind].fullmatch(line) if kind in _MARKED else None
    if match is None or (level and len(match["marks"]) != int(level)):
        return None
    label = _DECORATION.sub("", match["label"]).strip()
    if role_of(label) is None:  # a number may be part of a name
        label = _SIGNS_AROUND.sub("", match["label"]).strip()
    return Speaker(style, "assistant", label, match["text"]) if label else None


def _shape(name: str) -> tuple[tuple[bool, bool], ...]:
    """Return for each word of a name whether it begins with a capital, and whether it is all capitals."""
    return tuple((word[0].isupper(), word.isupper()) for word in name.split())


def _named_line(line: str) -> Speaker | None:
    """Return who speaks on a line with any name, a user; None when there is no name, or a log's level."""
    match = _TIMED_NAME.fullmatch(line)
    if match and is_time(time := match["bracket"] or match["bare"]):
        name = match["nick"] or match["sender"] or match["name"]
    elif match := _ANY_NAME.fullmatch(line):
        name, time = match["name"], match["bracket"] or match["bare"] or match["behind"]
    else:
        return None
    is_level = is_time(time) and name.split()[0].lower() in _LEVELS
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
            speakers[place] = Speaker(TIMED, role or "user", None if role else name, "", time)
            below = False
        elif line:
            below = place not in named
    return speakers if len(speakers) > 1 else {}


def is_time(text: str | None) -> bool:
    """Return whether a text has a time of the day."""
    return text is not None and _CLOCK.search(text) is not None


def _is_credible(who: Speaker, before: Mapping[int, Speaker]) -> bool:
    """Return whether the line is a turn; `System: Linux` in plain text is one only at the beginning."""
    return who.style != "plain" or who.role in ("user", "assistant") or (who.role == "system" and not before)


_FENCE = re.compile(r"[ \t]*(?P<marks>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)


def find_fence(line: str) -> tuple[str, bool] | None:
    """Return the marks of the code fence that a line may open or close, and whether it may close one."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line.rstrip("\r\n"))
    if match is None or (match["marks"][0] == "`" and "`" in match["info"]):
        return None
    return match["marks"], not match["info"].strip()


def find_fenced(lines: Sequence[str], texts: Mapping[int, str]) -> list[bool]:
    """Return for each line whether it belongs to a code fence.

    A fence that is never closed is none, for else it would swallow all turns after it. texts: what
    follows a speaker's name, by the place of its line; a fence may open there, and the line is outside.
    """
    fences = [find_fence(texts.get(i, line)) for i, line in enumerate(lines)]
    opened = ""
    flags = []
    for place, (fence, longest) in enumerate(zip(fences, _longest_closing_marks(fences), strict=True)):
        if opened:
            flags.append(True)
            if fence and fence[1] and fence[0].startswith(opened) and place not in texts:
                opened = ""
        else:
            opened = fence[0] if fence and longest[fence[0][0]].startswith(fence[0]) else ""
            flags.append(bool(opened) and place not in texts)
    return flags


def _longest_closing_marks(fences: Sequence[tuple[str, bool] | None]) -> list[dict[str, str]]:
    """Return for each line the longest marks after it that could close a fence, by their character."""
    longest = {"`": "", "~": ""}
    after = []
    for fence in reversed(fences):
        after.append(longest)
        if fence and fence[1] and len(fence[0]) > len(longest[fence[0][0]]):
            longest = {**longest, fence[0][0]: fence[0]}
    return after[::-1]
