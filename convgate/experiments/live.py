"""An experiment in an agent: each request is answered with what the arm of its session sends.

experiment = convgate.load_experiment("pilot")
selection = experiment.select(session_id, messages)
experiment.record(selection, answer=answer, seconds=seconds)
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import ExperimentError
from convgate.core.settings import Settings, resolve_settings
from convgate.embedding.base import Encoder
from convgate.experiments import arms
from convgate.experiments.arms import Arm, Experiment
from convgate.experiments.judge import Messages
from convgate.experiments.report import ExperimentReport, report
from convgate.experiments.selection import ArmMessages, ArmRequest, ArmSelectors
from convgate.experiments.trials import assign_session, record_trials
from convgate.store import Store
from convgate.store.experiments import NewTrial, Stratum
from convgate.traces import span, start_traces
from convgate.transcripts import to_messages, turns_from_messages


@dataclass(frozen=True, eq=False)
class ArmSelection:
    """What goes to the model for a request of an experiment."""

    arm: str
    messages: Messages  # to send: valid, in order
    tokens: int  # of `messages`
    session_id: str
    request_id: str
    conversation: Messages  # up to the message to answer
    sent: tuple[int, ...]  # indices of `conversation`


class LiveExperiment:
    """An experiment whose arms answer requests. Thread-safe; after a fork, load it again.

    Policies and encoders are loaded when an arm first needs them, and kept. Arms select as `convgate.load`
    does, without guardrails and their log.
    """

    def __init__(self, store: Store, experiment: Experiment, *, encoder: Encoder | None = None) -> None:
        self._store, self._experiment = store, experiment
        self._selectors = ArmSelectors(encoder)

    def select(
        self,
        session_id: str,
        messages: Iterable[Mapping[str, Any]],
        *,
        mode: str = "",
        difficulty: str = "",
        model: str = "",
        tenant: str = "",
        request_id: str | None = None,
    ) -> ArmSelection:
        """Return what the session's arm sends for the current message: the last from the user or a tool.

        messages: OpenAI-style dicts, oldest first; later ones are not sent. mode, difficulty, model, tenant:
        the stratum in which the first call assigns the session; later calls ignore them. request_id: the
        request's name in the experiment. An arm with matched tokens gets those that the control would send.

        Raises TranscriptError for messages that cannot be read, ConversationError when there are none, and
        ExperimentError when the experiment is deleted.
        """
        current, history = Conversation("live", turns_from_messages(messages)).find_current()
        conversation = Conversation("live", (*history.turns, current.turn))
        stratum = Stratum(mode, difficulty, model, tenant)
        arm = assign_session(self._store, self._experiment, session_id, stratum)
        with span("convgate.experiment", operation="retrieval") as attributes:
            budget = None
            if arm.limit == "matched":
                budget = self._send(self._experiment.control, conversation).tokens
            sent = self._send(arm, conversation, budget)
            attributes |= {
                "convgate.experiment": self._experiment.name,
                "convgate.arm": arm.name,
                "convgate.tokens_sent": sent.tokens,
                "gen_ai.conversation.id": session_id,
                "session.id": session_id,
            }
        return ArmSelection(
            arm=arm.name,
            messages=sent.messages,
            tokens=sent.tokens,
            session_id=session_id,
            request_id=request_id or uuid.uuid4().hex,
            conversation=to_messages(conversation.turns),
            sent=tuple(sorted(sent.turns)),
        )

    def record(
        self, selection: ArmSelection, *, seconds: float, answer: str = "", passed: bool | None = None
    ) -> None:
        """Store the answered request as a trial.

        seconds: until the answer was complete. answer: stored with the conversation, for raters and the
        judge; without it, neither is stored. passed: whether an automatic test of the answer passed; None:
        there is none.

        Raises ExperimentError for a request that is recorded already, and when the experiment is deleted.
        """
        if not 0 <= seconds < math.inf:
            raise ExperimentError(f"seconds are 0 or more; got {seconds}.")
        trial = NewTrial(
            request_id=selection.request_id,
            session_id=selection.session_id,
            arm=selection.arm,
            latency_seconds=seconds,
            tokens=selection.tokens,
            answer_test=None if passed is None else "pass" if passed else "fail",
            messages=tuple(selection.conversation) if answer else (),
            answer=answer,
            sent=selection.sent if answer else None,
        )
        record_trials(self._store, self._experiment, [trial])

    def report(self) -> ExperimentReport:
        """Return the figures of each arm and the verdicts, of what is recorded and rated so far."""
        return report(self._store, self._experiment)

    def _send(self, arm: Arm, conversation: Conversation, budget: int | None = None) -> ArmMessages:
        return ArmRequest(self._selectors.load(arm), conversation).send(budget)


def load_experiment(
    name: str, *, settings: Settings | str | Path | None = None, encoder: Encoder | None = None
) -> LiveExperiment:
    """Return a stored experiment, ready to select.

    settings: of the database and the machine, or the path of a settings file; the arms keep their own.
    encoder: replaces those that the arms name.

    Raises ExperimentError when there is no such experiment.
    """
    settings = resolve_settings(settings)
    store = Store(settings.database)
    start_traces(settings)
    return LiveExperiment(store, arms.load_experiment(store, name, settings), encoder=encoder)
