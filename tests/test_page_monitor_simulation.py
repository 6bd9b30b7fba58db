"""Monitor's simulation: it trips, falls back, recovers, step by step, and leaves the log alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.context.mode import MODES
from convgate.store import Store
from convgate.store.guard_states import GuardStates
from convgate.store.requests import Requests
from convgate.ui.library_add import samples
from tests.context_page import serve
from tests.fakes import FakeEncoder
from tests.monitor_page import (
    USUAL,
    address,
    ago,
    click,
    keys,
    log,
    now,
    opened,
    put_baseline,
    said,
    sound,
    store,
)

__all__ = ["store"]
OWN = {"on": "simulation", "from": "own", "rate": "240", "minutes": "60"}


def test_without_requests_it_says_what_logs_them_and_offers_the_simulation(
    store: Store, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(fake_encoder, monkeypatch)  # modes by single words, of the samples too
    app = opened()
    assert "No request is logged yet" in said(app)
    assert "convgate.load_context()" in app.code[0].value
    assert "monitor.set" not in keys(app)
    click(app, "monitor.simulate")
    assert address(app) == {
        "on": "simulation", "from": "samples", "toward": "DEBUGGING", "far": "0.15", "minutes": "90",
        "rate": "600",
    }  # fmt: skip
    told = said(app)
    assert "Shares of modes, as usual → when they have drifted: TASK " in told
    assert "All is well again" in told
    assert "The baseline" not in _origins(app), "there is none"


def test_drift_trips_falls_back_and_recovers_and_the_log_knows_nothing_of_it(store: Store) -> None:
    put_baseline(store)
    log(store, USUAL, end=now())
    before = GuardStates(store).baseline()
    app = opened(**OWN, step="6")
    assert "Minute 30: requests are as usual. **Nothing has tripped:**" in said(app)
    assert "**120 of 200** requests in the last hour" in said(app)
    assert "None so far." in said(app)

    sound(app.select_slider(key="monitor.step").set_value(24).run())
    assert address(app)["step"] == "24"
    assert "Minute 120: requests are drifting." in app.error[0].value
    assert "every request is built as GENERAL" in app.error[0].value
    assert "**0.148** nats" in said(app), "0.15, but for the smoothing of 240 requests"
    assert "until it is below 0.05" in said(app)
    assert "Ended:" not in said(app), "it lasts at that moment"

    last = max(app.select_slider(key="monitor.step").options, key=lambda one: int(one.split()[0]))
    assert last == "240 min"
    sound(app.select_slider(key="monitor.step").set_value(48).run())
    assert "step" not in address(app)
    assert not app.error
    assert "**All is well again:**" in said(app)
    assert "Ended: The modes of the last hour are" in said(app)

    assert Requests(store).count() == 300
    assert GuardStates(store).baseline() == before
    assert GuardStates(store).alerts(ago(days=3650), now()) == []
    sound(app.button_group(key="monitor.on").set_value(False).run())
    assert "All is well again" not in said(app)


def test_it_plays_step_by_step_until_the_end(store: Store) -> None:
    app = click(opened(**OWN), "monitor.play")
    told = [int(sound(app.run()).select_slider(key="monitor.step").value) for _ in range(3)]
    assert told == [3, 4, 5]
    click(app, "monitor.pause")
    assert "step" in address(app)
    held = app.select_slider(key="monitor.step").value
    assert sound(app.run()).select_slider(key="monitor.step").value == held
    sound(app.select_slider(key="monitor.step").set_value(47).run())
    click(app, "monitor.play")
    assert "step" not in address(app)
    assert "monitor.play" in keys(app), "it stops where it ends"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"rate": "120"}, "**120 of 200** requests in the last hour"),
        (
            {"shares": "100,0,0,0,0", "toward": "TASK"},
            "modes that drift toward TASK get at most 0.01 nats",
        ),
        ({"shares": "1,2,3", "far": "9"}, "five numbers up to 100, not all 0"),
        ({"rate": "1000000"}, "rate=1000000, which is not a whole number between 10 and 3,000"),
    ],
)
def test_what_cannot_trip_or_be_is_told(store: Store, query: Mapping[str, str], told: str) -> None:
    app = opened(**(OWN | query))
    assert told in said(app)
    assert not [one for one in app.error if "Drift has tripped" in one.value]


def test_each_parameter_changes_what_is_run(store: Store) -> None:
    app = opened(**OWN)
    start = said(app)
    for control in (
        app.slider(key="monitor.far").set_value(0.05),
        app.slider(key="monitor.minutes").set_value(30),
        app.number_input(key="monitor.rate").set_value(250),
        app.selectbox(key="monitor.toward").set_value("LEARNING"),
        app.number_input(key="monitor.share.TASK").set_value(80),
    ):
        sound(control.run())
    assert address(app) == {
        "on": "simulation", "from": "own", "shares": "80,15,20,10,15", "toward": "LEARNING", "far": "0.05",
        "minutes": "30", "rate": "250",
    }  # fmt: skip
    told = said(app)
    assert "Minute 240" in start
    assert "Minute 210" in told
    assert "None so far." in told, "0.05 nats are below the limit"
    assert "Above the limit, every request would be built as GENERAL." in told
    for mode in MODES:
        app.number_input(key=f"monitor.share.{mode}").set_value(0)
    assert address(sound(app.run()))["shares"] == "80,15,20,10,15", "of nothing there are no shares"


def test_the_samples_messages_are_counted_by_their_modes(
    store: Store, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from convgate.ui.monitor import sampled

    class TaskForEver:
        def classify(self, turns: list[object]) -> list[object]:
            asked.extend(turns)
            return [type("Found", (), {"mode": "TASK"})() for _ in turns]

    asked: list[object] = []
    monkeypatch.setattr(sampled, "mode_classifier", lambda app: TaskForEver())
    found = sampled.sampled_modes(None)  # type: ignore[arg-type]
    users = sum(
        turn.role == "user"
        for sample in samples(app_root() / "sample_conversations")
        for talk in sample.conversations
        for turn in talk.turns
    )
    assert found == {"TASK": users, "EXPLORATION": 0, "DEBUGGING": 0, "LEARNING": 0, "GENERAL": 0}
    assert len(asked) == users > 300


def _origins(app: AppTest) -> list[str]:
    return [one.content for one in app.button_group(key="monitor.origin").proto.options]
