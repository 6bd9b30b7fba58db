"""Chats exported from WhatsApp as text, on Android and on iOS, in any language.

Every message begins with its time: `12/31/25, 9:15 PM - Name: text` or `[31.12.25, 21:15:03] Name: text`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.formats.stamps import MARKS, STAMP, Stamp, find_date_order, stamp_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import UNTIMED

_OWN = "\u200e"  # begins what the app itself wrote into a chat
_START = re.compile(
    rf"[{MARKS}]*+(?:(?P<bracket>\[)|)[{MARKS}]*+{STAMP}(?(bracket)\]|[ \u202f][-–])[ ]?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SECONDS = re.compile(r"\d\D\d\d\D\d")
_SAID = re.compile(r"(?P<name>[^:\n]{1,100}):(?: (?P<text>.*)|(?P<none>))", re.DOTALL)
_QUOTES = re.compile('["“”„«»]')
_EDITED = re.compile(r"\s?(?:\u200e<[^<>:\n]{1,60}>|<This message was edited>)$")
_ATTACHED = re.compile(r"\u200e?<[^<>:\n]{1,40}: (?P<name>[^<>\n]{1,200})>")  # iOS
_ATTACHED_FIRST = re.compile(r"\u200e?(?P<name>[^\n:]{1,200}\.\w{2,5}) \([^()\n]{1,40}\)(?:$|\n)")  # Android
_OMITTED = re.compile(
    r"<(?P<what>[^<>\n=/]{3,60})>|\u200e(?P<marked>[^\n]{0,40}(?:omit|omis|omes|ocult|absent|gelassen"
    r"|gelaten|udel|utel|pomini|пропущ|省略|생략|略过)[^\n]{0,20})|(?P<plain>\w{1,20}(?: card)? omitted)",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"\u200e\w+: ?\S|\u200e\w+:\n")  # polls and places
_KINDS = {
    **dict.fromkeys(("jpg", "jpeg", "png", "webp", "gif", "heic", "image", "sticker"), "image"),
    **dict.fromkeys(("opus", "m4a", "mp3", "aac", "ogg", "audio"), "audio"),
    **dict.fromkeys(("mp4", "mov", "3gp", "video"), "video"),
}
_N_SAMPLED, _N_BEFORE = 200, 5  # lines


@dataclass
class _ChatMessage:
    line: int  # 1-based
    stamp: Stamp
    lines: list[str] = field(default_factory=list)


class WhatsAppFormat:
    """Dated lines; those behind one, up to the next, are of the same message.

    Everybody is a user with a name. What the app says itself, such as who joined, is left out.
    """

    name = "whatsapp"
    label = "WhatsApp chat"

    def match_share(self, source: Source) -> float:
        """Return 1 when one of the first lines is dated as WhatsApp does it, and anybody speaks."""
        if not source.is_text:
            return 0.0
        lines = [line for line in source.first_lines(_N_SAMPLED) if line.strip()]
        starts = [_start(line) for line in lines]
        speaks = any(match and _SAID.fullmatch(match["rest"].strip("\r\n")) for match in starts)
        return float(speaks and any(starts[:_N_BEFORE]))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the one conversation of the text."""
        source.check_size()
        report = source.report
        messages = list(_messages(source))
        order = find_date_order([message.stamp for message in messages], report)
        names = Counter(match["name"] for message in messages if (match := _said(message)))
        turns = []
        for message in report.watch(messages, "messages"):
            match = _said(message)
            if match is None or (names[match["name"]] == 1 and _QUOTES.search(match["name"])):
                report.omit("system message")
                continue
            parts = _content(match["text"] or "")
            if not parts:
                report.omit("system message" if match["text"] else "message without content")
                continue
            moment = message.stamp.moment(order)
            if moment is None:
                report.warn(f"the time does not exist; {UNTIMED}", line=message.line)
            name = re.sub(f"[{MARKS}]", "", match["name"]).removeprefix("~").strip()
            turns.append(Turn("user", parts, name=name or None, timestamp=moment))
        yield None, Conversation("", tuple(turns), format=self.name)


def _start(line: str) -> re.Match[str] | None:
    """Return the beginning of a message.

    Other programs write ISO dates without a comma, and times in brackets without seconds.
    """
    match = _START.fullmatch(line)
    if match is None or match["date"] is None:
        return None
    is_other = "-" in match["date"] and "," not in line[: match.start("clock")]
    return None if is_other or (match["bracket"] and not _SECONDS.search(match["clock"])) else match


def _messages(source: Source) -> Iterator[_ChatMessage]:
    message = None
    for number, line in enumerate(source.lines(), 1):
        if match := _start(line):
            if message:
                yield message
            message = _ChatMessage(number, stamp_of(match), [match["rest"]])
        elif message:
            message.lines.append(line)
        elif line.strip():
            source.report.omit("line before the first message")
    if message is None:
        raise TranscriptError("no line begins with a date and a time", file=source.report.file)
    yield message


def _said(message: _ChatMessage) -> re.Match[str] | None:
    return _SAID.fullmatch("".join(message.lines).replace("\r\n", "\n").rstrip())


def _content(text: str) -> tuple[ContentPart, ...]:
    """Return the parts of a message, none of what the app wrote itself."""
    text = _EDITED.sub("", text) or text
    match = _ATTACHED_FIRST.match(text) or _ATTACHED.search(text)
    if match and (match.start() == 0 or match[0].startswith(_OWN)):
        name = match["name"]
        kind = _KINDS.get(PurePosixPath(name).suffix[1:].lower(), "file")
        caption = f"{text[: match.start()].strip()}\n{text[match.end() :].strip()}".strip()
        said = (ContentPart("text", caption.replace(_OWN, "")),) if caption else ()
        return (*said, ContentPart(kind, f"[{kind}: {name}]"))
    if match := _OMITTED.fullmatch(text):
        what = match["what"] or match["marked"] or match["plain"]
        kind = _KINDS.get(what.split()[0].lower(), "attachment")
        return (ContentPart(kind, f"[{what}]"),)
    if text.startswith(_OWN) and not _CONTENT.match(text):
        return ()
    text = text.replace(_OWN, "").strip()
    return (ContentPart("text", text),) if text else ()
