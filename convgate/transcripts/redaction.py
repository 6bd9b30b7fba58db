"""Redaction of secrets in conversations: keys, tokens, passwords, credentials in addresses.

    redactor = Redactor()
    conversation = redactor.redact(conversation)
    redactor.summary    # "Redacted 2 secrets: AWS Access Key (1), Private Key (1)."

The patterns are those of detect-secrets and a few for newer keys; its verification of secrets over the
network is not used. A secret of another form is not found.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache, partial
from typing import Any, TypeVar

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.core.text import pluralize
from convgate.transcripts.formats.csv_table import ROW
from convgate.transcripts.formats.markdown import RAW

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
_KEYWORD = "Secret Keyword"
_PRIVATE_KEYS = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!-)[^-]*+)*+-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:[ \t\r]*+(?:\n|\\n|\\r))++(?:[A-Za-z-]++: [^\n]*+|[A-Za-z0-9+/=]++(?=\s|\\|\Z)))*+)"  # cut off
    r"|PuTTY-User-Key-File-\d+:(?s:.*?)(?:Private-MAC: *[0-9a-f]+|\Z)"
)
_TOKEN = re.compile(r"[\s=:\"'`]*+([^\s\"'`\\<>@&,;(){}\[\]]++)")
_UNQUOTED = re.compile(r"(\S++)")
_QUOTED = {quote: re.compile(rf"((?:\\.|[^\\{quote}])++)") for quote in "'\"`"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Detector:
    """A pattern of the library; in which of its groups the secret begins."""

    kind: str
    pattern: re.Pattern[str]
    group: int
    is_assigned: bool = False  # the value of a name such as `password`, with or without quotes
    is_random: Callable[[str], bool] | None = None  # checks what the pattern matched

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Where the secrets are, each as long as it is in the line."""
        end = 0
        for window in range(0, max(1, len(line) - _STEP), _STEP):
            start = max(window, end)
            while match := self.pattern.search(line, start, window + _WINDOW):
                first = match.start() if match[self.group] is None else match.start(self.group)
                extent = _QUOTED.get(line[first - 1 : first], _UNQUOTED) if self.is_assigned else _TOKEN
                value = extent.match(line, first)
                start = max(match.start() + 1, value.end() if value else 0)
                if value and (self.is_random is None or self.is_random(value[1])):
                    end = value.end()
                    yield value.span(1)


class Redactor:
    """Redacts secrets, and counts them by their kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    @property
    def summary(self) -> str:
        """What was redacted so far, as a sentence."""
        kinds = ", ".join(f"{kind} ({count:,})" for kind, count in self.counts.most_common())
        return f"Redacted {pluralize(self.counts.total(), 'secret')}{': ' if kinds else ''}{kinds}."

    def redact(self, conversation: Conversation) -> Conversation:
        """Return the conversation with `[redacted: KIND]` for each secret; turns keep their places."""
        counts, copies = Counter[str](), Counter[str]()
        redacted = replace(
            conversation,
            id=_redact(conversation.id, counts, "id"),
            title=_redact(conversation.title, counts),
            metadata=_redact(conversation.metadata, copies),
            turns=tuple(map(self._turn, conversation.turns)),
        )
        self.counts += counts | copies  # the metadata may repeat the id and the title
        return redacted

    def redact_text(self, text: T) -> T:
        """Return the text without its secrets."""
        redacted: T = _redact(text, self.counts)
        return redacted

    def _turn(self, turn: Turn) -> Turn:
        counts, copies = Counter[str](), Counter[str]()
        redacted: Turn = _redact(replace(turn, source=None), counts)
        redacted = replace(redacted, source=_redact(turn.source, copies))
        if turn.source is not None and turn.source.keys() <= {ROW, RAW}:
            # Cells and lines are without names that tell of secrets; writers make them anew from the fields.
            is_same = redacted == turn and redacted.source == turn.source
            redacted, copies = replace(redacted, source=turn.source if is_same else None), Counter()
        self.counts += counts | copies  # the source repeats what is shown
        return redacted


def _redact(value: Any, counts: Counter[str], name: str = "") -> Any:
    """Return the value without secrets; `name` is the key or field that holds it."""
    if isinstance(value, Mapping):
        redacted: dict[Any, Any] = {}
        for key, item in value.items():
            label = _redact(key, counts)
            if label in redacted:
                label = f"{label} {len(redacted) + 1}"  # two secrets of one kind: neither entry is lost
            redacted[label] = _redact(item, counts, str(key))
        return redacted
    if isinstance(value, list | tuple):
        items = [_redact(item, counts, name) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, Turn | ContentPart | ToolCall):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        names = {"also_answers": "id"}  # what holds ids
        return replace(value, **{key: _redact(held[key], counts, names.get(key, key)) for key in held})
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return value
    kind = _kind_by_name(name[-100:])
    if isinstance(value, str) and not name.lower().endswith("id"):
        kind = kind or _kind_if_random(value)
    if kind:
        counts[kind] += 1
        return _label(kind)
    return _redact_text(value, counts) if isinstance(value, str) else value


@lru_cache
def _kind_by_name(name: str) -> str | None:
    matches = (each.pattern.search(f'{name}="x"') for each in _detectors() if each.is_assigned)
    return _KEYWORD if any(matches) else None


def _kind_if_random(text: str) -> str | None:
    if len(text) > _WINDOW:
        return None
    for detector in _detectors():
        if detector.is_random and detector.pattern.fullmatch(f'"{text}"') and detector.is_random(text):
            return detector.kind
    return None


def _redact_text(text: str, counts: Counter[str]) -> str:
    try:
        data, data_counts = json.loads(text), Counter[str]()
        if isinstance(data, dict | list):
            redacted = _redact(data, data_counts)
            counts += data_counts
            return text if redacted == data else json.dumps(redacted, ensure_ascii=False)
    except (ValueError, RecursionError):
        pass  # no JSON, or nested too deeply
    text, n_keys = _PRIVATE_KEYS.subn(_label(_PRIVATE_KEY), text)
    counts += Counter({_PRIVATE_KEY: n_keys})
    return "".join(_redact_line(line, counts) for line in text.splitlines(keepends=True))


def _redact_line(line: str, counts: Counter[str]) -> str:
    spans = sorted(
        (start, end, order)
        for order, detector in enumerate(_detectors())
        for start, end in detector.spans(line)
    )
    merged: list[tuple[int, int, int]] = []  # overlapping spans as one, of the most specific kind
    for start, end, order in spans:
        if merged and start < merged[-1][1]:
            first, last, other = merged.pop()
            start, end, order = first, max(last, end), min(other, order)
        merged.append((start, end, order))
    pieces, after = [], 0
    for start, end, order in merged:
        kind = _detectors()[order].kind
        counts[kind] += 1
        pieces += [line[after:start], _label(kind)]
        after = end
    return "".join([*pieces, line[after:]])


def _label(kind: str) -> str:
    return f"[redacted: {kind}]"


@cache
def _detectors() -> tuple[_Detector, ...]:
    """Return those of the library, the most specific first."""
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
            random.append(_Detector(kind, plugin.regex, 2, is_random=partial(_is_random, plugin)))
    patterns = {**keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP, **keyword.CONFIG_DENYLIST_REGEX_TO_GROUP}
    assigned = [_Detector(_KEYWORD, pattern, group, is_assigned=True) for pattern, group in patterns.items()]
    return (*specific, *assigned, *random)


def _is_random(plugin: Any, text: str) -> bool:
    return bool(plugin.calculate_shannon_entropy(text) > plugin.entropy_limit)
