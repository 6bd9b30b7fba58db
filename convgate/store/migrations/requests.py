"""Tables of the guardrails: what was answered how, without its text; the baseline; alerts; what was lost."""

from __future__ import annotations

from sqlite_utils import Database


def m012_requests(db: Database) -> None:
    """Requests with their outcomes, the baseline that drift is measured against, alerts, losses."""
    # Times are seconds since 1970. low: whether the classifier was unsure; NULL with an intent. fallbacks:
    # causes with a space between. ok: NULL until an outcome is told. An id may be there twice.
    db.execute("""
        CREATE TABLE requests (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            at REAL NOT NULL,
            mode TEXT NOT NULL,
            classified TEXT NOT NULL,
            confidence REAL NOT NULL,
            source TEXT NOT NULL,
            low INTEGER,
            tokens_rules INTEGER NOT NULL,
            tokens_task_state INTEGER NOT NULL,
            tokens_recent INTEGER NOT NULL,
            tokens_evidence INTEGER NOT NULL,
            tokens_decisions INTEGER NOT NULL,
            tokens_capsules INTEGER NOT NULL,
            tokens_total INTEGER NOT NULL,
            budget INTEGER NOT NULL,
            invariants INTEGER NOT NULL,
            breaches INTEGER NOT NULL,
            over_budget INTEGER NOT NULL,
            fallbacks TEXT NOT NULL,
            seconds REAL NOT NULL,
            ok INTEGER,
            told_at REAL
        )""")
    db.execute("CREATE INDEX requests_by_id ON requests (id)")
    db.execute("CREATE INDEX requests_by_time ON requests (at, classified, low)")
    db.execute("CREATE INDEX requests_by_fallback ON requests (at) WHERE fallbacks <> ''")
    db.execute("CREATE INDEX requests_by_outcome ON requests (mode, at, ok) WHERE ok IS NOT NULL")
    # One row at most. counts: JSON, requests by classified mode.
    db.execute("""
        CREATE TABLE guard_baseline (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            at REAL NOT NULL,
            counts TEXT NOT NULL,
            outcomes INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            since REAL,
            until REAL
        )""")
    # mode: of an error rate, else ''. phase, since, rounds: where a mode stands that may come back.
    db.execute("""
        CREATE TABLE guard_alerts (
            number INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            mode TEXT NOT NULL DEFAULT '',
            raised REAL NOT NULL,
            cleared REAL,
            message TEXT NOT NULL,
            figures TEXT NOT NULL,
            because TEXT NOT NULL DEFAULT '',
            phase TEXT NOT NULL DEFAULT 'held',
            since REAL NOT NULL,
            rounds INTEGER NOT NULL DEFAULT 1
        )""")
    db.execute("CREATE UNIQUE INDEX guard_alerts_open ON guard_alerts (kind, mode) WHERE cleared IS NULL")
    db.execute("CREATE INDEX guard_alerts_by_time ON guard_alerts (raised)")
    db.execute("""
        CREATE TABLE guard_losses (
            number INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            requests INTEGER NOT NULL,
            why TEXT NOT NULL
        )""")
