"""Bytes to text: byte order marks, UTF-16 without one, and lines that are in no Unicode encoding at all."""

from __future__ import annotations

import codecs

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = [  # the likelier first: short texts fit several equally well
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp932", "gb18030", "cp949", "big5", "koi8_r"),
]
_CHUNK = 1 << 20
_SAMPLE = 1 << 16  # bytes that the guess of an encoding looks at


def with_line_feeds(data: bytes) -> bytes:
    """Text in which the byte 10 ends a line and does nothing else; the same object if it is so already.

    UTF-16 and UTF-32 are recoded as UTF-8, byte order marks go, carriage returns alone become line feeds.

    >>> with_line_feeds("hé\\rllo".encode("utf-16")).decode()
    'hé\\nllo'
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None) or _unmarked_utf16(data)
    if encoding:
        data = data.decode(encoding, "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def is_utf8(data: bytes) -> bool:
    """Whether all of the bytes are UTF-8; decodes in pieces, so that it needs little memory."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(data[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def guess_encoding(data: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8; Western European when several fit equally.

    >>> guess_encoding("Где ближайший вокзал и сколько стоит билет?".encode("cp1251"))
    'cp1251'
    """
    from charset_normalizer import from_bytes  # only the rare file needs it

    matches = from_bytes(data[:_SAMPLE], cp_isolation=_CANDIDATES, enable_fallback=False)
    if not matches:
        return "cp1252"
    best = min((match.chaos, -match.coherence) for match in matches)
    fitting = {
        name
        for match in matches
        if (match.chaos, -match.coherence) == best
        for name in [match.encoding, *match.could_be_from_charset]
    }
    return next(name for name in [*_CANDIDATES, *sorted(fitting)] if name in fitting)


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a NUL in every other byte, and hardly one in the others."""
    sample = data[:4096]
    pairs = len(sample) // 2
    if pairs < 2 or len(data) % 2:
        return None
    for name, high, low in (
        ("utf-16-le", sample[1::2], sample[0::2]),
        ("utf-16-be", sample[0::2], sample[1::2]),
    ):
        if high.count(0) > 0.4 * pairs and low.count(0) < 0.05 * pairs:
            return name
    return None
