"""The decision of rules of one's own where they match, and of the built-in checks where they do not."""

from __future__ import annotations

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import by_own_rule
from convgate.gatekeeper.rules import Rules


def with_own(rules: Rules, built_in: GatekeeperDecision, exchange: Exchange) -> GatekeeperDecision:
    """What the rules decide about the exchange; where none matches, what the checks decided."""
    matches = rules.matches(exchange)
    return by_own_rule(built_in, matches, exchange) if matches else built_in
