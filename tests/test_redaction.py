"""Redaction of secrets; those here are made up and assembled at run time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.store import Conversations, Store, documents
from convgate.transcripts import read_conversations, read_text, write_conversation
from convgate.transcripts.redaction import Redactor
from tests.commands import Run

SAMPLES = Path(__file__).parent.parent / "sample_conversations"

AWS = "AKIA" + "Z7Q2" * 4
GITHUB = "ghp" + "_" + "a1B2c3D4e5F6" * 3
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiJhbm5hIn0", "c2lnbmF0dXJl" * 3))
STRIPE = "sk_" + "live_" + "4f9Kq2Lm" * 3
HASH = "9f86d081" + "884c7d65" + "9a2feaa0" + "c55ad015"
PASSWORD = "hunter" + "2x"


def key(kind: str = "RSA ", joint: str = "\n") -> str:
    lines = ["MIIE" + "abCD12+/" * 7] * 12
    return joint.join([f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----"])


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        (f"the key is {AWS}, use it", AWS, "AWS Access Key"),
        (f"export GH={GITHUB}", GITHUB, "GitHub Token"),
        (f"Authorization: Bearer {JWT}", JWT, "JSON Web Token"),
        (f"stripe: {STRIPE}.", STRIPE, "Stripe Access Key"),
        ("sk-" + "proj-" + "aB3_x-" * 9, "sk-" + "proj-" + "aB3_x-" * 9, "OpenAI Token"),
        ("use sk-" + "ant-" + "api03-Qr7" * 6, "sk-" + "ant-" + "api03-Qr7" * 6, "Anthropic Token"),
        ("key=AI" + "za" + "Sy1_x" * 7, "AI" + "za" + "Sy1_x" * 7, "Google API Key"),
        ("github_" + "pat_" + "11ABCDE" * 6, "github_" + "pat_" + "11ABCDE" * 6, "GitHub Token"),
        ("hf" + "_" + "qWeRtY" * 6, "hf" + "_" + "qWeRtY" * 6, "Hugging Face Token"),
        (f"psql postgres://anna:{PASSWORD}@db.example/main", PASSWORD, "Basic Auth Credentials"),
        (f'password = "{PASSWORD}"', PASSWORD, "Secret Keyword"),
        (f"DB_PASSWORD={PASSWORD}", PASSWORD, "Secret Keyword"),
        (HASH, HASH, "Hex High Entropy String"),
        (f'token: "{HASH}"', HASH, "Hex High Entropy String"),
        (f"before\n{key()}\nafter", key(), "Private Key"),
        (f"before\n{key('OPENSSH ')}\nafter", key("OPENSSH "), "Private Key"),
        (f"before\n{key()[:300]}\n", key()[40:300], "Private Key"),
    ],
)
def test_a_secret_is_redacted_as_a_whole_and_counted(text: str, secret: str, kind: str) -> None:
    redactor = Redactor()
    redacted = redactor.redact_text(text)
    assert redactor.counts == {kind: 1}
    before, _, after = text.partition(secret)
    assert f"[redacted: {kind}]" in redacted
    assert not any(line in redacted for line in secret.splitlines())
    assert redacted.startswith(before.partition("-----")[0])
    assert after.startswith(".") or redacted.endswith(after)


@pytest.mark.parametrize("mark", ",&;(){}[]@<>'\"\\")
def test_a_password_without_quotes_reaches_to_white_space(mark: str) -> None:
    text = f"password=hunt{mark}er2x9 now"
    assert Redactor().redact_text(text) == "password=[redacted: Secret Keyword] now"


def test_every_secret_of_a_line_is_redacted_wherever_it_stands() -> None:
    redactor = Redactor()
    filler = "x" * 5_000
    line = f"password={PASSWORD} secret={PASSWORD}y {filler} {AWS} {filler}{filler} {JWT * 200} {AWS}"
    redacted = redactor.redact_text(line)
    assert redactor.counts == {"Secret Keyword": 2, "AWS Access Key": 2, "JSON Web Token": 1}
    assert redacted.count("x" * 5_000) == 3
    assert PASSWORD not in redacted


def test_tool_arguments_and_parts_are_redacted_and_stay_what_they_are() -> None:
    arguments = json.dumps(
        {"password": PASSWORD + '"quoted', "pin": 1, "db_password": 12345678, "key": key(joint="\n")}
    )
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": f"use {AWS}"}, {"type": "text", "text": "now"}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "log_in", "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": f"token {GITHUB} accepted"},
    ]
    (conversation,) = read_text(json.dumps(messages)).conversations
    redactor = Redactor()
    redacted = redactor.redact(conversation)
    written = write_conversation(redacted)
    for secret in (AWS, GITHUB, PASSWORD, "quoted", "12345678", "MIIE"):
        assert secret not in written
        assert not any(secret in turn.scored_text for turn in redacted.turns)
    assert redactor.counts == Counter(
        {"AWS Access Key": 1, "GitHub Token": 1, "Private Key": 1, "Secret Keyword": 2}
    )
    call = json.loads(redacted.turns[1].tool_calls[0].arguments)
    assert (call["pin"], set(call)) == (1, {"password", "pin", "db_password", "key"})
    (again,) = read_text(written).conversations
    assert [turn.scored_text for turn in again.turns] == [turn.scored_text for turn in redacted.turns]
    assert [len(turn.parts) for turn in redacted.turns] == [len(turn.parts) for turn in conversation.turns]


def assert_nowhere(secret: str, redacted: Conversation) -> None:
    assert secret not in documents.dump(redacted)
    assert secret not in repr(redacted)
    assert all(secret not in write_conversation(redacted, format=format) for format in ("openai", "csv"))
    assert secret not in write_conversation(redacted)


CALL = {"id": "c1", "type": "function", "function": {"name": "log_in", "arguments": {}}}


@pytest.mark.parametrize(
    ("message", "secret"),
    [
        ({"password": PASSWORD}, PASSWORD),
        ({"password": ["hunt'er\"2x"]}, "hunt'er"),
        ({"settings": {"db_password": 12345678}}, "12345678"),
        ({"name": AWS}, AWS),
        ({"keys": {AWS: "old"}}, AWS),
        ({"id": AWS}, AWS),
        ({"role": "assistant", "tool_calls": [CALL | {"function": {"name": AWS, "arguments": "{}"}}]}, AWS),
        *(
            (
                {"role": "assistant", "tool_calls": [CALL | {"function": {"name": "f", "arguments": given}}]},
                secret,
            )
            for secret in (PASSWORD, "hunt'er2x")
            for given in ({"password": secret}, json.dumps({"pin": 1, "password": secret}))
        ),
        (
            {
                "role": "assistant",
                "tool_calls": [CALL | {"function": {"name": "f", "arguments": {"k": HASH}}}],
            },
            HASH,
        ),
    ],
)
def test_a_secret_stays_nowhere_and_is_counted_once(message: dict[str, object], secret: str) -> None:
    (conversation,) = read_text(json.dumps([{"role": "user", "content": "Hi"} | message])).conversations
    redactor = Redactor()
    redacted = redactor.redact(conversation)
    assert_nowhere(secret, redacted)
    assert redactor.counts.total() == 1
    assert len(read_text(write_conversation(redacted)).conversations[0]) == 1


def test_calls_and_their_results_keep_the_same_id() -> None:
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [CALL | {"id": AWS}, CALL | {"id": HASH}]},
        {"role": "tool", "tool_call_id": AWS, "content": "in"},
        {"role": "tool", "tool_call_id": HASH, "content": "out"},
    ]
    (conversation,) = read_text(json.dumps({"id": AWS, "messages": messages})).conversations
    redacted = Redactor().redact(conversation)
    assert_nowhere(AWS, redacted)
    for each in (redacted, *read_text(write_conversation(redacted)).conversations):
        called, *answers = each.turns
        assert [call.id for call in called.tool_calls] == [turn.tool_call_id for turn in answers]
        assert answers[1].tool_call_id == HASH


def test_nothing_of_the_samples_is_taken_for_a_secret() -> None:
    redactor = Redactor()
    files = [file for file in SAMPLES.iterdir() if file.name != "README.md" and "relevance" not in file.name]
    for file in files:
        for conversation in read_conversations(file):
            redacted = redactor.redact(conversation)
            assert (redacted, write_conversation(redacted)) == (
                conversation,
                write_conversation(conversation),
            )
    assert redactor.counts == {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    messages = [
        {"role": "user", "content": f"The key is {AWS}"},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": f"and this {GITHUB}: what is it?"},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(messages))
    return path


@pytest.mark.usefixtures("fake_default_encoder")
def test_commands_redact_what_they_write_and_say_how_much(run: Run, file: Path) -> None:
    for command in (
        ["select", "--policy", "last_k"],
        ["select", "--policy", "last_k", "--budget", "900", "--json"],
    ):
        code, out, _ = run(*command, file)
        assert (code, AWS in out, GITHUB in out) == (0, True, True)
        code, out, err = run(*command, file, "--redact")
        assert (code, AWS in out, GITHUB in out) == (0, False, False)
        assert all(kind in err for kind in ("AWS Access Key", "GitHub Token"))


def test_an_import_redacts_before_anything_is_kept(run: Run, file: Path) -> None:
    code, out, err = run("import", file, "--redact", "--json")
    assert (code, "AWS Access Key" in err) == (0, True)
    (row,) = json.loads(out)["conversations"]
    store = Store(load_settings().database)
    turns = Conversations(store).get(row["key"]).conversation.turns
    assert turns[0].text == "The key is [redacted: AWS Access Key]"
    assert AWS not in row["title"]
    assert AWS.encode() not in store.backup_bytes()


def test_two_secrets_as_keys_of_one_object_both_stay_as_entries() -> None:
    keys = {f"AKIAIOSFODNN7EXAMPL{letter}": number for number, letter in enumerate("EF")}
    conversation = Conversation(id="t", turns=(Turn.of("user", "", metadata={"usage": keys}),))
    (turn,) = Redactor().redact(conversation).turns
    assert sorted(turn.metadata["usage"].values()) == [0, 1]
