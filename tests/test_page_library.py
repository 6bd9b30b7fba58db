"""The page Library, one test per task."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import StoreError
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.policies.search import cached_words
from convgate.store import Addition, Conversations, NewConversation, Store
from convgate.training.library import RelevanceSets
from convgate.transcripts import TranscriptReader, open_transcript
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from convgate.ui.library import add
from convgate.ui.library.listing import PER_PAGE
from convgate.ui.shared import services
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.text import literal
from convgate.ui.shared.turn import turn_labels
from tests.page_app import downloads as downloads
from tests.page_app import go_back, new_app, page_text
from tests.test_transcripts_exports import FOLDER
from tests.test_transcripts_field_map import SAID, SHAPES

SECRET = "AKIA" + "Z7Q2" * 4  # made up


@pytest.fixture
def library(convgate_home: Path) -> AppTest:
    return new_app()


@pytest.fixture
def conversations(convgate_home: Path) -> Conversations:
    return Conversations(Store(load_settings().database))


@pytest.fixture
def opened_keys(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the conversations that the Library left for; Explore stays out of these tests."""
    keys: list[str] = []
    for module in ("add", "page"):
        monkeypatch.setattr(
            f"convgate.ui.library.{module}.open_conversation", lambda key, turn=None: keys.append(key)
        )
    return keys


def conversation(title: str, *texts: str) -> NewConversation:
    turns = tuple(Turn.of("user", text) for text in texts or ("Hello",))
    return NewConversation(Conversation(title, turns, title=title), "talk.json", tokens=10 * len(turns))


def chat(*texts: str, **fields: str) -> str:
    return json.dumps({"messages": [{"role": "user", "content": text} for text in texts], **fields})


def titles(app: AppTest) -> list[str]:
    """The conversations in the list, in its order."""
    links = [link for link in app.main.get("page_link") if "arrow" not in link.proto.icon]
    return [re.sub(r"\\|\u2060", "", link.proto.label.strip("*")) for link in links]


def counts(app: AppTest) -> str:
    return next(
        text for text in (caption.value for caption in app.caption) if re.match(r"\d+ conv.* token", text)
    )


def subheaders(app: AppTest) -> list[str]:
    return [element.value for element in app.subheader]


def test_the_first_start_offers_samples_and_one_click_opens_one(
    library: AppTest, conversations: Conversations, opened_keys: list[str]
) -> None:
    app = library.run()
    assert subheaders(app)[0] == "Start with a sample"
    assert conversations.find().total == 0

    app.button(key="sample-nothing_relevant.json").click().run()

    assert not app.exception
    [row] = conversations.find().rows
    assert (row.title, row.origin) == ("Nothing relevant", "nothing_relevant.json")
    assert opened_keys == [row.key]


def test_a_sample_adds_one_row_and_the_cards_stay_until_there_is_an_own_conversation(
    library: AppTest, conversations: Conversations, opened_keys: list[str]
) -> None:
    app = library.run()
    app.button(key="sample-nan_and_fibonacci.jsonl").click().run()
    [row] = conversations.find().rows
    assert (row.title, opened_keys) == ("NaN and Fibonacci: back to the NaN", [row.key])
    assert subheaders(app) == ["Start with a sample"]

    app.run()
    assert titles(app) == [row.title]
    assert subheaders(app) == ["Open another sample"]

    conversations.add([conversation("Mine")])
    app.run()
    assert subheaders(app) == []
    assert "Samples" in [expander.label for expander in app.expander], "still there, behind a click"


def test_all_samples_are_added_once(library: AppTest, conversations: Conversations) -> None:
    app = library.run()

    app.button(key="library.samples.all").click().run()

    added = conversations.find().total
    assert added >= 10
    assert app.success[0].value == f"Added {added} conversations."
    assert counts(app).startswith(f"{added} conversations · ")
    assert len(titles(app)) == PER_PAGE

    app.button(key="library.samples.all").click().run()
    assert conversations.find().total == added


