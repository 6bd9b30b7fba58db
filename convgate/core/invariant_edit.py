"""A person's change of an invariant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, StrictBool, with_config

EditedType = Literal["safety_requirement", "user_correction", "hard_constraint", "blocking_error"]
EditedState = Literal["active", "ended"]


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class InvariantEdit:
    """A change of one detected invariant, or an invariant that a person added. None: as detected."""

    of: str | None = None  # the text of the detected one, verbatim; None for an added one
    text: str | None = None  # required for an added one
    type: EditedType | None = None  # required for an added one
    scope: str | None = None  # "" for everything
    state: EditedState | None = None  # "active": holds, whatever is detected later; "ended": no longer
    pinned: StrictBool = False  # sent with every message, whatever its type, and nothing detected ends it

    @property
    def about(self) -> tuple[str | None, str | None]:
        """Return the invariant among those of its turn."""
        return self.of, self.text if self.of is None else None


Edits = Mapping[int, Sequence[InvariantEdit]]
"""Edits of invariants by the 0-based index of their turn."""
