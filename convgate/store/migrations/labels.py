"""Tables of labels: the log, what holds, and the queues of what is to be judged."""

from __future__ import annotations

from sqlite_utils import Database


def m002_labels(db: Database) -> None:
    """Labels: who says what of which turn. The log has what happened, the other tables what holds."""
    db.execute("""
        CREATE TABLE annotators (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'adjudication')),
            trains INTEGER NOT NULL DEFAULT 1
        )""")
    # A message to answer: a turn of a conversation, or a question put after its last turn.
    db.execute("""
        CREATE TABLE situations (
            number INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            turn INTEGER,
            question TEXT NOT NULL DEFAULT '',
            CHECK ((turn IS NULL) = (question <> ''))
        )""")
    db.execute(
        "CREATE UNIQUE INDEX situations_once ON situations (conversation, coalesce(turn, -1), question)"
    )
    db.execute("""
        CREATE TABLE label_actions (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            annotator INTEGER NOT NULL REFERENCES annotators (number),
            kind TEXT NOT NULL,
            at TEXT NOT NULL,
            origin TEXT NOT NULL DEFAULT '',
            undoes INTEGER
        )""")
    db.execute("CREATE INDEX label_actions_by_annotator ON label_actions (annotator, number)")
    # turn: the earlier turn, or -1 for the message as a whole.
    db.execute("""
        CREATE TABLE label_log (
            number INTEGER PRIMARY KEY,
            action INTEGER NOT NULL REFERENCES label_actions (number),
            situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn >= -1),
            annotator INTEGER NOT NULL REFERENCES annotators (number),
            what TEXT NOT NULL CHECK (what IN ('answer', 'note')),
            before TEXT,
            after TEXT,
            at TEXT NOT NULL,
            version TEXT
        )""")
    db.execute("CREATE INDEX label_log_by_action ON label_log (action)")
    db.execute("CREATE INDEX label_log_by_situation ON label_log (situation)")
    for table, value in (("labels", "answer"), ("label_notes", "note")):
        db.execute(f"""
            CREATE TABLE {table} (
                situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
                turn INTEGER NOT NULL,
                annotator INTEGER NOT NULL REFERENCES annotators (number),
                {value} TEXT NOT NULL,
                at TEXT NOT NULL,
                version TEXT,
                PRIMARY KEY (situation, turn, annotator)
            ) WITHOUT ROWID""")
        key = "situation = new.situation AND turn = new.turn AND annotator = new.annotator"
        db.execute(f"""
            CREATE TRIGGER {table}_follow AFTER INSERT ON label_log WHEN new.what = '{value}'
            BEGIN
                DELETE FROM {table} WHERE {key};
                INSERT INTO {table} SELECT new.situation, new.turn, new.annotator, new.after, new.at,
                    new.version WHERE new.after IS NOT NULL;
            END""")
    db.execute("CREATE INDEX labels_by_annotator ON labels (annotator, turn, situation, answer)")
    for table in ("label_log", "label_actions"):
        db.execute(f"""
            CREATE TRIGGER {table}_stays BEFORE UPDATE ON {table}
            BEGIN SELECT raise(ABORT, 'the log of labels is only ever added to'); END""")
    # What training and metrics take for true. An adjudicated answer counts before people's, theirs before
    # what agents told; among equals the majority counts, and a tie is as good as unsure.
    db.execute("""
        CREATE VIEW gold AS
        SELECT situation, turn, CASE
                WHEN adjudicated IS NOT NULL THEN adjudicated
                WHEN (people AND votes > 0) OR (NOT people AND told > 0) THEN 'relevant'
                WHEN (people AND votes < 0) OR (NOT people AND told < 0) THEN 'not_relevant'
                ELSE 'unsure'
            END AS answer
        FROM (
            SELECT situation, turn,
                max(CASE WHEN kind = 'adjudication' THEN answer END) AS adjudicated,
                sum(kind = 'person') AS people,
                sum((kind = 'person') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS votes,
                sum((kind = 'agent') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS told
            FROM labels JOIN annotators ON annotators.number = labels.annotator
            WHERE turn >= 0 AND trains
            GROUP BY situation, turn
        )""")


def m005_queues(db: Database) -> None:
    """Queues: which turns are to be judged, in which order, and why each."""
    db.execute("""
        CREATE TABLE queues (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            made_by TEXT NOT NULL,
            made_at TEXT NOT NULL,
            seed INTEGER NOT NULL,
            deleted_at TEXT
        )""")
    db.execute("""
        CREATE TABLE queue_items (
            queue INTEGER NOT NULL REFERENCES queues (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn >= 0),
            kind TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (queue, place)
        ) WITHOUT ROWID""")
    db.execute("CREATE UNIQUE INDEX queue_items_once ON queue_items (situation, turn, queue)")
    db.execute("CREATE INDEX labels_by_time ON labels (annotator, at)")


def m008_label_undoes(db: Database) -> None:
    """What undid or redid an action is found at once, however much its annotator did since."""
    db.execute("CREATE INDEX label_actions_undoes ON label_actions (undoes) WHERE undoes IS NOT NULL")