def test_a_file_is_previewed_and_then_added(library: AppTest, conversations: Conversations) -> None:
    app = library.run()
    app.file_uploader[0].upload("trip.json", chat("Where to?", "To the sea.", title="A trip").encode()).run()

    summary = r"**trip\.json** · OpenAI chat messages · 2 turns\, 1 speaker\, 0 lines skipped"
    assert summary in [element.value for element in app.markdown]
    assert [element.value for element in app.text] == ["Where to?", "To the sea."]
    assert conversations.find().total == 0

    app.button(key="add-files").click().run()

    assert app.success[0].value == "Added “A trip”."
    assert titles(app) == ["A trip"]
    assert not app.text, "the place for files is empty again"
    [row] = conversations.find().rows
    assert (row.turns, row.origin) == (2, "trip.json")
    assert row.tokens is not None
    assert row.tokens > 2


def test_a_single_conversation_can_be_opened_at_once(
    library: AppTest, conversations: Conversations, opened_keys: list[str]
) -> None:
    app = library.run()
    app.file_uploader[0].upload("trip.json", chat("Where to?").encode()).run()

    app.button(key="open-files").click().run()

    assert opened_keys == list(conversations.keys())
    assert (app_root() / EXPLORE).is_file()


def test_what_was_asked_for_is_added_although_the_run_of_the_click_ends_early(
    library: AppTest, conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = library.run()
    app.file_uploader[0].upload("trip.json", chat("Where to?").encode()).run()
    draw_preview, interruptions = add._draw_preview, iter([st.rerun])

    def interrupted(*args: Any, **options: Any) -> Any:
        next(interruptions, lambda: None)()  # as another event of the browser does
        return draw_preview(*args, **options)

    monkeypatch.setattr(add, "_draw_preview", interrupted)
    app.button(key="add-files").click().run()

    assert len(conversations.keys()) == 1


def test_a_file_with_bad_lines_is_added_without_them_only_when_the_person_says_so(
    library: AppTest, conversations: Conversations
) -> None:
    lines = [
        chat("one"),
        '{"messages": [{"role": "us',
        chat("two"),
        '{"messages": [{"content": "x"}]}',
        chat("three"),
    ]
    app = library.run()
    app.file_uploader[0].upload("mixed.jsonl", "\n".join(lines).encode()).run()

    assert app.warning[0].value == "2 places cannot be read"
    assert "mixed.jsonl, line 2: " in app.text[0].value
    assert "mixed.jsonl, line 4, field 'messages[0].role'" in app.text[0].value
    assert "add-files" not in [button.key for button in app.button]

    app.toggle[0].set_value(True).run()
    assert "3 conversations" in app.toggle[0].label
    app.button(key="add-files").click().run()

    assert app.success[0].value == "Added 3 conversations."
    links = [link.proto.label.strip("*") for link in app.main.get("page_link") if "arrow" in link.proto.icon]
    assert links == ["three", "two", "one"], "the newest first"
    assert sorted(titles(app)) == ["one", "three", "two"]


def test_of_many_bad_places_all_are_counted(library: AppTest) -> None:
    app = library.run()
    app.file_uploader[0].upload("mixed.csv", b"role,text\nuser,Hi\n" + 2_000 * b"user\n").run()
    assert app.warning[0].value == "2,000 places cannot be read"
    assert "… and 1,990 more" in [caption.value for caption in app.caption]


def test_reading_ends_at_the_time_limit(library: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_READ_LIMIT_SECONDS", "1e-9")
    app = library.run()
    app.file_uploader[0].upload("long.csv", b"role,text\n" + 200 * b"user,Hi\n").run()
    assert "reading was stopped" in app.error[0].value
    assert "add-files" not in [button.key for button in app.button]


def test_a_run_that_is_stopped_stops_reading(library: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[BaseException] = []

    def open_stopped(*arguments: Any, **options: Any) -> TranscriptReader:
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        context.script_requests.request_stop()
        try:
            list(reader := open_transcript(*arguments, **options))
        except BaseException as error:
            ended.append(error)
            raise
        return reader

    monkeypatch.setattr("convgate.ui.library.add.open_transcript", open_stopped)
    app = library.run()
    app.file_uploader[0].upload("long.csv", b"role,text\n" + 200 * b"user,Hi\n").run()
    assert [type(one) for one in ended] == [StopException]


def test_a_file_that_is_no_transcript_is_reported_and_does_not_stop_the_others(library: AppTest) -> None:
    app = library.run()
    app.file_uploader[0].upload("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(200))
    app.file_uploader[0].upload("good.json", chat("Hi", title="Good").encode()).run()

    assert r"picture\.png" in app.error[0].value

    app.button(key="add-files").click().run()
    assert titles(app) == ["Good"]


def test_the_same_conversation_is_not_added_twice(library: AppTest, conversations: Conversations) -> None:
    app = library.run()
    app.file_uploader[0].upload("one.json", chat("Hi").encode())
    app.file_uploader[0].upload("copy of one.json", chat("Hi").encode()).run()

    app.button(key="add-files").click().run()

    assert app.success[0].value.startswith("Added “Hi”.")
    assert conversations.find().total == 1

    (key,) = conversations.keys()
    conversations.grow(key, [Turn.of("user", "and more")])
    app.file_uploader[0].upload("one.json", chat("Hi").encode()).run()
    app.button(key="add-files").click().run()

    assert "Nothing added" in app.success[0].value
    assert conversations.find().total == 1


def test_secrets_are_redacted_before_an_upload_is_kept(
    library: AppTest, conversations: Conversations
) -> None:
    app = library.run()
    app.file_uploader[0].upload("keys.json", chat(f"Use {SECRET}", title="Keys").encode()).run()
    assert not app.checkbox(key="redact-files").value
    app.checkbox(key="redact-files").check()
    app.button(key="add-files").click().run()

    (row,) = conversations.find().rows
    (turn,) = conversations.get(row.key).conversation.turns
    assert turn.text == "Use [redacted: AWS Access Key]"
    assert "AWS Access Key" in app.success[0].value


def test_a_download_is_redacted_where_that_is_chosen(
    library: AppTest, conversations: Conversations, downloads: dict[str, Any]
) -> None:
    (added,) = conversations.add([conversation("Keys", f"Use {SECRET}")])
    app = library.run()
    assert SECRET in downloads[f"download-{added.key}"]()
    app.checkbox(key=f"redact-{added.key}").check().run()
    assert SECRET not in downloads[f"download-{added.key}"]()


def test_a_path_on_the_machine_is_read_and_added(
    library: AppTest, conversations: Conversations, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(chat(f"Hi from {name}", title=name), encoding="utf-8")
    app = library.run()
    app.text_input(key="library.path.0").input(str(tmp_path)).run()
    assert any(r"2 conversations\, 2 turns" in element.value for element in app.markdown)
    app.button(key="add-path").click().run()
    assert sorted(row.title for row in conversations.find().rows) == ["one", "two"]
    app.text_input(key="library.path.1").input("/no/such/file").run()
    assert "cannot be opened" in app.error[0].value


def test_an_archive_with_files_in_several_formats_is_added_as_previewed(
    library: AppTest, conversations: Conversations
) -> None:
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("one.json", chat("Hi"))
        archive.writestr("two.csv", "role,text\nuser,Hello\n")
    app = library.run()
    app.file_uploader[0].upload("both.zip", content.getvalue()).run()
    assert any("OpenAI chat messages and CSV" in element.value for element in app.markdown)

    app.button(key="add-files").click().run()

    assert not app.error
    assert sorted(row.format for row in conversations.find().rows) == ["csv", "openai"]


def test_a_file_that_fits_several_formats_is_read_as_the_chosen_one(
    library: AppTest, conversations: Conversations
) -> None:
    names = ("langgraph_messages.json", "llama_index_buffer.json")
    lines = [json.dumps(json.loads((FOLDER / name).read_text())) for name in names]
    app = library.run()
    app.file_uploader[0].upload("both.jsonl", "\n".join(lines).encode()).run()
    for toggle in (False, True):  # the choice outlives further runs
        choice = next(box for box in app.selectbox if "several formats" in box.label)
        assert (choice.value == "llama-index") is toggle
        choice.select("llama-index").run()

    app.toggle[0].set_value(True).run()
    app.button(key="add-files").click().run()

    assert [row.format for row in conversations.find().rows] == ["llama-index"]


def test_a_list_in_no_known_format_is_added_by_its_fields(
    library: AppTest, conversations: Conversations
) -> None:
    text, _ = SHAPES["list"]
    content = text.replace("Helper", "Ida")  # nothing says that she is the assistant
    app = library.run()
    app.file_uploader[0].upload("list.json", content.encode()).run()

    assert not app.error
    boxes = {box.label: box for box in app.selectbox if (box.key or "").startswith("map-")}
    chosen = {label: box.value for label, box in boxes.items()}
    assert chosen == {
        "Text": "body", "Speaker": "from", "Assistant": "", "Time": "at", "Conversation": None,
    }  # fmt: skip
    assert "Not read: no" in [caption.value for caption in app.caption]
    assert [element.value for element in app.text] == list(SAID[:3])
    assert r"Mapped fields · 4 turns\, 2 speakers" in page_text(app).replace(",", r"\,")
    assert conversations.find().total == 0

    boxes["Assistant"].select("Ida").run()
    assert "Ida · assistant" in [caption.value for caption in app.caption]
    app.button(key="add-files").click().run()

    (row,) = conversations.find().rows
    said = [(turn.role, turn.name, turn.text) for turn in conversations.get(row.key).conversation.turns]
    assert said == [
        (("user", "assistant")[n % 2], ("Ana", "Ida")[n % 2], text) for n, text in enumerate(SAID)
    ]
    assert "Mapped fields" in page_text(app)


def test_a_list_without_a_speaker_is_added_only_once_its_text_is_chosen(
    library: AppTest, conversations: Conversations
) -> None:
    app = library.run()
    app.file_uploader[0].upload("list.json", json.dumps([{"a": "One is red"}, {"a": "Two"}]).encode()).run()
    assert "add-files" not in [button.key for button in app.button]
    assert not app.error  # the reason is above the fields
    assert "in no form that convgate reads" in page_text(app)
    next(box for box in app.selectbox if box.label == "Text").select("a").run()
    app.button(key="add-files").click().run()
    (row,) = conversations.find().rows
    assert row.turns == 2


@pytest.mark.parametrize("path", ["~nobody-of-this-name/chat.json", "x" * 5000], ids=["user", "long"])
def test_a_path_that_cannot_be_is_an_error(library: AppTest, path: str) -> None:
    app = library.run()
    app.text_input(key="library.path.0").input(path).run()
    assert not app.exception
    assert "cannot be opened" in app.error[0].value


def test_after_an_error_the_page_shows_how_much_was_added(
    library: AppTest, conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_one(library: Conversations, items: list[NewConversation]) -> list[Addition]:
        if library.keys():
            raise StoreError("The disk is full.")
        return add(library, items)

    add = Conversations.add
    monkeypatch.setattr(Conversations, "add", add_one)
    app = library.run()
    app.file_uploader[0].upload("three.jsonl", "\n".join(map(chat, ("one", "two", "three"))).encode()).run()

    app.button(key="add-files").click().run()
    assert app.error
    app.run()

    assert app.success[0].value.startswith("Added 1 of 3 conversations")


def test_a_person_says_which_speaker_is_the_assistant(library: AppTest, conversations: Conversations) -> None:
    app = library.run()
    app.file_uploader[0].upload("talk.csv", b"speaker,text\nAna,Hi\nZed,Hello\nAna,Bye\n").run()
    assert any(r"3 turns\, 2 speakers\, 0 lines skipped" in element.value for element in app.markdown)

    assistant = next(box for box in app.selectbox if box.label == "Which speaker is the assistant?")
    assistant.select("Zed").run()
    app.button(key="add-files").click().run()

    [row] = conversations.find().rows
    turns = conversations.get(row.key).conversation.turns
    assert [(turn.role, turn.speaker) for turn in turns] == [
        ("user", "Ana"),
        ("assistant", "Zed"),
        ("user", "Ana"),
    ]


def test_a_conversation_is_pasted_as_text(library: AppTest, conversations: Conversations) -> None:
    app = library.run()
    app.button(key="library.read").click().run()
    assert any("Paste a conversation" in caption.value for caption in app.caption)

    app.text_area[0].set_value("User: Where is the oasis?\nAssistant: Two days east.").run()
    assert [element.value for element in app.text] == ["Where is the oasis?", "Two days east."]
    app.button(key="add-text").click().run()

    assert titles(app) == ["Where is the oasis?"]
    assert app.text_area[0].value == ""
    assert conversations.find().rows[0].turns == 2


def test_search_narrows_the_list_and_its_counts(library: AppTest, conversations: Conversations) -> None:
    conversations.add(
        [
            conversation("Desert", "the oasis", "camels"),
            conversation("Sea", "the harbour"),
            conversation("Oasis hotel"),
        ]
    )
    app = library.run()
    assert counts(app) == "3 conversations · 4 turns · 40 tokens"

    app.text_input(key="library.search").set_value("oasis").run()
    assert counts(app) == "2 conversations found · 3 turns · 30 tokens"
    assert titles(app) == ["Desert", "Oasis hotel"]
    assert len(titles(go_back(app))) == 3

    app.text_input(key="library.search").set_value("oasis <b>").run()
    assert titles(app) == []
    assert any(r"oasis \<b\>" in element.value for element in app.markdown)

    next(button for button in app.button if button.label == "Clear the search").click().run()
    assert len(titles(app)) == 3


def test_the_list_is_filtered_by_workspace(library: AppTest, conversations: Conversations) -> None:
    conversations.add([conversation("of none")])
    assert "library.workspace" not in [box.key for box in library.run().selectbox]
    for workspace in ("shop", "lab"):
        talk = Conversation("", (Turn.of("user", f"in the {workspace}"),))
        conversations.add([NewConversation(talk, workspace=workspace)])
    app = library.run()
    app.selectbox(key="library.workspace").set_value("shop").run()
    assert titles(app) == ["in the shop"]
    app.selectbox(key="library.workspace").set_value("").run()
    assert set(titles(app)) == {"of none", "in the shop", "in the lab"}


def test_the_list_is_ordered_and_paged(library: AppTest, conversations: Conversations) -> None:
    conversations.add(conversation(f"{n:02d}", *["x"] * (20 - n)) for n in range(12))
    app = library.run()
    assert titles(app)[0] == "00"

    app.selectbox(key="library.order").set_value("Most turns").run()
    assert titles(app) == [f"{n:02d}" for n in range(10)]

    app.get("pagination")[0].set_value(2).run()
    assert titles(app) == ["10", "11"]

    app.selectbox(key="library.order").set_value("Fewest turns").run()
    assert titles(app)[0] == "11"


def test_deleting_all_of_the_last_page_shows_the_page_before(
    library: AppTest, conversations: Conversations
) -> None:
    added = conversations.add(conversation(f"{n:02d}", str(n)) for n in range(PER_PAGE + 1))
    app = library.run()
    app.get("pagination")[0].set_value(2).run()
    assert titles(app) == ["10"]

    app.button(key=f"delete-{added[-1].key}").click().run()

    assert len(titles(app)) == PER_PAGE


def test_a_deleted_conversation_comes_back_by_undo(library: AppTest, conversations: Conversations) -> None:
    kept, gone = conversations.add([conversation("Kept", "one"), conversation("*Gone*", "two")])
    app = library.run()

    app.button(key=f"delete-{gone.key}").click().run()

    assert titles(app) == ["Kept"]
    assert conversations.keys() == {kept.key}
    assert any(r"Deleted “\*Gone\*”" in element.value for element in app.markdown)

    app.button(key="library.undo").click().run()

    assert len(titles(app)) == 2
    assert conversations.keys() == {kept.key, gone.key}
    assert "library.undo" not in [button.key for button in app.button]


def test_deleted_conversations_can_be_restored_later_or_removed_for_good(
    library: AppTest, conversations: Conversations, convgate_home: Path
) -> None:
    zebra = "The zebrafish sleeps in the reeds."
    keys = [
        addition.key
        for addition in conversations.add(
            [conversation("One", "1"), conversation("Two", zebra), conversation("Three", "3")]
        )
    ]
    conversations.delete(keys[:1])
    app = library.run()

    app.button(key="library.undelete").click().run()
    assert len(titles(app)) == 3

    relevance = RelevanceSet("mine", {"two": Conversation("two", (Turn.of("user", zebra),) * 2)}, ())
    case = Case("two-1", "two", 1, None, frozenset({0}))
    write_relevance_set(replace(relevance, cases=(case,)), convgate_home / "given.jsonl")
    sets = RelevanceSets(convgate_home)
    sets.add("mine", (convgate_home / "given.jsonl").read_bytes())
    (convgate_home / "given.jsonl").unlink()
    conversations.delete(keys)
    app.run()
    (convgate_home / "sets" / "bad.jsonl").write_text("{")
    (convgate_home / "runs" / "one" / "data").mkdir(parents=True)
    (convgate_home / "runs" / "one" / "data" / "own.jsonl").write_text("{")
    app.button(key="library.purge").click().run()
    assert app.success[0].value.startswith("Removed 3 conversations for good.")
    assert app.success[0].value.endswith("bad, one.")
    assert conversations.keys(deleted=True) == set()
    assert titles(app) == []
    assert (convgate_home / "runs" / "one" / "data" / "own.jsonl").exists()
    assert holding(convgate_home, b"zebrafish") == []


def test_renaming_is_seen_at_once(library: AppTest, conversations: Conversations) -> None:
    [added] = conversations.add([conversation("Before")])
    app = library.run()

    app.text_input(key=f"title-{added.key}").set_value("After")
    next(button for button in app.button if button.label == "Rename").click().run()

    assert titles(app) == ["After"]

    app.text_input(key=f"title-{added.key}").set_value(" ")
    next(button for button in app.button if button.label == "Rename").click().run()
    assert app.error
    assert titles(app) == ["After"]


def test_everything_is_erased_only_by_the_typed_word_and_from_memory_too(
    library: AppTest, conversations: Conversations, convgate_home: Path
) -> None:
    [added] = conversations.add([conversation("Secret", "zebrafish " * 50)])
    copies = [
        convgate_home / name for name in ("embeddings.sqlite", "runs/one/data/own.jsonl", "sets/a.jsonl")
    ]
    for file in (*copies, card := convgate_home / "versions" / "mine" / "card.json"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("zebrafish" if file in copies else "figures")
    app = library.run()
    secret = services.conversation(load_settings().database, added.key)
    labels = turn_labels(added.key, secret)
    assert turn_labels(added.key, secret) is labels
    cached_words("zebrafish")
    app.session_state["explore.search"] = "zebrafish"

    app.text_input(key="library.erase.word").set_value("eras")
    next(button for button in app.button if button.label == "Erase everything").click().run()
    assert titles(app) == ["Secret"]
    assert any("Nothing was erased" in caption.value for caption in app.caption)

    app.text_input(key="library.erase.word").set_value("Erase")
    next(button for button in app.button if button.label == "Erase everything").click().run()

    assert not app.exception
    assert app.success[0].value == (
        "Erased 1 conversation and everything derived from them. Settings and versions are still there."
    )
    assert subheaders(app)[0] == "Start with a sample"
    assert not any(file.exists() for file in copies)
    assert card.read_text() == "figures"
    assert holding(convgate_home, b"zebrafish") == []
    assert turn_labels(added.key, secret) is not labels
    assert cached_words.cache_info().currsize == 0
    with pytest.raises(StoreError):
        services.conversation(load_settings().database, added.key)
    assert "explore.search" not in app.session_state


def holding(home: Path, word: bytes) -> list[Path]:
    """The files that have the word."""
    return [path for path in home.rglob("*") if path.is_file() and word in path.read_bytes()]


def test_a_backup_replaces_the_library(library: AppTest, conversations: Conversations) -> None:
    [old] = conversations.add([conversation("Old", "1")])
    with conversations._store.read():
        backup = conversations._store.backup_bytes()
    conversations.delete([old.key])
    conversations.add([conversation("New", "2")])
    app = library.run()

    app.file_uploader[1].upload("backup.db", backup).run()
    next(button for button in app.button if button.label.startswith("Replace the library")).click().run()

    assert titles(app) == ["Old"]

    app.file_uploader[1].upload("wrong.db", b"not a backup").run()
    next(button for button in app.button if button.label.startswith("Replace the library")).click().run()
    assert not app.exception
    assert "backup" in app.error[0].value
    assert conversations.keys() == {old.key}


def test_a_restore_is_undone_and_redone_after_a_reload(
    library: AppTest, conversations: Conversations
) -> None:
    conversations.add([conversation("Old", "1")])
    backup = conversations._store.backup_bytes()
    conversations.add([conversation("New", "2")])
    app = library.run()
    assert "library.undo-restore" not in [button.key for button in app.button]
    app.file_uploader[1].upload("backup.db", backup).run()
    next(button for button in app.button if button.label.startswith("Replace the library")).click().run()

    reloaded = new_app().run()
    reloaded.button(key="library.undo-restore").click().run()

    assert not reloaded.exception
    assert sorted(titles(reloaded)) == ["New", "Old"]
    assert titles(reloaded.button(key="library.undo-restore").click().run()) == ["Old"]


def test_erasing_everything_takes_what_was_kept_beside_the_library(
    library: AppTest, conversations: Conversations, convgate_home: Path
) -> None:
    conversations.add([conversation("zebrafish", "zebrafish")])
    store = services.store(load_settings().database)
    store.restore_bytes(store.backup_bytes())
    (convgate_home / "convgate-damaged-20261122-120000.db").write_text("zebrafish")
    (convgate_home / "convgate-damaged-20261122-120000.db-wal").write_text("zebrafish")

    app = library.run()
    app.text_input(key="library.erase.word").set_value("erase")
    next(button for button in app.button if button.label == "Erase everything").click().run()

    assert not app.error
    assert holding(convgate_home, b"zebrafish") == []


def test_the_folder_with_the_data_is_named(library: AppTest, convgate_home: Path) -> None:
    assert library.run().code[0].value == str(convgate_home)


def test_hostile_titles_and_names_stay_text(library: AppTest, conversations: Conversations) -> None:
    hostile = "<script>x</script> [l](http://e) ![i](http://e) $x$ :smile:"
    item = conversation(hostile)
    conversations.add([NewConversation(item.conversation, origin=hostile)])

    app = library.run()

    links = [link.proto.label for link in app.main.get("page_link")]
    drawn = [*links, *(element.value for element in (*app.caption, *app.markdown))]
    assert not any(hostile in text for text in drawn)
    assert sum(literal(hostile, limit=60) in text or literal(hostile) in text for text in drawn) == 2
