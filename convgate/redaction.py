"""Masking of secrets in conversations: keys, tokens, passwords, credentials in addresses.

    redactor = Redactor()
    conversation = redactor.redact(conversation)
    redactor.summary    # "Masked 2 secrets: AWS Access Key (1), Private Key (1)."

The patterns are those of detect-secrets and a few for newer keys; its verification of secrets over the
network is not used. A secret of another form is not found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from convgate.conversation import Conversation, Turn

_WINDOW, _STEP = 8_000, 4_000
"""Characters of a line that are searched at once, and from one window to the next: some patterns take time
that is quadratic in the length of a line."""

_NOT_SECRET = frozenset({"IPPublicDetector"})
"""Detectors that are left out: public addresses are not secret, and version numbers look like them."""

_MORE = {
    "OpenAI Token": re.compile(r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}"),
    "Anthropic Token": re.compile(r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    "Google API Key": re.compile(r"\bAIza[A-Za-z0-9_-]{35}"),
    "GitHub Token": re.compile(r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    "Hugging Face Token": re.compile(r"\bhf_[A-Za-z0-9]{30,}"),
}
"""Keys that are often pasted into chats and that the library does not know, by kind."""

_PRIVATE_KEY = "Private Key"
_PRIVATE_KEYS = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!-)[^-]*+)*+-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:[ \t\r]*+(?:\n|\\n|\\r))++(?:[A-Za-z-]++: [^\n]*+|[A-Za-z0-9+/=]++(?=\s|\\|\Z)))*+)"  # cut off
    r"|PuTTY-User-Key-File-\d+:(?s:.*?)(?:Private-MAC: *[0-9a-f]+|\Z)"
)
_TOKEN = re.compile(r"[\s=:\"'`]*+([^\s\"'`\\<>@&,;(){}\[\]]++)")
_QUOTED = {quote: re.compile(rf"((?:\\.|[^\\{quote}])++)") for quote in "'\"`"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Detector:
    """A pattern of the library; in which of its groups the secret begins."""

    kind: str
    pattern: re.Pattern[str]
    group: int
    is_assigned: bool = False  # the value of a name such as `password`, with or without quotes
    is_random: Callable[[str], bool] = lambda _: True

    def spans(self, line: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Where the secrets are that are found between two places; each as long as it is in the line."""
        while match := self.pattern.search(line, start, stop):
            first = match.start() if match[self.group] is None else match.start(self.group)
            quoted = _QUOTED.get(line[first - 1 : first]) if self.is_assigned else None
            value = (quoted or _TOKEN).match(line, first)
            start = max(match.start() + 1, value.end() if value else 0)
            if value and self.is_random(value[1]):
                yield value.span(1)


class Redactor:
    """Masks secrets, and counts them by their kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    @property
    def summary(self) -> str:
        """What was masked so far, as a sentence."""
        total = self.counts.total()
        kinds = ", ".join(f"{kind} ({count:,})" for kind, count in self.counts.most_common())
        return f"Masked {total:,} secret{'' if total == 1 else 's'}{': ' if kinds else ''}{kinds}."

    def redact(self, conversation: Conversation) -> Conversation:
        """The conversation with `[redacted: KIND]` in place of each secret; turns keep their places."""
        return replace(
            conversation,
            title=self.mask(conversation.title),
            metadata=self.mask(conversation.metadata),
            turns=tuple(self._turn(turn) for turn in conversation.turns),
        )

    def mask(self, value: T) -> T:
        """The value with its texts masked, those in lists and mappings too."""
        masked: T
        masked, counts = _masked(value)
        self.counts += counts
        return masked

    def _turn(self, turn: Turn) -> Turn:
        shown = [*(part.text for part in turn.parts), *(call.arguments for call in turn.tool_calls)]
        (texts, metadata), counts = _masked((shown, turn.metadata))
        source, in_source = _masked(turn.source)
        self.counts += counts | in_source  # a source repeats what is shown
        parts = tuple(replace(part, text=text) for part, text in zip(turn.parts, texts, strict=False))
        calls = tuple(
            replace(call, arguments=text)
            for call, text in zip(turn.tool_calls, texts[len(parts) :], strict=True)
        )
        return replace(turn, parts=parts, tool_calls=calls, metadata=metadata, source=source)


def _masked(value: Any) -> tuple[Any, Counter[str]]:
    counts: Counter[str] = Counter()

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return _mask_text(value, counts)
        if isinstance(value, Mapping):
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(walk, value))
        return value

    return walk(value), counts


def _mask_text(text: str, counts: Counter[str]) -> str:
    def private_key(_: re.Match[str]) -> str:
        counts[_PRIVATE_KEY] += 1
        return _mask(_PRIVATE_KEY)

    text = _PRIVATE_KEYS.sub(private_key, text)
    return "".join(_mask_line(line, counts) for line in text.splitlines(keepends=True))


def _mask_line(line: str, counts: Counter[str]) -> str:
    found = {
        (*span, (order, detector.kind))
        for start in range(0, max(1, len(line) - _STEP), _STEP)
        for order, detector in enumerate(_detectors())
        for span in detector.spans(line, start, start + _WINDOW)
    }
    merged: list[tuple[int, int, tuple[int, str]]] = []
    for start, end, kind in sorted(found):
        if merged and start < merged[-1][1]:
            first, last, other = merged.pop()
            start, end, kind = first, max(last, end), min(other, kind)
        merged.append((start, end, kind))
    pieces, after = [], 0
    for start, end, (_, name) in merged:
        counts[name] += 1
        # A number in JSON becomes a text, so that JSON stays JSON.
        quote = '"' if line[max(0, start - 9) : start].rstrip().endswith('":') else ""
        pieces += [line[after:start], quote, _mask(name), quote]
        after = end
    return "".join([*pieces, line[after:]])


def _mask(kind: str) -> str:
    return f"[redacted: {kind}]"


@cache
def _detectors() -> tuple[_Detector, ...]:
    """Those of the library, the most specific first."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins import keyword
    from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector
    from detect_secrets.plugins.high_entropy_strings import HighEntropyStringsPlugin

    specific = [_Detector(kind, pattern, 0) for kind, pattern in _MORE.items()]
    random: list[_Detector] = []
    plugin_classes: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    for kind, plugin_class in plugin_classes.items():
        if kind == _PRIVATE_KEY or plugin_class.__name__ in _NOT_SECRET:
            continue
        plugin = plugin_class()
        if isinstance(plugin, RegexBasedDetector):
            specific += [_Detector(kind, pattern, min(1, pattern.groups)) for pattern in plugin.denylist]
        elif isinstance(plugin, HighEntropyStringsPlugin):
            random.append(_Detector(kind, plugin.regex, 2, is_random=_above_limit(plugin)))
    patterns = {
        **keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP,
        **keyword.CONFIG_DENYLIST_REGEX_TO_GROUP,
    }
    assigned = [
        _Detector(keyword.KeywordDetector.secret_type, pattern, group, is_assigned=True)
        for pattern, group in patterns.items()
    ]
    return (*specific, *assigned, *random)


def _above_limit(plugin: Any) -> Callable[[str], bool]:
    return lambda text: bool(plugin.calculate_shannon_entropy(text) > plugin.entropy_limit)
