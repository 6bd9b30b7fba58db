"""Changes of subject: where the gate and the vectors see one."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.embedding.base import Progress
from convgate.embedding.cache import default_encoder
from convgate.gate.model import Gate
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.subject_changes import _depths, change_features, cohesion, find_subject_changes
from tests.fakes import FakeEncoder

BAKERY = (
    "I run a small bakery and want a web page for pre-orders.",
    "You can use a hosted form, a shop system, or a custom page.",
    "What hosts would you look at?",
    "Netlify, Render, or a small server at Hetzner.",
    "and the second one?",
    "Render has a free static tier and web services from 7 dollars a month.",
    "My sister's birthday is on Saturday, any cake ideas?",
    "A lemon drizzle cake with elderflower cream, or a hazelnut torte.",
    "the first sounds nice, how long does it bake?",
    "The cake bakes for about 45 minutes at 175 degrees.",
    "thanks!",
    "You're welcome.",
    "what time does the football start tonight?",
    "I cannot look up live football schedules.",
)


@pytest.fixture
def gate() -> GatePolicy:
    """The shipped gate with the settings' encoder."""
    settings = load_settings()
    encoder = default_encoder(
        settings.encoder, home=settings.home, device=settings.device, dtype=settings.encoder_dtype
    )
    policy = build_policy("gate", settings, encoder)
    assert isinstance(policy, GatePolicy)
    return policy


def make_talk(*texts: str) -> Conversation:
    roles = ("user", "assistant")
    return Conversation("c", tuple(Turn.of(roles[n % 2], text) for n, text in enumerate(texts)))


@pytest.mark.shipped
@pytest.mark.usefixtures("convgate_home")
def test_a_cake_and_football_begin_subjects_and_follow_ups_and_thanks_none(gate: GatePolicy) -> None:
    changes = find_subject_changes(gate, make_talk(*BAKERY))
    assert changes.keys() >= {6, 12}
    assert all(0.6 <= share <= 1 for share in changes.values())
    assert not changes.keys() & {4, 8, 10}
    praised = find_subject_changes(gate, make_talk(*BAKERY[:6], "haha great, she'll love it", *BAKERY[7:]))
    assert 6 not in praised


@pytest.mark.shipped
@pytest.mark.usefixtures("convgate_home")
def test_a_message_that_returns_to_an_earlier_subject_begins_none(gate: GatePolicy) -> None:
    back = make_talk(*BAKERY, "back to the bakery web page: what did Render cost a month?", "7 dollars.")
    changes = find_subject_changes(gate, back)
    assert 14 not in changes
    assert not changes, "a session from the cake or the football on would not have the page"


@pytest.mark.usefixtures("convgate_home")
def test_without_a_second_message_of_the_user_nothing_changes(gate: GatePolicy) -> None:
    assert find_subject_changes(gate, make_talk(*BAKERY[:2])) == {}
    rows, features, logits = change_features(gate, make_talk(*BAKERY[:4]))
    assert (rows, features.shape, [len(each) for each in logits]) == ([2], (1, 2), [2])


def test_cohesion_compares_the_two_turns_on_either_side() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32)
    assert cohesion(vectors, 2) == 0
    assert cohesion(vectors, 1) == pytest.approx(0.5**0.5)
    assert cohesion(np.zeros((2, 2), dtype=np.float32), 1) == 0


def test_a_depth_reaches_to_the_next_peak_on_either_side() -> None:
    assert _depths([0.9, 0.5, 0.2, 0.6, 0.4]) == pytest.approx([0, 0.4, 1.1, 0, 0.2])


def test_the_turns_are_read_in_one_pass_that_reports_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[Progress | None] = []
    monkeypatch.setattr(
        GatePolicy, "encode_turns", lambda self, turns, progress=None: passes.append(progress)
    )

    def report(done: int, total: int) -> None: ...

    find_subject_changes(GatePolicy(Gate(), FakeEncoder()), make_talk(*BAKERY), progress=report)
    assert passes == [report]
