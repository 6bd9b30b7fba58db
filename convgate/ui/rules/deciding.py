"""The decision of rules of one's own where they match, and of the built-in checks where they do not."""

from __future__ import annotations

from collections.abc import Sequence

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import by_own_rule
from convgate.gatekeeper.rules import OwnMatch
from convgate.gatekeeper.rules_reading import LISTS
from convgate.gatekeeper.statistics import BY_DEFAULT


def with_own(
    matches: Sequence[OwnMatch], built_in: GatekeeperDecision, exchange: Exchange
) -> GatekeeperDecision:
    """What is decided where these rules match, the first of which decides; without any the checks do."""
    return by_own_rule(built_in, matches, exchange) if matches else built_in


def is_own(decision: GatekeeperDecision) -> bool:
    """Whether a rule of one's own decided."""
    return decision.rule.startswith(tuple(f"{name}: " for name in LISTS))


def is_default(decision: GatekeeperDecision) -> bool:
    """Whether it is kept only because nothing says that it can be left out."""
    return decision.keep and decision.rule in BY_DEFAULT
