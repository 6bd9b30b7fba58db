"""JSON in and out of frozen dataclasses: what does not fit is refused with the name of the field."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError

from convgate.core.errors import GateError
from convgate.core.text import quote, truncate

STORED = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, revalidate_instances="always")
"""For every dataclass that is stored; pydantic does not hand it down from the outer to the inner ones."""

Text = Annotated[str, Field(max_length=10_000)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Whole = Annotated[int, Field(ge=-(10**15), le=10**15)]
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
"""Wide, and narrow enough that no page has trouble with what a file says."""

_MAX_PROBLEMS = 3  # problems that one error names

T = TypeVar("T")


def parse(kind: TypeAdapter[T], content: bytes, where: str) -> T:
    """The object in the JSON; GateError naming `where` and each field that is unknown, missing or wrong."""
    try:
        return kind.validate_json(content)
    except ValidationError as error:
        raise _misfit(where, error) from error
    except GateError as error:  # of a dataclass that checks itself
        raise GateError(f"{where}: {error}") from error


def dump(kind: TypeAdapter[T], value: T, where: str) -> bytes:
    """Return the object as JSON; GateError when it could not be read again."""
    try:
        return kind.dump_json(kind.validate_python(value), indent=2) + b"\n"
    except ValidationError as error:
        raise _misfit(where, error) from error
    except PydanticSerializationError as error:  # text that UTF-8 cannot hold
        raise GateError(f"{where}: {error}") from error


def _misfit(where: str, error: ValidationError) -> GateError:
    details = error.errors(include_url=False, include_context=False)
    problems = "; ".join(map(describe_problem, details[:_MAX_PROBLEMS]))
    return GateError(f"{where}: {problems}" + ("; …" if len(details) > _MAX_PROBLEMS else ""))


def describe_problem(detail: ErrorDetails) -> str:
    """Return one problem that pydantic found, as `field a.b: what is wrong; got 5`."""
    field = f"field {truncate('.'.join(map(str, detail['loc'])), 100)}: " if detail["loc"] else ""
    got = "" if detail["type"] in ("missing", "json_invalid") else f"; got {quote(detail['input'])}"
    return f"{field}{detail['msg']}{got}"
