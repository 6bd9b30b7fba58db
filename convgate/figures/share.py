"""The decisions about one message as an HTML file that opens without the app, to be attached to an issue.

Nothing in the file runs or loads: it has no script, and its content security policy allows only its own
style. Texts of transcripts are escaped; turns are counted from 1, as in the app.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import fields
from hashlib import sha256
from html import escape

from convgate.core.conversation import Conversation, CurrentMessage, Turn
from convgate.core.decisions import TurnDecision
from convgate.core.text import REPLACEMENT, format_threshold, isolate, pluralize, to_line, writable
from convgate.figures.hover import on_screen
from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.messages.tokens import turn_tokens
from convgate.selection.selection import Selection

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FIRST_WORDS = 160  # characters of a turn beside its decision


def write_html(conversation: Conversation, current: CurrentMessage, selection: Selection, policy: str) -> str:
    """Return the file: the message, then every earlier turn with its decision; dropped ones are folded.

    policy: the name of what selected, with its version.
    """
    decisions = selection.decisions
    title = _line(conversation.title or conversation.id, 120)
    number = "A question" if current.index is None else f"Message {current.index + 1:,}"
    threshold = decisions.threshold
    facts = [
        number,
        _line(policy, 120),
        f"{int(decisions.kept.sum()):,} of {pluralize(len(decisions), 'earlier turn')} kept",
        f"{selection.tokens:,} of {pluralize(selection.tokens_total, 'token')} sent",
        *([] if threshold is None else [f"threshold {format_threshold(threshold)}"]),
    ]
    start = int(decisions.indices[0]) if len(decisions) else 0
    tokens = turn_tokens(conversation.turns[start : start + len(decisions)])
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{' · '.join(facts)}</p>",
        *([f"<p>{_reason(decisions.because)}</p>"] if decisions.because else []),
        f"<section>{_name(current.turn)}{_text(current.turn)}</section>",
        *_draw_added(selection),
        *([f"<p>The first {pluralize(start, 'turn')} are not read.</p>"] if start else []),
        *(
            _draw_turn(conversation.turns[each.index], each, count)
            for each, count in zip(decisions, tokens.tolist(), strict=True)
        ),
        "<footer>Selected by convgate. This file is read only and has no scripts.</footer>",
    ]
    policy_of_content = (
        f"default-src 'none'; style-src '{_style_hash()}'; base-uri 'none'; form-action 'none'"
    )
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of_content}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(parts) + "\n</body>\n</html>\n"


def _draw_added(selection: Selection) -> Iterator[str]:
    """Yield the messages that are sent and are none of the turns; the last is the one to answer."""
    sent = list(zip(selection.sent, selection.places, strict=True))[:-1]
    for turn in (turn for turn, place in sent if place is None):
        yield f"<details open><summary><b>Added</b> {_name(turn)}</summary>{_text(turn)}</details>"


def _draw_turn(turn: Turn, decision: TurnDecision, tokens: int) -> str:
    kind, mark, is_open = ("kept", "●", " open") if decision.kept else ("dropped", "○", "")
    score = "" if decision.score is None else f" · {format_threshold(decision.score)}"
    return (
        f'<details class="{kind}"{is_open}><summary><b>{mark} Turn {decision.index + 1:,} · {kind}{score}</b>'
        f" {_name(turn)} <small>{pluralize(tokens, 'token')}</small>"
        f" <span>{_line(turn.scored_text, _FIRST_WORDS)}</span></summary>"
        f"<p>{_reason(decision.reason)}</p>{_text(turn)}</details>"
    )


def _name(turn: Turn) -> str:
    role = "" if turn.name is None else f" ({_line(turn.role, 40)})"
    return f"<i>{_line(turn.speaker, 60)}{role}</i>"


def _text(turn: Turn) -> str:
    text = _CONTROL.sub(REPLACEMENT, writable(turn.scored_text.strip()).replace("\r\n", "\n"))
    return f'<div dir="auto">{escape(text)}</div>' if text else "<p>No text.</p>"


def _line(text: str, limit: int) -> str:
    """Return the text on one line, whose direction of writing changes nothing around it."""
    return escape(isolate(_CONTROL.sub(REPLACEMENT, writable(to_line(text, limit)))))


def _reason(reason: str) -> str:
    return _line(on_screen(reason), 2_000)


def _colors(palette: Palette) -> str:
    names = {"background", "surface", "ink", "muted", "grid", "kept", "kept_text", "dropped"}
    colors = (
        f"--{each.name}: {getattr(palette, each.name)};" for each in fields(palette) if each.name in names
    )
    return " ".join(colors)


_STYLE = f"""
:root {{ {_colors(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_colors(DARK)} }} }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 1.5rem auto; padding: 0 1rem;
  background: var(--background); color: var(--ink); overflow-wrap: anywhere; }}
h1 {{ font-size: 1.4rem; margin: 0; }}
p, footer {{ color: var(--muted); margin: 0.3rem 0; }}
div {{ white-space: pre-wrap; margin-top: 0.3rem; }}
i {{ font-style: normal; font-weight: 600; }}
section, details {{ margin: 0.5rem 0; padding: 0.4rem 0.8rem; border-left: 3px solid var(--grid); }}
section {{ background: var(--surface); border-left-color: var(--ink); margin: 1rem 0; }}
summary {{ cursor: pointer; }}
small, span {{ color: var(--muted); }}
details[open] > summary > span {{ display: none; }}
.kept {{ border-left-color: var(--kept); }}
.kept b {{ color: var(--kept_text); }}
.dropped {{ border-left: 3px dashed var(--dropped); padding-block: 0; }}
.dropped:not([open]) > summary {{ color: var(--muted); overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }}
"""


def _style_hash() -> str:
    return f"sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}"
