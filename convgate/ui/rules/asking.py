"""Ask the model about one exchange: only when a person says so, with what it took."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from convgate.errors import ConvgateError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.exchanges import exchanges_of
from convgate.gatekeeper.model_answer import Answer
from convgate.ui.rules import state
from convgate.ui.rules.looked import Row
from convgate.ui.rules.work import Work
from convgate.ui.text import literal
from convgate.ui.wording import counted

_ASKED, _ANSWERS = "rules.asked", "rules.answers"
_REMEMBERED = 100  # answers


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said about an exchange, or why it said nothing."""

    answer: Answer | None
    problem: str  # empty when there is an answer
    seconds: float
    tokens: int


def draw_ask(work: Work, row: Row, key: str) -> None:
    """The button, in the modes that ask a model, and what was answered."""
    if work.app.settings.gatekeeper_mode not in ("hybrid", "llm"):
        return
    st.button(
        "Ask the model", key=f"rules.ask.{key}", type="tertiary", icon=":material/smart_toy:",
        on_click=_wish, args=((row.key, row.place),),
        help=f"Send this one exchange to {literal(work.app.settings.gatekeeper_model or 'the model')}",
    )  # fmt: skip


def draw_reply(work: Work, row: Row) -> None:
    """What the model answered about the exchange; asks it where a person just wished for that."""
    place, answers = (row.key, row.place), st.session_state.setdefault(_ANSWERS, {})
    if st.session_state.get(_ASKED) == place:
        del st.session_state[_ASKED]
        with st.spinner("The model is asked …"):
            answers[place] = _asked(work, row)
        while len(answers) > _REMEMBERED:
            answers.pop(next(iter(answers)))
    reply: Reply | None = answers.get(place)
    if reply is None:
        return
    took = f"{reply.seconds:.1f} s, {counted(reply.tokens, 'token')}"
    if reply.answer is None:
        st.caption(f":material/smart_toy: The model gave no decision ({took}): {literal(reply.problem)}.")
        return
    verdict = "● keep" if reply.answer.keep else "○ skip"
    category = literal(reply.answer.category.replace("_", " "))
    st.caption(
        f":material/smart_toy: The model says **{verdict}**, {category}: {literal(reply.answer.reason)}"
        f" ({took})"
    )


def _asked(work: Work, row: Row) -> Reply:
    from convgate.gatekeeper.model import LanguageModel  # only those who ask need it

    exchange = _whole(work, row)
    start = time.perf_counter()
    try:
        model = LanguageModel.of(work.app.settings)
    except ConvgateError as error:
        return Reply(None, str(error).rstrip("."), 0.0, 0)
    answer, problem = None, ""
    try:
        answer = model.ask(exchange)
    except ConvgateError as error:
        problem = str(error).rstrip(".")
    finally:
        model.close()
    tokens = model.use.prompt_tokens + model.use.completion_tokens
    return Reply(answer, problem, time.perf_counter() - start, tokens)


def _whole(work: Work, row: Row) -> Exchange:
    """The exchange with what was said before it."""
    return exchanges_of(work.app.conversation(row.key))[row.place].exchange


def _wish(place: tuple[str, int]) -> None:
    st.session_state[_ASKED] = place
    state.touched()
