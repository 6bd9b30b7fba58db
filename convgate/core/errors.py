"""Every error that convgate raises on purpose: what a page or a command shows instead of a traceback."""

from __future__ import annotations

from typing import ClassVar


class ConvgateError(Exception):
    """Base of all errors with a message meant for the person who uses convgate.

    code: names the kind of error; it stays the same when the wording changes.
    """

    code: ClassVar[str] = "error"


class TranscriptError(ConvgateError):
    """A transcript cannot be read; the message names file, line and field where they are known."""

    code = "transcript"

    def __init__(
        self, problem: str, *, file: str | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.problem, self.file, self.line, self.field = problem, file, line, field
        parts = (file, None if line is None else f"line {line}", f"field {field!r}" if field else None)
        place = ", ".join(part for part in parts if part)
        super().__init__(f"{place}: {problem}" if place else problem)


class ConfidenceError(TranscriptError):
    """A message states a confidence that is none; the field names the message by its index."""

    code = "confidence"


class ConversationError(ConvgateError):
    """A conversation was asked for a turn or a window that it does not have."""

    code = "conversation"


class EncoderError(ConvgateError):
    """An encoder cannot be loaded, or gave vectors that cannot be used."""

    code = "encoder"


class ClassifierError(ConvgateError):
    """The weights of a text classifier are missing or damaged, or have other labels."""

    code = "classifier"


class GateError(ConvgateError):
    """A gate was built, loaded or called with something that does not fit it."""

    code = "gate"


class ActiveVersionError(GateError):
    """The version of the gate that is in use is missing or damaged."""

    code = "active_version"


class PolicyError(ConvgateError):
    """A policy is unknown or has a setting out of its range."""

    code = "policy"


class RequestError(ConvgateError):
    """A request has an unknown intent, mode or section, a budget that is none, or a field that is wrong."""

    code = "request"


class EvaluationError(ConvgateError):
    """An evaluation was asked for that cannot be made or looked up."""

    code = "evaluation"


class ExperimentError(ConvgateError):
    """An experiment, an arm or a trial is missing, or cannot be what was asked for."""

    code = "experiment"


class StoreError(ConvgateError):
    """The database cannot be opened, read or written."""

    code = "store"


class LabellingPausedError(StoreError):
    """No new labels are asked for, because annotators agree too little; the message says what ends it."""

    code = "labelling_paused"


class DamagedError(StoreError):
    """The file of the database is damaged, or is no library of convgate; `detail` says how."""

    code = "damaged"

    def __init__(self, message: str, detail: str) -> None:
        self.detail = detail
        super().__init__(message)


class MissingResultError(StoreError):
    """No shortened tool result has the id."""

    code = "missing_result"


class ReadOnlyError(StoreError):
    """Something was to be written to a data folder that is in read-only mode."""

    code = "read_only"


class SettingsError(ConvgateError):
    """A setting is unknown or out of its range."""

    code = "settings"


class SessionError(ConvgateError):
    """A session, or a rule for where one begins, cannot be what was asked for."""

    code = "session"


class RolloutError(ConvgateError):
    """A rollout cannot be started or changed as was asked for."""

    code = "rollout"


class TrainingError(ConvgateError):
    """Training data cannot be read or learned from, or a run cannot be written or resumed."""

    code = "training"


class MissingExtraError(ConvgateError):
    """A package is missing that an extra of convgate installs; the message has the command."""

    code = "missing_extra"
