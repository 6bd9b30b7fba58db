"""Labels in files: relevance sets and tables out, these and other tools' lists in.

    found = read_labels(data, "labels.csv", store, annotator="Ada")   # looked at; nothing is kept yet
    keep_labels(store, found, by="Ada")                               # all of it, as one action

A file's format is recognised by its content.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Literal

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.labels import label_table, relevance_labels, turn_lists
from convgate.labels.gold import labelled_conversations, split_groups
from convgate.labels.imported import Import
from convgate.labels.snapshot import snapshot
from convgate.redaction import Redactor
from convgate.store import Conversations, Entry, Labels, Saved, SituationKey, Store
from convgate.store.label_log import check_annotator
from convgate.transcripts.problems import Report
from convgate.transcripts.source import MAX_BYTES, source_of_bytes, source_of_path

Kind = Literal["relevance-set", "csv"]

SUFFIXES: dict[Kind, str] = {"relevance-set": ".jsonl", "csv": ".csv"}


def read_labels(
    source: str | Path | bytes,
    name: str,
    store: Store,
    *,
    annotator: str | None = None,
    conversation: str | None = None,
    skip_bad: bool = False,
    max_bytes: int = MAX_BYTES,
    time_limit: float | None = None,
) -> Import:
    """What a file of labels says, checked against the library; nothing is kept.

    source: a path, or the bytes of an upload; `name` names it in messages and in the log.
    annotator: whose answers they are where the file does not say so.
    conversation: the key of the one that they are about, likewise.
    time_limit: seconds; None for no limit.

    Raises TranscriptError when it cannot be read or an annotator or conversation has to be named;
    BadLinesError, which is one, when some lines are bad and `skip_bad` is not set; ReadStoppedError, which is
    another, when the time is up. StoreError for an
    annotator's name that cannot be one, or a conversation that the library does not have.
    """
    if annotator is not None:
        check_annotator(annotator)
    if conversation is not None:
        conversation = Conversations(store).summary(conversation).key
    report = Report(name, time_limit)
    if isinstance(source, bytes | bytearray | memoryview):
        found = source_of_bytes(bytes(source), report, max_bytes=max_bytes)
    else:
        found = source_of_path(Path(source), report, max_bytes=max_bytes)
    if relevance_labels.recognises(found):
        return relevance_labels.read(found, store, annotator=annotator, skip_bad=skip_bad)
    if turn_lists.recognises(found):
        return turn_lists.read(
            found, store, annotator=annotator, conversation=conversation, skip_bad=skip_bad
        )
    if label_table.recognises(found):
        return label_table.read(
            found, store, annotator=annotator, conversation=conversation, skip_bad=skip_bad
        )
    if found.json_error:
        raise found.json_error
    raise TranscriptError(
        "no labels in a form that convgate reads: expected a relevance set, a CSV table with the columns"
        " conversation, message, turn, annotator and answer, or JSON lines with current_turn and"
        " relevant_turns",
        file=name,
    )


def keep_labels(store: Store, found: Import, *, by: str) -> Saved:
    """Store everything that was read, as one action of `by` that can be undone, or nothing.

    Conversations that are new are added, and stay when the labels are undone. Raises StoreError.
    """
    with store.write():
        Conversations(store).add(found.new)
        return Labels(store).record(found.entries, by=by, kind="import", origin=found.name)


def write_labels(
    store: Store,
    kind: Kind,
    *,
    annotators: Collection[str] | None = None,
    conversations: Collection[str] | None = None,
    redactor: Redactor | None = None,
) -> bytes:
    """Everything that holds, as a file that `read_labels` takes back without loss.

    annotators, conversations: those that are wanted, by name and by key; all unless given. A relevance set's
    `relevant` and `judged` rest on the annotators that train, or on those that are named. redactor: redacts
    secrets in conversations, questions and notes; the file is then read as other conversations, which have
    the same labels.
    """
    with snapshot(store) as db:
        talks: dict[str, tuple[str, Conversation]] = {}
        wanted = _entries(store, annotators, conversations)
        titles = dict(db.execute("SELECT key, title FROM conversations WHERE deleted_at IS NULL").fetchall())
        for key, talk in labelled_conversations(store, {situation.conversation for situation in wanted}):
            talks[key] = (titles[key], talk)
        groups = split_groups(store)
        trained = [name for (name,) in db.execute("SELECT name FROM annotators WHERE trains")]
    if redactor is not None:
        redact, unredacted, wanted = redactor.redact_text, wanted, {}
        talks = {key: (redact(title), redactor.redact(talk)) for key, (title, talk) in talks.items()}
        for situation, said in unredacted.items():
            situation = replace(situation, question=redact(situation.question))
            wanted.setdefault(situation, []).extend(
                replace(entry, situation=situation, value=redact(entry.value)) for entry in said
            )
    place = {key: number for number, key in enumerate(talks)}
    ordered = {
        situation: wanted[situation]
        for situation in sorted(
            wanted,
            key=lambda one: (place[one.conversation], one.turn is None, one.turn or 0, one.question),
        )
    }
    if kind == "csv":
        return label_table.write(ordered, talks).encode()
    counting = frozenset(trained if annotators is None else annotators)
    return "".join(relevance_labels.write(ordered, talks, counting, groups)).encode()


def _entries(
    store: Store, annotators: Collection[str] | None, conversations: Collection[str] | None
) -> dict[SituationKey, list[Entry]]:
    """What holds, by message, each message's by turn and annotator."""
    found: dict[SituationKey, list[Entry]] = {}
    for entry in Labels(store).entries():
        if (annotators is None or entry.annotator in annotators) and (
            conversations is None or entry.situation.conversation in conversations
        ):
            found.setdefault(entry.situation, []).append(entry)
    for said in found.values():
        said.sort(key=lambda entry: (entry.turn, entry.annotator, entry.what))
    return found
