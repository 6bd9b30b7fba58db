"""German."""

from convgate.context.invariants.patterns.de.changes import CHANGES, ENDINGS
from convgate.context.invariants.patterns.de.errors import ERRORS
from convgate.context.invariants.patterns.de.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.de.safety import SAFETY
from convgate.context.invariants.patterns.de.without_force import WITHOUT_FORCE

PATTERNS = (*OBLIGATIONS, *SAFETY, *CHANGES, *ENDINGS, *WITHOUT_FORCE, *ERRORS)
