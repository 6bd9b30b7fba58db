"""English."""

from convgate.context.invariants.patterns.en.breakdowns import BREAKDOWNS
from convgate.context.invariants.patterns.en.ceilings import CEILINGS
from convgate.context.invariants.patterns.en.changes import CHANGES
from convgate.context.invariants.patterns.en.dangers import DANGERS
from convgate.context.invariants.patterns.en.endings import ENDINGS
from convgate.context.invariants.patterns.en.errors import ERRORS
from convgate.context.invariants.patterns.en.facts import FACTS
from convgate.context.invariants.patterns.en.information import INFORMATION
from convgate.context.invariants.patterns.en.lifting import LIFTING
from convgate.context.invariants.patterns.en.limits import LIMITS
from convgate.context.invariants.patterns.en.mistakes import MISTAKES
from convgate.context.invariants.patterns.en.norms import NORMS
from convgate.context.invariants.patterns.en.objections import OBJECTIONS
from convgate.context.invariants.patterns.en.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.en.prohibitions import PROHIBITIONS
from convgate.context.invariants.patterns.en.solved import SOLVED
from convgate.context.invariants.patterns.en.subjects import SUBJECTS
from convgate.context.invariants.patterns.en.symptoms import SYMPTOMS
from convgate.context.invariants.patterns.en.without_force import WITHOUT_FORCE

PATTERNS = (
    *OBLIGATIONS,
    *PROHIBITIONS,
    *LIMITS,
    *CEILINGS,
    *NORMS,
    *FACTS,
    *SYMPTOMS,
    *SUBJECTS,
    *DANGERS,
    *INFORMATION,
    *CHANGES,
    *MISTAKES,
    *OBJECTIONS,
    *ENDINGS,
    *LIFTING,
    *SOLVED,
    *WITHOUT_FORCE,
    *ERRORS,
    *BREAKDOWNS,
)
