"""French."""

from convgate.context.invariants.patterns.fr.changes import CHANGES, ENDINGS
from convgate.context.invariants.patterns.fr.dangers import DANGERS
from convgate.context.invariants.patterns.fr.errors import ERRORS
from convgate.context.invariants.patterns.fr.norms import NORMS
from convgate.context.invariants.patterns.fr.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.fr.safety import SAFETY
from convgate.context.invariants.patterns.fr.slips import SLIPS
from convgate.context.invariants.patterns.fr.without_force import WITHOUT_FORCE

PATTERNS = (*OBLIGATIONS, *NORMS, *SAFETY, *DANGERS, *CHANGES, *ENDINGS, *SLIPS, *WITHOUT_FORCE, *ERRORS)
