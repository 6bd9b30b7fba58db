"""English."""

from convgate.context.invariants.patterns.en.changes import CHANGES, ENDINGS, WITHOUT_FORCE
from convgate.context.invariants.patterns.en.errors import ERRORS
from convgate.context.invariants.patterns.en.obligations import OBLIGATIONS
from convgate.context.invariants.patterns.en.safety import FACTS, SUBJECTS

PATTERNS = (*OBLIGATIONS, *FACTS, *SUBJECTS, *CHANGES, *ENDINGS, *WITHOUT_FORCE, *ERRORS)
