"""Settings: environment first, then `convgate.toml`, then defaults; checked once, all together.

| where | looks like |
|---|---|
| environment | `CONVGATE_DEVICE=cuda`, in a section `CONVGATE_BUDGET_TOKENS=8000` |
| `convgate.toml` in the home folder, or the file that `CONVGATE_CONFIG` names | `device = "cuda"` |
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from convgate.core.connections import EXPERIMENT_ENDPOINT, GATEKEEPER_ENDPOINT, Connection
from convgate.core.errors import SettingsError
from convgate.core.home import set_read_only
from convgate.core.text import clean_value, quote

PREFIX = "CONVGATE_"
FILE_NAME = "convgate.toml"

# Reading a key of n dotted parts takes time and memory in proportion to n², so lines are limited too.
_MAX_BYTES = 64 << 10  # of a settings file
_MAX_LINE_BYTES = 2_000
_MAX_PROBLEMS = 3  # problems that one error names
_SECRETS = ("guard.webhook", "server.token", "trace_endpoint")  # settings whose values no error quotes


def _default_home() -> Path:
    return platformdirs.user_data_path("convgate", appauthor=False)


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.expanduser().absolute()


class _Section(BaseModel):
    # pydantic-settings would read the environment too, but imports asyncio and more at every start.
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _clean(cls, value: Any, info: ValidationInfo) -> Any:
        is_text = cls.model_fields[info.field_name or ""].annotation not in (Path, Path | None)
        try:
            return clean_value(value) if is_text and not isinstance(value, BaseModel) else value
        except RecursionError:  # no setting is that deep; its type is refused next
            return value


class BudgetSettings(_Section):
    """How many tokens are sent, and what for."""

    tokens: int | None = Field(None, ge=0, le=10**9)  # of everything that is sent; else no limit
    by_mode: dict[str, dict[str, int]] = {}  # tokens by mode and section, in place of the table's
    filter: bool = True  # whether policy and mode drop turns that would fit
    intents: dict[str, str] = {}  # further intents by the mode that they ask for


class SessionSettings(_Section):
    """When a conversation begins and ends, and what is remembered of it."""

    idle_gap_seconds: float = Field(7_200, ge=0)  # inf: no gap ends a session
    continue_overrides_gap: bool = True  # whether "continue" goes on after a longer gap
    auto_close_on_workflow_complete: bool = True  # whether a finished piece of work ends a conversation
    new_commands: tuple[str, ...] = (
        "new conversation",
        "start fresh",
        "new topic",
        "fresh start",
    )  # begin a conversation
    continue_commands: tuple[str, ...] = ("continue", "keep going", "next", "resume")  # go on after a gap
    retention_days: float = Field(90, gt=0, le=36_500)  # days that a clean-up keeps ended sessions
    clean_up_at_start: bool = False  # whether old ended sessions are removed then
    summary_turns: int = Field(0, ge=0, le=1_000_000)  # turns between two summaries; 0: none
    # a language model at the gatekeeper's endpoint that summarizes; without one, turns are quoted
    summary_model: Annotated[
        str | None,
        Connection(
            GATEKEEPER_ENDPOINT, "with `session.summary_turns`: turns of stored conversations",
            ("sessions.summaries",),
        ),
    ] = Field(None, min_length=1)  # fmt: skip
    recall: int = Field(0, ge=0, le=100)  # notes of earlier sessions that may be sent


class ModelSettings(_Section):
    """A language model at an OpenAI-compatible endpoint."""

    model: str | None = Field(None, min_length=1)  # its name
    base_url: str | None = Field(None, min_length=1)  # else OPENAI_BASE_URL, else OpenAI's
    timeout_seconds: float = Field(10.0, gt=0, le=86_400)  # for one attempt
    retries: int = Field(2, ge=0, le=10)  # attempts after the first
    price_prompt: float = Field(0, ge=0, le=1e9)  # of a million tokens sent
    price_completion: float = Field(0, ge=0, le=1e9)  # of a million tokens answered


class GatekeeperSettings(ModelSettings):
    """What is worth storing; the language model is that of the modes hybrid and llm."""

    mode: Literal["pattern", "hybrid", "llm", "disabled"] = "pattern"  # or hybrid, llm, disabled
    rules: Path | None = None  # own rules (YAML); else gatekeeper.yaml in the home folder
    fail: Literal["open", "closed"] = "open"  # or closed: what is stored when nothing could decide
    greeting_length: int = Field(50, ge=0, le=1_000_000)  # characters; a greeting is shorter
    short_user: int = Field(20, ge=0, le=1_000_000)  # characters; a short exchange has fewer
    short_assistant: int = Field(100, ge=0, le=1_000_000)  # characters, of its answer
    model: Annotated[
        str | None,
        Connection(
            GATEKEEPER_ENDPOINT,
            "with `gatekeeper.mode` hybrid or llm: a user's message, its answer and up to 4 turns before"
            " them, shortened",
            ("gatekeeper.gatekeeper",),
        ),
    ] = Field(None, min_length=1)
    debug_log: Path | None = None  # a line of JSON for each decision, text included

    _expand = field_validator("rules", "debug_log")(_absolute)


class ExperimentSettings(ModelSettings):
    """The language model that answers, or judges answers."""

    model: Annotated[
        str | None,
        Connection(
            EXPERIMENT_ENDPOINT,
            "by `convgate experiment judge` and `replay --model`: whole conversations and answers",
            ("cli.experiment", "cli.offline_experiment"),
        ),
    ] = Field(None, min_length=1)
    timeout_seconds: float = Field(60.0, gt=0, le=86_400)  # for one attempt


class CostSettings(_Section):
    """What requests cost: for `convgate bill`, and for what agents send."""

    model: str | None = Field(None, min_length=1)  # whose prices decide what is sent; `-1h` for that cache
    prices: dict[str, float] = {}  # numbers in place of the table's, by its columns


class GuardSettings(_Section):
    """What is logged of requests, and when an alert opens."""

    log: bool = True  # whether requests with a budget are logged, without text; guardrails need it
    log_days: float = Field(30, gt=0)  # days that requests are kept; inf: no limit
    log_max_rows: int = Field(100_000, ge=1_000, le=10**9)  # requests that are kept at most
    drift_limit: float = Field(0.1, gt=0, le=1e9)  # KL divergence in nats
    drift_min_requests: int = Field(200, ge=1, le=1_000_000)  # requests of the last hour
    low_confidence_share: float = Field(0.3, gt=0, le=1)  # of requests whose mode is a guess
    low_confidence_minutes: float = Field(30, gt=0, le=525_600)  # in which they are counted
    low_confidence_min_requests: int = Field(50, ge=1, le=1_000_000)  # without an intent
    error_factor: float = Field(2, gt=1, le=1e9)  # errors of a mode over those of all
    error_min_outcomes: int = Field(20, ge=1, le=50)  # outcomes of the mode
    error_hours: float = Field(24, gt=0, le=8_760)  # that its outcomes may be old
    # Where alerts are posted as JSON; its address is often a secret.
    webhook: Annotated[
        str | None,
        Connection("that address", "alerts, without text of a conversation", ("guardrails.guardrails",)),
    ] = Field(None, pattern=r"^https?://", repr=False)


class ServerSettings(_Section):
    """`convgate serve` and its proxy."""

    # 16 to 200 letters, digits and `_.~-`, in addresses and headers; without one, a new one at each start
    token: str | None = Field(None, pattern=r"^[A-Za-z0-9_.~-]{16,200}$", repr=False)
    # base URL of an OpenAI-compatible API
    upstream: Annotated[
        str | None,
        Connection(
            "that API (also `convgate serve --upstream`)",
            "requests of your programs with the selected messages, their keys included",
            ("server.proxy",),
        ),
    ] = Field(None, pattern=r"^https?://")
    shadow: bool = False  # whether the proxy forwards requests unchanged, and only counts what it would send
    candidate: Path | None = None  # settings file of a rollout's candidate
    max_body_mb: int = Field(64, ge=1, le=2_000)  # MB of a request
    max_turns: int = Field(10_000, ge=1, le=1_000_000)  # turns of a conversation
    max_requests: int = Field(100, ge=1, le=100_000)  # at once, in each worker
    select_seconds: float = Field(5, gt=0, le=3_600)  # after which the proxy forwards everything
    upstream_seconds: float = Field(600, gt=0, le=86_400)  # without data from the upstream

    _expand = field_validator("candidate")(_absolute)


class Settings(_Section):
    """What a person can choose without touching code; use `load_settings`, which also reads the file.

    What is not given is taken from the environment.
    """

    home: Path = Field(default_factory=_default_home)  # database, embedding cache, gate versions
    encoder: str = Field("all-MiniLM-L6-v2", min_length=1)  # a sentence-transformers model or its folder
    encoder_dtype: Literal["auto", "float32", "bfloat16"] = "auto"  # auto: the faster of both on the device
    device: str = Field("cpu", pattern=r"^(cpu|mps|cuda(:\d+)?)$")  # cpu, mps, cuda or cuda:1
    threshold_rule: str | None = None  # else the gate's own rule
    threshold_parameters: dict[str, int | float | str] = {}  # by the rule's own parameter names
    min_turns: int = Field(0, ge=0, le=10_000)  # kept at least, whatever the rule says
    max_turns: int | None = Field(None, ge=0, le=10_000)  # kept at most
    version: str | None = Field(None, min_length=1)  # of the gate, by name; else the active one
    policy: str = Field("gate", min_length=1)  # what chooses turns unless another is named
    policy_parameters: dict[str, bool | int | float | str] = {}  # of that policy, by its own parameter names
    hold_invariants: bool = True  # whether turns that state what must hold are sent whatever is decided
    assistant_first: Literal["send", "quote"] = "send"  # or quote: what is said before a user's first message
    pair_answers: bool = False  # whether a question and its answer stay together
    elide: bool = False  # whether tool results that later turns replace are sent as stubs
    upload_limit_mb: int = Field(200, ge=1, le=2000)  # MB a file
    app_token: bool = True  # whether the app asks browsers for the token that it prints at its start
    read_limit_seconds: float = Field(120, gt=0, le=86_400)  # for reading a file of conversations or labels
    read_only: bool = False  # whether nothing in home is written, until the program ends
    # Where spans are posted by OTLP over HTTP, such as http://127.0.0.1:6006/v1/traces
    trace_endpoint: Annotated[
        str | None,
        Connection(
            "that address", "spans with scores and counts, without text of a conversation", ("traces",)
        ),
    ] = Field(None, pattern=r"^https?://", repr=False)

    budget: BudgetSettings = Field(default_factory=BudgetSettings)
    session: SessionSettings = Field(default_factory=SessionSettings)
    gatekeeper: GatekeeperSettings = Field(default_factory=GatekeeperSettings)
    experiment: ExperimentSettings = Field(default_factory=ExperimentSettings)
    costs: CostSettings = Field(default_factory=CostSettings)
    guard: GuardSettings = Field(default_factory=GuardSettings)
    server: ServerSettings = Field(default_factory=ServerSettings)

    _expand = field_validator("home")(_absolute)

    def __init__(self, **values: Any) -> None:
        super().__init__(**_merge(_environment(), values))

    def updated(self, **changes: Any) -> Settings:
        """Return the settings with changes; those of a section are a dict and leave its others as they are.

        >>> Settings(encoder="tiny").updated(policy="bm25", budget={"tokens": 900}).budget.tokens
        900
        """
        return type(self)(**_merge(dict(self), changes))

    @property
    def database(self) -> Path:
        """The file that holds the library."""
        return self.home / "convgate.db"


SECTIONS: Mapping[str, type[BaseModel]] = {
    name: field.annotation
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, _Section)
}
"""The classes of the settings' sections, by name."""


