"""A data folder as somebody leaves it who labelled, tuned and trained for a while; for the pictures."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote

from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.gate.thresholds import Anchored
from convgate.gatekeeper.gatekeeper import RULES_NAME
from convgate.guardrails.example import log_example
from convgate.labels.exchange import keep_labels, read_labels
from convgate.labels.gold import gold_set
from convgate.sessions import SessionManager
from convgate.store import Answer, CurrentKey, Labels, Store
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.store.label_log import Entry
from convgate.store.queues import NewItem, Queues
from convgate.training.process import start_training
from convgate.training.run import Runs
from convgate.transcripts.problems import Report
from convgate.transcripts.source import source_of_path
from convgate.ui.storing.page import EXAMPLE
from convgate.versions import SHIPPED, Draft, Versions
from tools.worked_experiment import add_example

NAME, OTHER = "Ada", "Bo"
_PATIENCE = 600  # seconds for the training
_EVERY = 6  # of the other's answers one is different


def work(home: Path, conversation: str) -> dict[str, str]:
    """Do it all, mostly in one conversation of the library; addresses of what came of it, by name."""
    store = Store(home / "convgate.db")
    file = app_root() / "sample_conversations" / "samples.relevance.jsonl"
    keep_labels(store, read_labels(source_of_path(file, Report(file.name)), store, annotator=NAME), by=NAME)
    message, turns = _disagree(store, conversation)
    items = [NewItem(message, turn, "audit", "Drawn by lot.") for turn in turns]
    last = CurrentKey(conversation, message.turn - 2 if message.turn else None)
    items += [NewItem(last, turn, "audit", "Drawn by lot.") for turn in range(1, 6)]
    queue = Queues(store).add("Monday", items, by=NAME, seed=0)
    (home / RULES_NAME).write_text(EXAMPLE)
    versions = Versions(home)
    _tune(versions)
    run = _train(home, store)
    here = f"conversation={conversation}&turn={(message.turn or 0) + 1}"
    beside = f"policies=gate@{SHIPPED}, gate@keeps-less&conversation={conversation}"
    return {
        "label-queue": f"Label?conversation={conversation}&turn={(last.turn or 0) + 1}&queue={queue}",
        "label-disagreements": f"Label?{here}&selected={turns[0] + 1}&adjudicate=1",
        "label-annotators": f"Label?{here}&show=annotators",
        "errors-guesses": "Errors?data=@library",
        "train-run": f"Train?run={run}",
        "storing-library": "Storing?look=library",
        "versions-card": "Versions?version=mine",
        "versions-compare": f"Compare?{beside}",
        "compare-sets": "Compare?data=samples&measure=1&policies=gate, bm25, last_k(k=5), cosine",
        "compare-bill": "Compare?data=samples&show=bill&bill=1",
    }


def agents(home: Path, day: str) -> dict[str, str]:
    """Sessions of two agents, and a boundary of the conversation `day` moved; addresses, by name."""
    store, now = Store(home / "convgate.db"), datetime.now(UTC)
    for workspace in ("shop", "lab"):
        for days in range(120, 0, -17):
            at = now - timedelta(days=days)
            sessions = SessionManager(store, workspace=workspace, clock=partial(_same, at))
            sessions.detect("Where were we?")
            sessions.detect({"role": "assistant", "content": "Here.", "workflow_state": "TESTING"})
        if workspace == "shop":
            sessions.add_conversation(day)
        else:
            sessions.end("The lab is closed.")
    MovedBoundaries(store).change(day, {6: MovedBoundary("none"), 8: MovedBoundary("conversation")})
    return {"sessions-day": f"Sessions?conversation={day}&override=0&selected=9"}


def experiments(home: Path) -> dict[str, str]:
    """Add the example of an experiment; addresses of its report and its queue, by name."""
    name = quote(add_example(Store(home / "convgate.db")).name)
    report = f"Experiments?experiment={name}"
    return {"experiments": report, "experiments-rate": f"{report}&rate=1"}


def requests(home: Path) -> dict[str, str]:
    """Log a day of requests; addresses of what can be seen of it, by name."""
    log_example(Store(home / "convgate.db"), load_settings(), datetime.now(UTC))
    return {"monitor-week": "Monitor?period=7d"}


def budgets(login: str) -> dict[str, str]:
    """What else there is to see of a conversation within a budget; addresses, by name."""
    return {
        "explore-budget": f"Explore?conversation={login}&budget=100&list=dropped",
        "explore-invariants": f"Explore?conversation={login}&list=invariants&selected=12",
        "explore-messages": f"Explore?conversation={login}&budget=400&messages=1",
    }


def _same(at: datetime) -> datetime:
    return at


def _disagree(store: Store, conversation: str) -> tuple[CurrentKey, list[int]]:
    """Somebody else answers what is answered there, not always alike; a message, and turns in dispute."""
    labels = Labels(store)
    entries = labels.entries(conversation)
    theirs = [
        Entry(
            entry.current, entry.turn, OTHER, _otherwise(entry.value) if place % _EVERY == 0 else entry.value
        )
        for place, entry in enumerate(entries)
    ]
    labels.record(theirs, by=OTHER, kind="answer")
    disputed = entries[::_EVERY]
    message = disputed[-1].current
    return message, [entry.turn for entry in disputed if entry.current == message]


def _otherwise(answer: str | None) -> Answer:
    return "not_relevant" if answer == "relevant" else "relevant"


def _tune(versions: Versions) -> None:
    shipped = versions.get(SHIPPED)
    rule = Anchored(threshold=0.35)
    draft = Draft(
        threshold_rule=rule.name,
        threshold_parameters={"threshold": rule.threshold or 0.0},
        parent=shipped.as_parent(),
        data=shipped.card.data,
        note="Threshold set by hand, to keep less.",
        who=NAME,
    )
    versions.add(shipped.load(), draft, name="keeps-less")


def _train(home: Path, store: Store) -> str:
    id = start_training(
        home, SHIPPED, labels=gold_set(store), epochs=4, name="mine", who=NAME,
        note="The first labels of the house",
    )  # fmt: skip
    runs = Runs(home)
    end = time.monotonic() + _PATIENCE
    while (run := runs.get(id)).is_active and time.monotonic() < end:
        time.sleep(0.5)
    if run.state != "done":
        sys.exit(f"The training for the pictures is {run.state}: {run.message}")
    return id
