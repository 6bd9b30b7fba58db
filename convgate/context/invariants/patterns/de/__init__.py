"""German."""

from convgate.context.invariants.patterns.de.changes import CHANGES, ENDINGS
from convgate.context.invariants.patterns.de.dangers import DANGERS
from convgate.context.invariants.patterns.de.errors import ERRORS
from convgate.context.invariants.patterns.de.norms import NORMS
from convgate.context.invariants.patterns.de.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.de.safety import SAFETY
from convgate.context.invariants.patterns.de.slips import SLIPS
from convgate.context.invariants.patterns.de.without_force import WITHOUT_FORCE

PATTERNS = (*OBLIGATIONS, *NORMS, *SAFETY, *DANGERS, *CHANGES, *ENDINGS, *SLIPS, *WITHOUT_FORCE, *ERRORS)