def setting_fields() -> dict[str, FieldInfo]:
    """Return every setting that has a value, by its name in a file, such as `budget.tokens`."""
    kinds: dict[str, type[BaseModel]] = {
        "": Settings,
        **{f"{name}.": kind for name, kind in SECTIONS.items()},
    }
    return {
        prefix + name: field
        for prefix, kind in kinds.items()
        for name, field in kind.model_fields.items()
        if prefix + name not in SECTIONS
    }


SELECTING: Mapping[str, Any] = {
    **dict.fromkeys(
        (
            *("encoder", "encoder_dtype", "threshold_rule", "threshold_parameters", "min_turns", "max_turns"),
            *("version", "policy", "policy_parameters", "hold_invariants", "assistant_first", "pair_answers"),
            *("elide", "costs", "budget"),
        ),
        True,
    ),
    "session": {
        *("idle_gap_seconds", "continue_overrides_gap", "auto_close_on_workflow_complete"),
        *("new_commands", "continue_commands", "recall"),
    },
    "gatekeeper": {"greeting_length", "short_user", "short_assistant"},
}
"""The settings on which what is sent depends, without paths, as `include` of `model_dump`."""


def load_settings(path: Path | None = None, *, base: Settings | None = None) -> Settings:
    """Return the settings of this machine and environment; `path` takes the place of the usual file.

    base: settings with this home, of which the file replaces some; the environment replaces none.
    With `read_only`, nothing in their home is written from then on. Raises SettingsError, with the key, the
    value and where it stands, for what is unknown or out of range.
    """
    file, values = _from_file(path)
    values = (
        _merge(values, _environment()) if base is None else _merge(dict(base), values | {"home": base.home})
    )
    try:
        settings = Settings(**values)
    except ValidationError as error:
        problems = (
            _problem(detail["loc"], detail["msg"], detail["input"], file, from_file=base is not None)
            for detail in error.errors()[:_MAX_PROBLEMS]
        )
        more = "; …" if error.error_count() > _MAX_PROBLEMS else ""
        raise SettingsError("; ".join(problems) + more) from error
    if settings.read_only:
        set_read_only(settings.home)
    return settings


