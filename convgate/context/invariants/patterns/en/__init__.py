"""English."""

from convgate.context.invariants.patterns.en.changes import CHANGES
from convgate.context.invariants.patterns.en.endings import ENDINGS
from convgate.context.invariants.patterns.en.errors import ERRORS
from convgate.context.invariants.patterns.en.facts import FACTS
from convgate.context.invariants.patterns.en.limits import LIMITS
from convgate.context.invariants.patterns.en.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.en.prohibitions import PROHIBITIONS
from convgate.context.invariants.patterns.en.subjects import SUBJECTS
from convgate.context.invariants.patterns.en.without_force import WITHOUT_FORCE

PATTERNS = (
    *OBLIGATIONS,
    *PROHIBITIONS,
    *LIMITS,
    *FACTS,
    *SUBJECTS,
    *CHANGES,
    *ENDINGS,
    *WITHOUT_FORCE,
    *ERRORS,
)
