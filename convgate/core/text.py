"""Text helpers of every room: counts, lists, numbers, times, shortened text, and unwritable characters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from unicodedata import bidirectional

REPLACEMENT = "\ufffd"

_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")

# Classes of the bidirectional algorithm (Unicode Standard Annex 9).
_EMBEDDING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF"})
_ISOLATE = frozenset({"LRI", "RLI", "FSI"})
_DIRECTED = _EMBEDDING | _ISOLATE | {"PDI", "R", "AL", "AN"}

_UNITS = (("minute", 60), ("hour", 60), ("day", 24), ("week", 7), ("month", 52 / 12), ("year", 12))


def pluralize(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with the noun that it counts.

    >>> pluralize(1, "turn"), pluralize(18903, "token"), pluralize(2, "reply", "replies")
    ('1 turn', '18,903 tokens', '2 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_words(words: Iterable[str], *, last: str = "and", max_words: int | None = None) -> str:
    """Return words as a list in a sentence; of more than `max_words`, the first and how many more.

    >>> join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"], last="or")
    ('a', 'a and b', 'a, b or c')
    >>> join_words("abcdef", max_words=2)
    'a, b and 4 more'
    """
    items = list(words)
    if max_words is not None and len(items) > max_words:
        items = [*items[:max_words], f"{len(items) - max_words:,} more"]
    return f" {last} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def truncate(text: str, limit: int) -> str:
    """Return at most `limit` characters of the text, the last an ellipsis where some are left out.

    >>> truncate("a long sentence", 7), truncate("short", 7)
    ('a long…', 'short')
    """
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def to_line(text: str, limit: int = 2_000) -> str:
    r"""Return the text on one line of at most `limit` characters; whitespace becomes single spaces.

    No more than 4 x `limit` characters are read: a turn may have 100,000.

    >>> to_line("a\n  b"), to_line("a long  sentence", 7)
    ('a b', 'a long…')
    """
    line = " ".join(text[: 4 * limit].split())
    return truncate(line if len(text) <= 4 * limit else f"{line}…", limit)


def quote(value: object, limit: int = 100) -> str:
    """Return the value as Python writes it, cut to `limit` characters, as errors quote what they received.

    >>> quote("a"), quote("a" * 1_000)[-2:]
    ("'a'", 'a…')
    """
    try:
        return truncate(repr(value), limit)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or nested values
        return f"a value of type {type(value).__name__} that is too large to show"


def format_number(value: float) -> str:
    """Return a score or a threshold with two decimals.

    >>> format_number(0.834), format_number(-3.2), format_number(-0.001)
    ('0.83', '−3.20', '0.00')
    """
    return f"{value:z.2f}".replace("-", "−")


def format_threshold(value: float) -> str:
    """Return a threshold with two decimals, or with more where it would look like 0 or 1.

    >>> format_threshold(0.5), format_threshold(0.0012), format_threshold(0), format_threshold(0.9991)
    ('0.50', '0.001', '0.00', '0.999')
    """
    for decimals in (2, 3, 4, 6):
        text = f"{value:.{decimals}f}"
        if float(text) not in (0, 1) or value in (0, 1):
            return text
    return f"{value:.1g}"


def format_score(value: float) -> str:
    """Return a score of the gate (0…1) with two decimals.

    >>> format_score(0.5), format_score(0.0012), format_score(0)
    ('0.50', '< 0.01', '0.00')
    """
    return "< 0.01" if 0 < value < 0.005 else f"{value:.2f}"


def format_signed(value: float, decimals: int = 2) -> str:
    """Return a logit or a difference, always with its sign.

    >>> format_signed(1.234), format_signed(-0.5), format_signed(-0.0001)
    ('+1.23', '−0.50', '0.00')
    """
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def format_share(share: float) -> str:
    """Return a share (0…1) in percent, with one decimal below ten.

    >>> format_share(0.0067), format_share(0.344), format_share(0.00001), format_share(0)
    ('0.7%', '34%', 'under 0.1%', '0%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    return f"{share:.1%}" if 0 < share < 0.0995 else f"{share:.0%}"


def format_percent(share: float) -> str:
    """Return a share (0…1) in percent, with at most three digits.

    >>> format_percent(0.005), format_percent(0.02)
    ('0.5%', '2%')
    """
    return f"{100 * share:.3g}%"


def format_dollars(amount: float) -> str:
    """Return an amount with two decimals, below ten cents with four.

    >>> format_dollars(1240.871), format_dollars(0.0375)
    ('$1,240.87', '$0.0375')
    """
    return f"${amount:,.2f}" if amount >= 0.1 else f"${amount:.4f}"


def format_duration(seconds: float) -> str:
    """Return a length of time in at most two units; below a minute in seconds.

    >>> format_duration(7_200), format_duration(8_100), format_duration(45), format_duration(0.5)
    ('2 h', '2 h 15 min', '45 s', '0.5 s')
    >>> format_duration(93_600)
    '1 day 2 h'
    """
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, rest = divmod(int(seconds), 60)
    days, hours, minutes = minutes // 1_440, minutes // 60 % 24, minutes % 60
    units = {pluralize(days, "day"): days, f"{hours} h": hours, f"{minutes} min": minutes, f"{rest} s": rest}
    first = next(place for place, number in enumerate(units.values()) if number)
    return " ".join(words for words, number in list(units.items())[first : first + 2] if number)


def format_about(seconds: float) -> str:
    """Return an estimated length of time, in minutes.

    >>> format_about(20), format_about(100), format_about(5_000)
    ('less than a minute', 'about 2 minutes', 'about 84 minutes')
    """
    return "less than a minute" if seconds < 50 else f"about {pluralize(math.ceil(seconds / 60), 'minute')}"


def format_time(moment: datetime) -> str:
    """Return a time in this machine's zone.

    >>> format_time(datetime(2026, 3, 5, 9, 5))
    '5 Mar 2026, 09:05'
    """
    local = moment.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"


def format_age(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was, in the largest unit that fits.

    >>> format_age(datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 3, 11, tzinfo=UTC))
    '1 day ago'
    """
    value = ((now or datetime.now(UTC)) - moment).total_seconds()
    unit = ""
    for name, size in _UNITS:
        if value < size:
            break
        value, unit = value / size, name
    return f"{pluralize(int(value), unit)} ago" if unit else "just now"


def writable(text: str) -> str:
    """The text with each unwritable character replaced by U+FFFD; the very same object when there is none.

    >>> writable("half an emoji: \\ud83d")
    'half an emoji: \ufffd'
    """
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()  # many times faster than a search
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNWRITABLE.sub(REPLACEMENT, text)


def clean_value(value: Any) -> Any:
    """Return a value of JSON or TOML with each text in it writable."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list | tuple):
        return type(value)(map(clean_value, value))
    if isinstance(value, dict):
        return {clean_value(key): clean_value(item) for key, item in value.items()}
    return value


def make_writable(record: object, *names: str) -> None:
    """Replace the unwritable characters of these fields of a frozen dataclass: texts, or tuples of texts."""
    for name in names:
        if value := getattr(record, name):
            clean = writable(value) if isinstance(value, str) else tuple(map(writable, value))
            if clean is not value:
                object.__setattr__(record, name, clean)


def isolate(text: str, *, ltr: bool = False) -> str:
    """Return a line of text so that its direction of writing changes nothing of the sentence around it.

    Embeddings and overrides are left out, isolates are closed, and the whole is isolated: from the left when
    `ltr`, otherwise as its first letter is written. Text from left to right is given back as it is.

    >>> isolate("שלום") == "\\u2068שלום\\u2069", isolate("plain \\u202e")
    (True, '\\u2068plain \\u2069')
    """
    if text.isascii() or not any(bidirectional(character) in _DIRECTED for character in text):
        return text
    kept, depth = [], 0
    for character in text:
        kind = bidirectional(character)
        if kind in _EMBEDDING or (kind == "PDI" and not depth):
            continue
        depth += (kind in _ISOLATE) - (kind == "PDI")
        kept.append(character)
    return ("\u2066" if ltr else "\u2068") + "".join(kept) + "\u2069" * (depth + 1)


def printable(text: str) -> str:
    r"""Text without control characters, which could rewrite the terminal that shows it.

    >>> printable("red \x1b[31malert")
    'red  [31malert'
    """
    return "".join(character if character.isprintable() else " " for character in text)