def resolve_settings(settings: Settings | str | Path | None) -> Settings:
    """Return the settings, or those of a file; None: those of this machine. Errors as of `load_settings`."""
    if isinstance(settings, Settings):
        return settings
    return load_settings(None if settings is None else Path(settings))


def _from_file(path: Path | None) -> tuple[Path, dict[str, Any]]:
    named = path or (Path(os.environ[PREFIX + "CONFIG"]) if os.environ.get(PREFIX + "CONFIG") else None)
    home = Path(os.environ.get(PREFIX + "HOME") or _default_home()).expanduser()
    file = named or home / FILE_NAME
    try:
        with file.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES or max(map(len, content.split(b"\n"))) > _MAX_LINE_BYTES:
            raise SettingsError(
                f"the settings file {file} is too large: it may have {_MAX_BYTES >> 10} KB, and"
                f" {_MAX_LINE_BYTES:,} bytes a line; break long lists into lines"
            )
        return file, tomllib.loads(content.decode())
    except FileNotFoundError as error:
        if named:
            raise SettingsError(f"the settings file {file} does not exist") from error
        return file, {}
    except (OSError, ValueError, RecursionError) as error:  # no UTF-8, no TOML, too many digits, too deep
        raise SettingsError(f"the settings file {file} cannot be read: {str(error)[:200]}") from error


