"""Labels together with a set that was exported of them: what is there twice is told, and counted once."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.labels.exchange import write_labels
from convgate.settings import load_settings
from convgate.store import Answer, Conversations, Labels, NewConversation, SituationKey, Store
from convgate.training.library import RelevanceSets
from convgate.ui import services
from tests.fakes import FakeEncoder

SHARED = "9 judged turns of exported are in my labels too; each counts once."
ANSWERS: dict[int, Answer] = {0: "relevant", 1: "not_relevant", 3: "relevant"}


@pytest.fixture
def home(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three labelled conversations, exported; one has grown and got another answer since."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    store = Store(load_settings().database)
    conversations, labels = Conversations(store), Labels(store)
    for number in range(3):
        random = np.random.default_rng(number)
        texts = [" ".join(random.choice(["lake", "boat", "tea", "rain"], 4)) for _ in range(8)]
        turns = [Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
        (added,) = conversations.add([NewConversation(Conversation("t", tuple(turns)))])
        labels.answer(SituationKey(added.key, 6), ANSWERS, by="Ada")
    RelevanceSets(convgate_home).add("exported", write_labels(store, "relevance-set"))
    labels.answer(SituationKey(added.key, 6), {4: "relevant"}, by="Ada")
    conversations.grow(added.key, [Turn.of("user", "and more")])
    return convgate_home


def captions(app: AppTest) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", one.value) for one in app.caption]


def test_what_labels_and_an_exported_set_share_is_told_and_counted_once(home: Path) -> None:
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    tune = app.switch_page("pages/3_Tune.py")
    tune.query_params["data"] = "@labels,exported"
    tune.run()
    assert not tune.exception
    assert SHARED in captions(tune)
    assert any("Of **10 labelled turns**, 7 matter." in one.value for one in tune.markdown)

    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    train = app.switch_page("pages/4_Train.py")
    train.session_state["train.sets"] = ["exported"]
    train.run()
    assert not train.exception
    assert SHARED in captions(train)
    assert not [one.value for one in train.info if "Label turns in" in one.value], "3 conversations, not 6"
