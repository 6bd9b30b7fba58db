"""A version's card, `card.json`: what it was made of, how, by whom, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isnan
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, TypeAdapter, with_config

from convgate.core.errors import GateError, PolicyError
from convgate.core.validation import STORED, Count, Number, Text, Whole, dump, parse
from convgate.gate.files import CONFIG, WEIGHTS
from convgate.gate.rule import Rule
from convgate.gate.thresholds import RULES, Stricter, make_rule

CARD = "card.json"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]  # hexadecimal


def _check_scalar(value: JsonValue) -> JsonValue:
    match value:
        case list() | dict():
            raise ValueError("lists and objects cannot stand here")
        case str() if len(value) > 10_000:
            raise ValueError("text may have 10,000 characters")
        case int() | float() if not abs(value) <= 1e15:
            raise ValueError("numbers may be from -1e15 to 1e15")
    return value


Scalar = Annotated[JsonValue, AfterValidator(_check_scalar)]
Share = Annotated[float, Field(ge=0, le=1)]
Bounded = Field(max_length=1_000)  # entries
Moment = Annotated[
    AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(2100, 1, 1, tzinfo=UTC))
]


@with_config(STORED)
@dataclass(frozen=True)
class Parent:
    """The version that training started from: its name, and what its weights were."""

    name: Text
    sha256: Sha256


@with_config(STORED)
@dataclass(frozen=True)
class DataSet:
    """A file that was trained or calibrated on."""

    name: Text
    sha256: Sha256
    counts: Annotated[Mapping[Text, Count], Bounded]  # such as {"conversations": 120, "cases": 709}
    licence: Text
    attribution: Text


@with_config(STORED)
@dataclass(frozen=True)
class Training:
    """How the weights came about."""

    seed: Annotated[int, Field(ge=-(2**63), lt=2**64)]  # what torch takes
    epochs: Count  # that ran
    config: Annotated[Mapping[Text, Scalar], Bounded]
    libraries: Annotated[Mapping[Text, Text], Bounded]  # versions by name
    curves: Annotated[Mapping[Text, tuple[Number | None, ...]], Bounded]  # by epoch; None where undefined


@with_config(STORED)
@dataclass(frozen=True)
class Metric:
    """A measured value with its 95% interval over conversations; None where the cases do not define it."""

    value: Number | None
    low: Number | None = None
    high: Number | None = None

    @classmethod
    def of(cls, value: float, low: float, high: float) -> Metric:
        """Return a metric of numbers that are NaN where undefined."""
        return cls(*(None if isnan(number) else float(number) for number in (value, low, high)))

    @property
    def interval(self) -> list[float] | None:
        """[low, high], the JSON form."""
        return None if self.low is None or self.high is None else [self.low, self.high]

    @property
    def excludes_0(self) -> bool:
        """Of a difference: whether its whole interval lies on one side, so that it is hardly chance."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


Metrics = Annotated[Mapping[Text, Metric], Bounded]


@with_config(STORED)
@dataclass(frozen=True)
class MetricSet:
    """The metrics of the version with its own rule on one relevance set."""

    cases: Count
    conversations: Count
    metrics: Metrics  # by the names that `convgate evaluate` prints
    sha256: Sha256 | None = None  # of the cases and what is known about them; None: the set's name says which
    parent: Metrics = field(default_factory=dict)  # of the parent on the very same cases
    gain: Metrics = field(default_factory=dict)  # the version's less the parent's, paired; -1…1


@with_config(STORED)
@dataclass(frozen=True, kw_only=True)
class Draft:
    """What the maker of a version tells about it; GateError for a threshold rule that there is not."""

    threshold_rule: str = Stricter.name
    threshold_parameters: Annotated[Mapping[Text, Whole | Number | Text], Bounded] = field(
        default_factory=dict
    )
    parent: Parent | None = None
    data: Annotated[tuple[DataSet, ...], Bounded] = ()
    training: Training | None = None
    metrics: Annotated[Mapping[Text, MetricSet], Bounded] = field(
        default_factory=dict
    )  # by the name of the set
    limits: Annotated[tuple[Text, ...], Bounded] = ()  # sentences: what it is not good for
    note: Text = ""
    who: Text = ""

    def __post_init__(self) -> None:
        try:
            _ = self.rule
        except (PolicyError, TypeError) as error:
            name = "threshold_parameters" if self.threshold_rule in RULES else "threshold_rule"
            raise GateError(f"field {name}: {error}") from error

    @property
    def rule(self) -> Rule:
        """What decides with this version unless another rule is named."""
        return make_rule(self.threshold_rule, **self.threshold_parameters)


@with_config(STORED)
@dataclass(frozen=True, kw_only=True)
class Card(Draft):
    """A draft with what the weights themselves say, put in when a version is made."""

    format: Literal[1] = 1
    created: Moment
    weights_sha256: Sha256
    config_sha256: Sha256
    parameters: Count  # trainable numbers
    activation: Share  # of the residual gate
    learned_threshold: Share

    @property
    def sha256(self) -> dict[str, str]:
        """The digests of the gate's files, by name."""
        return {CONFIG: self.config_sha256, WEIGHTS: self.weights_sha256}

    def to_json(self) -> dict[str, Any]:
        """Return the card as plain JSON values."""
        values: dict[str, Any] = _KIND.dump_python(self, mode="json")
        return values

    def to_bytes(self) -> bytes:
        """Return the content of `card.json`; GateError naming the field that could not be read again."""
        return dump(_KIND, self, "the card")


def parse_card(content: bytes, where: str) -> Card:
    """Return the card of a `card.json`; GateError naming `where` and each field that does not fit."""
    return parse(_KIND, content, where)


_KIND = TypeAdapter(Card)
