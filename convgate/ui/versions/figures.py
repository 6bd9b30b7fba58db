"""The figures of versions, all on the same labels, and whether one is better than the active one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from convgate.core.errors import GateError
from convgate.core.text import format_share, pluralize
from convgate.evaluation.comparison import compare_all
from convgate.evaluation.evaluate import pool_results
from convgate.evaluation.metrics import METRICS
from convgate.training.split import MIN_CONVERSATIONS
from convgate.ui.shared import scoring
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import few_conversations, plain_name, read_measured
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.results_cache import measure_policy
from convgate.ui.shared.tables import format_points, interval_cell
from convgate.versions.card import Metric
from convgate.versions.version import Version

FIGURES = {"answerable": "All needed sent", "missed": "Needed missed", "kept_token_share": "Tokens sent"}
"""The figures of the table by the names that `convgate evaluate` prints."""

CAUTION, DOUBT = "caution", "doubt"  # the cells of what to know before activating
_IS_BETTER = {"answerable": 1, "missed": -1, "kept_token_share": -1}  # the sign of a better difference
_MUCH_MORE = 0.1  # of the tokens


def measure_versions(
    app: App, shown: Sequence[Version], active: Version | None, data: str
) -> tuple[dict[str, dict[str, str]], str]:
    """Return the cells of each version, with the difference to the active one, and what they are measured on.

    Those that cannot be measured, such as versions of another encoder, are left out.
    """
    measured = read_measured(app, data)
    judged = {}
    for version in {each.name: each for each in (*shown, *([active] if active else []))}.values():
        with suppress(GateError):
            gate = scoring.load_gate(app, version_option(version.name))
            judged[version.name] = measure_policy(measured, gate)
    if not judged or not measured.set.cases:
        return {}, ""
    result = pool_results(judged)
    name = active.name if active and active.name in judged else None
    is_enough = result.conversations >= MIN_CONVERSATIONS
    differences = compare_all(result, baseline=name) if name and is_enough else {}
    cells = {}
    for other, policy in result.policies.items():
        changes = {metric: differences[other][metric] if other in differences else None for metric in FIGURES}
        cells[other] = {name: _format_figure(policy.overall[name], changes[name]) for name in FIGURES}
        cells[other][CAUTION] = _warn_of_tokens(
            policy.overall["kept_token_share"], changes["kept_token_share"]
        )
        if other in differences:
            cells[other][DOUBT] = doubt_better(changes)
        elif active:
            cells[other][DOUBT] = (
                "too few conversations to compare it"
                if name
                else "the active version cannot be measured here"
            )
    asked = int(next(iter(result.policies.values())).terms[:, 1, METRICS.index("answerable")].sum())
    words = (
        f"Measured on {pluralize(asked, 'message')} of {pluralize(result.conversations, 'conversation')} of"
        f" {plain_name(data)} that need earlier turns"
    )
    if name and asked:
        few = few_conversations(result.conversations)
        overall = result.policies[name].overall
        answered, sent = (
            format_share(overall[each].value or 0) for each in ("answerable", "kept_token_share")
        )
        words = (
            f"{name} is active: {answered} of {pluralize(asked, 'message')} {'gets' if asked == 1 else 'get'}"
            f" all that is needed, with {sent} of the tokens{few}. {words}"
        )
    return cells, words


def _warn_of_tokens(measured: Metric, difference: Metric | None) -> str:
    """Return that a version saves nothing, or much less than the active one; else nothing."""
    if measured.value is not None and format_share(measured.value) == "100%":
        return "sends everything, so it saves nothing"
    more = 0.0 if difference is None or difference.value is None else difference.value
    points = format_points(more).lstrip("+")
    return f"sends {points} points more of the tokens than the active version" if more >= _MUCH_MORE else ""


def doubt_better(changes: Mapping[str, Metric | None]) -> str:
    """Return why a version with these differences to the active one is not clearly better; empty if it is.

    A difference counts that is more than chance; of the tokens, one of `_MUCH_MORE` or more.
    """
    signs = {
        (change.value or 0) * sign > 0
        for metric, sign in _IS_BETTER.items()
        if (change := changes[metric]) and change.excludes_0
        if metric != "kept_token_share" or abs(change.value or 0) >= _MUCH_MORE
    }
    if signs == {True, False}:
        return "better than the active version in one figure, worse in another"
    if signs == {False}:
        return "worse than the active version"
    return "" if signs else "no clear difference to the active version"


def _format_figure(measured: Metric, difference: Metric | None) -> str:
    """Return a share and its difference as Markdown."""
    if measured.value is None:
        return "–"
    value = interval_cell(measured).replace(" :small", "  \n:small")
    if difference is None or difference.value is None:
        return value
    words = format_points(difference.value)
    return f"{value}  \n:small[{f'**{words}**' if difference.excludes_0 else words}]"
