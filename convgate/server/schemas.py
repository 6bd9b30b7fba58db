"""Bodies of requests and responses, as /openapi.json describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

Message = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "description": "A message of a dialect, such as OpenAI's, or an item of the Responses API;"
            " returned as it was sent.",
            "properties": {
                "role": {"type": "string", "minLength": 1},
                "content": {"type": ["string", "array", "null"]},
            },
        }
    ),
]
SessionId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.:@-]+$")]
Index = Annotated[int, Field(ge=0, lt=2**31)]


class Body(BaseModel):
    """Base of request bodies: exact types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Select(Body):
    """Messages to select from: all of them, or with a session the new ones only."""

    messages: list[Message] = Field(
        [], description="Oldest first; the last from the user or a tool is answered."
    )
    session: SessionId | None = Field(None, description="Append the messages to the history of this session.")
    after: Index | None = Field(
        None, description="With a session: how many turns its history has; 409 when it has another number."
    )
    question: str | None = Field(None, description="The message to answer, if it is not among the messages.")
    budget: int | None = Field(None, ge=0, le=10**9, description="Tokens of everything that is sent.")
    intent: str | None = Field(
        None, description="What the message is for: the sections of a budget; an unknown intent is ignored."
    )
    pair_answers: bool | None = Field(None, description="Keep questions and their answers together.")
    capsules: list[str | Message] = Field([], description="Summaries by the caller.")
    request_id: str | None = Field(
        None, min_length=1, max_length=200, description="Its name for /v1/outcome."
    )


class Score(Body):
    """Messages to score."""

    messages: list[Message] = []
    session: SessionId | None = None
    after: Index | None = None
    question: str | None = None


class FeedbackLine(Body):
    """Whether earlier messages mattered; needs one of conversation, messages and session."""

    conversation: str | None = Field(None, description="The library's key.")
    messages: list[Message] | None = None
    session: SessionId | None = None
    turn: Index | list[Index] = Field(description="Earlier messages, from 0.")
    relevant: bool | None = Field(description="null removes what the source said before.")
    at: Index | None = Field(None, description="The message that was answered.")
    question: str | None = None
    source: str = Field("agent", min_length=1, max_length=200, description="The agent's name.")
    version: str | None = None
    how: Literal["explicit", "implicit"] = "explicit"


class Outcome(Body):
    """How a request ended whose `request_id` a response had."""

    request_id: str = Field(min_length=1, max_length=200)
    ok: bool = Field(description="Whether the answer was useful.")
    error: bool = Field(default=False, description="There was no answer; never with `ok`.")
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False, description="Until the answer.")


class ErrorReply(BaseModel):
    """An error."""

    code: str
    message: str


class SessionReply(BaseModel):
    """The history of a session."""

    id: str
    conversation: str  # key in the library
    turns: int  # the next `after`
    began: str | None  # why a new history began with these messages


class SelectReply(BaseModel):
    """A selection, as `convgate select --explain` prints it, and more; with a budget mode and sections."""

    model_config = ConfigDict(extra="allow")
    messages: list[dict[str, Any]]
    indices: list[int]
    decisions: list[dict[str, Any]]
    invariants: list[dict[str, Any]]
    tokens: int
    tokens_total: int
    missing_results: list[str]
    violations: list[str]
    elided: list[dict[str, Any]]  # tool results that are sent as stubs
    policy: str
    arm: str | None  # of a rollout
    request_id: str  # for /v1/outcome
    session: SessionReply | None


class ScoreReply(BaseModel):
    """Scores: null where the policy gives none."""

    policy: str
    rule: str
    threshold: float | None
    gate_activation: float | None
    turns: list[dict[str, Any]]
    session: SessionReply | None


class FeedbackReply(BaseModel):
    """What was stored."""

    changed: int  # labels that are new or different
    conversation: str | None
    at: int | None


class OutcomeReply(BaseModel):
    """The outcome that was recorded."""

    request_id: str
    ok: bool


class ResultReply(BaseModel):
    """The whole text of a tool result that was sent as a stub."""

    id: str
    text: str


class HealthReply(BaseModel):
    """The server answers."""

    status: Literal["ok"]
