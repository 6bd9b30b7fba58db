"""Versions of the gate: weights with a card, written once, pointed at as active or baseline."""

from convgate.versions.card import Card, DataSet, Draft, Metric, MetricSet, Parent, Training
from convgate.versions.catalog import Listing, Versions
from convgate.versions.version import SHIPPED, UNTRAINED, Version, check_name, is_name, write_version

__all__ = [
    "SHIPPED",
    "UNTRAINED",
    "Card",
    "DataSet",
    "Draft",
    "Listing",
    "Metric",
    "MetricSet",
    "Parent",
    "Training",
    "Version",
    "Versions",
    "check_name",
    "is_name",
    "write_version",
]
