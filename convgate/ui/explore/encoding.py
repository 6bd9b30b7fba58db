"""Long conversations are encoded in the background, for all sessions together, with progress and cancel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import streamlit as st

from convgate.core.conversation import History, Turn
from convgate.embedding.base import Progress
from convgate.policies.base import EncoderMixin, Policy
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.results_cache import compute_once
from convgate.ui.shared.scoring import OpenMessage, encode_ahead

NEWEST = 128
"""Turns that are shown while the older ones are encoded: about a second's work on two cores."""

_CHUNK = 32  # turns encoded between two looks at whether to stop
_SOON = 0.3  # seconds in which the cache returns what it has
_STYLE = Path(__file__).with_name("encoding.css")
_NAME = "convgate-encoding"  # of the threads
_WAITED = "encoding.waited"  # the message that this session saw in part

Encode = Callable[[Sequence[Turn], Progress], object]


class _StoppedError(Exception):
    """The encoding was stopped."""


class BackgroundEncoding:
    """Encodes turns in the given order in a thread; what is encoded stays in the encoder's cache."""

    def __init__(self, turns: Sequence[Turn], order: Iterable[int], encode: Encode) -> None:
        self._turns, self._left, self._encode = turns, list(order), encode
        self._stopped, self._thread = Event(), Thread()
        self.start()
        self._thread.join(_SOON)

    @property
    def is_running(self) -> bool:
        """Whether turns are being encoded, and go on being."""
        return self._thread.is_alive() and not self._stopped.is_set()

    def count_left(self, history: History) -> int:
        """Return how many turns of the history are not encoded yet."""
        return sum(history.start <= turn < history.stop for turn in self._left)

    def start(self) -> None:
        """Encode what is left, unless that is being done."""
        if not self.is_running:
            before, self._stopped = self._thread, Event()
            self._thread = Thread(target=self._run, name=_NAME, args=(before, self._stopped), daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop after the batch that is being encoded, and do not wait for it."""
        self._stopped.set()

    def close(self) -> None:
        """Stop, and wait for the batch that is being encoded."""
        self.stop()
        self._thread.join()

    def _run(self, before: Thread, stopped: Event) -> None:
        if before.ident is not None:
            before.join()

        def check(_done: int = 0, _total: int = 0) -> None:
            if stopped.is_set():
                raise _StoppedError

        with suppress(_StoppedError):
            while self._left:
                check()
                self._encode([self._turns[turn] for turn in self._left[:_CHUNK]], check)
                self._left = self._left[_CHUNK:]


def show_newest_first(page: Address[Any], message: OpenMessage, policy: Policy) -> OpenMessage:
    """Return the message with its encoded history: the newest turns while older ones are being encoded."""
    if not isinstance(policy, EncoderMixin) or len(message.conversation) <= 2 * NEWEST:
        encode_ahead(message, policy)
        draw_encoding(page, message, None)
        return message
    history, encoder = message.history, policy.encoder
    newest = replace(message, history=replace(history, start=max(0, history.stop - NEWEST)))
    turns = list(newest.history)
    compute_once(
        f"encoded {message.key} {newest.history.start}-{history.stop} {encoder.identity!r}",
        lambda report: policy.encode_turns(turns, progress=partial(report, "Encoding the newest turns")),
    )

    order = (*reversed(range(history.stop)), *range(history.stop, len(message.conversation)))
    key = f"{message.key} {encoder.identity!r} {id(encoder)}"
    encoding = encode_in_background(key, message.conversation.turns, order, policy.encode_turns)
    part = f"Scores, threshold and decisions are of the newest {NEWEST} turns."
    is_partial = draw_encoding(page, message, encoding if newest.history.start else None, part)
    return newest if is_partial else message


def read_all(page: Address[Any], message: OpenMessage, encode: Encode, key: str) -> bool:
    """Encode all turns up to the message, and return whether they are; key: what `encode` depends on."""
    history, turns = message.history, message.conversation.turns
    if len(history) <= 2 * NEWEST:
        compute_once(
            f"read {message.key} {history.stop} {key}",
            lambda report: encode(history.turns, partial(report, "Encoding turns for the first time")),
        )
        return not draw_encoding(page, message, None)
    encoding = encode_in_background(f"{message.key} {key}", turns, range(len(turns)), encode)
    return not draw_encoding(page, message, encoding, "The selection is shown when all are read.")


@st.cache_resource(max_entries=4, show_spinner=False, on_release=BackgroundEncoding.close)
def encode_in_background(
    key: str, _turns: Sequence[Turn], _order: Sequence[int], _encode: Encode
) -> BackgroundEncoding:
    """Return the encoding of that key, begun when it was asked for first."""
    return BackgroundEncoding(_turns, _order, _encode)


def draw_encoding(
    page: Address[Any], message: OpenMessage, encoding: BackgroundEncoding | None, part: str = ""
) -> bool:
    """Draw how much of the history is encoded, and return whether any is not; part: what is shown so far.

    The line stays when all is encoded, so that nothing below it moves.
    """
    is_partial = encoding is not None and encoding.count_left(message.history) > 0
    with st.container(key="encoding"):
        st.html(_STYLE)
        if encoding is not None and is_partial:
            st.session_state[_WAITED] = message.labelled
            every = "1s" if encoding.is_running else None
            st.fragment(_draw_progress, run_every=every)(page, message.history, encoding, part)
        elif st.session_state.get(_WAITED) == message.labelled:
            with st.container(key="encoding-done"):
                st.caption(f":material/check: All {len(message.history):,} earlier turns are read.")
    return is_partial


def _draw_progress(page: Address[Any], history: History, encoding: BackgroundEncoding, part: str) -> None:
    page.rerun_after_action()
    left, total = encoding.count_left(history), len(history)
    if not left:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="encoding-line"):
        state = "Reading older turns" if encoding.is_running else "Read"
        st.progress((total - left) / total, text=f"{state}: {total - left:,} of {total:,}. {part}")
        if encoding.is_running:
            st.button("Cancel", key="encoding.cancel", icon=":material/close:", on_click=encoding.stop)
        else:
            st.button(
                "Read all turns", key="encoding.start", icon=":material/play_arrow:", on_click=_start,
                args=(page, encoding),
            )  # fmt: skip


def _start(page: Address[Any], encoding: BackgroundEncoding) -> None:
    page.touched()  # the whole page is drawn, with a fragment that runs again and again
    encoding.start()