def _problem(
    place: tuple[int | str, ...], message: str, value: object, file: Path, *, from_file: bool
) -> str:
    names = place[:2] if place[0] in SECTIONS else place[:1]
    key = ".".join(map(str, names))
    if message.startswith("Extra inputs"):
        known = SECTIONS[str(place[0])] if place[0] in SECTIONS and len(place) > 1 else Settings
        return f"{file}: there is no setting {quote(key)}; there are {', '.join(known.model_fields)}"
    inner = "".join(f"[{part}]" for part in place[len(names) :] if isinstance(part, int))
    is_variable = not from_file and os.environ.get(_variable(key))
    where = _variable(key) if is_variable else f"{file}, {key}"
    got = "" if key in _SECRETS else f"; got {quote(value)}"
    return f"{where}{inner}: {message}{got}"


def _merge(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with those of `over` in their place, section by section."""
    merged = {**values, **over}
    for name in SECTIONS.keys() & values.keys() & over.keys():
        below, above = _as_mapping(values[name]), _as_mapping(over[name])
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged[name] = {**below, **above}
    return merged


def _as_mapping(section: Any) -> Any:
    return dict(section) if isinstance(section, BaseModel) else section


def _environment() -> dict[str, Any]:
    """Return what the environment sets, by names and sections."""
    values: dict[str, Any] = {}
    for key, field in setting_fields().items():
        if text := os.environ.get(_variable(key)):
            section, _, name = key.rpartition(".")
            place = values.setdefault(section, {}) if section else values
            place[name] = _read_variable(_variable(key), text, field.annotation)
    return values


def _read_variable(variable: str, text: str, kind: Any) -> Any:
    """Return the value that the variable of a setting holds."""
    if get_origin(kind) not in (dict, tuple):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise SettingsError(f"{variable}: lists and tables are written as JSON there; {error}") from error


def _variable(key: str) -> str:
    return PREFIX + key.upper().replace(".", "_")
