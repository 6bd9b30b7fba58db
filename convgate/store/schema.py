"""The tables of the database, as migrations: append a step, never change one that was released."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("convgate")

_CONVERSATIONS = (
    """
    CREATE TABLE conversations (
        number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
        format TEXT NOT NULL, turns INTEGER NOT NULL, tokens INTEGER, origin TEXT NOT NULL,
        added TEXT NOT NULL,
        split_group TEXT NOT NULL,  -- decides on which side of a train/test split the conversation is
        deleted_at TEXT
    ) STRICT""",
    "CREATE INDEX conversations_by_time ON conversations (deleted_at, added)",
    # Apart from the columns of the list, so that listing does not read megabytes of text.
    """
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE,
        document TEXT NOT NULL
    ) STRICT""",
    # Trigrams find parts of words, and words of languages that do not put spaces between them.
    "CREATE VIRTUAL TABLE conversation_search USING fts5 (title, text, tokenize = 'trigram')",
    # Keys that a conversation had before it grew.
    """
    CREATE TABLE former_keys (
        key TEXT PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX former_keys_by_conversation ON former_keys (conversation)",
    """
    CREATE VIEW conversation_keys AS
    SELECT key, number FROM conversations UNION ALL SELECT key, conversation FROM former_keys""",
    # A hash of the first 1, 2, 3, … turns of each conversation.
    """
    CREATE TABLE openings (
        hash BLOB NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        length INTEGER NOT NULL,
        PRIMARY KEY (hash, conversation)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX openings_by_conversation ON openings (conversation)",
    # Conversations from feedback of agents, which grow with the next feedback.
    """
    CREATE TABLE live_conversations (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE
    ) STRICT""",
    # What people changed of single turns: kind is boundary, invariants or mode; value is JSON.
    """
    CREATE TABLE turn_edits (
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        kind TEXT NOT NULL, turn INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (conversation, kind, turn)
    ) STRICT, WITHOUT ROWID""",
    # The value before each step of the undo; NULL where there was none.
    """
    CREATE TABLE turn_edit_steps (
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        kind TEXT NOT NULL, step INTEGER NOT NULL, turn INTEGER NOT NULL, value TEXT,
        PRIMARY KEY (conversation, kind, step, turn)
    ) STRICT, WITHOUT ROWID""",
)

_LABELS = (
    """
    CREATE TABLE annotators (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'adjudication')),
        trains INTEGER NOT NULL DEFAULT 1
    ) STRICT""",
    # A message to answer: a turn of a conversation, or a question after its last turn.
    """
    CREATE TABLE situations (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        turn INTEGER, question TEXT NOT NULL DEFAULT '',
        CHECK ((turn IS NULL) = (question <> ''))
    ) STRICT""",
    "CREATE UNIQUE INDEX situations_once ON situations (conversation, coalesce(turn, -1), question)",
    """
    CREATE TABLE label_actions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        annotator INTEGER NOT NULL REFERENCES annotators (number), kind TEXT NOT NULL,
        at TEXT NOT NULL, origin TEXT NOT NULL DEFAULT '',
        undoes INTEGER  -- the action that an undo or redo is about
    ) STRICT""",
    "CREATE INDEX label_actions_by_annotator ON label_actions (annotator, number)",
    "CREATE INDEX label_actions_undoes ON label_actions (undoes) WHERE undoes IS NOT NULL",
    # turn: the earlier turn, or -1 for the message as a whole.
    """
    CREATE TABLE label_log (
        number INTEGER PRIMARY KEY, action INTEGER NOT NULL REFERENCES label_actions (number),
        situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
        turn INTEGER NOT NULL CHECK (turn >= -1),
        annotator INTEGER NOT NULL REFERENCES annotators (number),
        what TEXT NOT NULL CHECK (what IN ('answer', 'note')), before TEXT, after TEXT,
        at TEXT NOT NULL, version TEXT
    ) STRICT""",
    "CREATE INDEX label_log_by_action ON label_log (action)",
    "CREATE INDEX label_log_by_turn ON label_log (situation, turn, annotator, what)",
    *(
        f"""
        CREATE TRIGGER {table}_stays BEFORE UPDATE ON {table}
        BEGIN SELECT raise(ABORT, 'the log of labels is append-only'); END"""
        for table in ("label_log", "label_actions")
    ),
    # The current answers and notes, which follow the log.
    *(
        f"""
        CREATE TABLE {table} (
            situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL, annotator INTEGER NOT NULL REFERENCES annotators (number),
            {value} TEXT NOT NULL, at TEXT NOT NULL, version TEXT,
            PRIMARY KEY (situation, turn, annotator)
        ) STRICT, WITHOUT ROWID"""
        for table, value in (("labels", "answer"), ("label_notes", "note"))
    ),
    *(
        f"""
        CREATE TRIGGER {table}_follow AFTER INSERT ON label_log WHEN new.what = '{value}'
        BEGIN
            DELETE FROM {table} WHERE situation = new.situation AND turn = new.turn
                AND annotator = new.annotator;
            INSERT INTO {table} SELECT new.situation, new.turn, new.annotator, new.after, new.at, new.version
                WHERE new.after IS NOT NULL;
        END"""
        for table, value in (("labels", "answer"), ("label_notes", "note"))
    ),
    "CREATE INDEX labels_by_annotator ON labels (annotator, turn, situation, answer)",
    "CREATE INDEX labels_by_time ON labels (annotator, at)",
    # What people say of each turn together.
    """
    CREATE VIEW label_turns AS
    SELECT situation, turn,
        sum(kind = 'person' AND answer = 'relevant') AS relevant,
        sum(kind = 'person' AND answer = 'not_relevant') AS not_relevant,
        max(CASE WHEN kind = 'person' THEN at END) AS newest,
        max(CASE WHEN kind = 'adjudication' THEN answer END) AS adjudicated
    FROM labels JOIN annotators ON annotators.number = annotator
    WHERE turn >= 0 GROUP BY situation, turn""",
    # The labels that training and metrics use. An adjudicated answer beats those of people, theirs beat those
    # of agents; among equals the majority counts, and a tie is unsure.
    """
    CREATE VIEW gold AS
    SELECT situation, turn, CASE
            WHEN adjudicated IS NOT NULL THEN adjudicated
            WHEN (people AND votes > 0) OR (NOT people AND agent_votes > 0) THEN 'relevant'
            WHEN (people AND votes < 0) OR (NOT people AND agent_votes < 0) THEN 'not_relevant'
            ELSE 'unsure'
        END AS answer
    FROM (
        SELECT situation, turn,
            max(CASE WHEN kind = 'adjudication' THEN answer END) AS adjudicated,
            sum(kind = 'person') AS people,
            sum((kind = 'person') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS votes,
            sum((kind = 'agent') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS agent_votes
        FROM labels JOIN annotators ON annotators.number = labels.annotator
        WHERE turn >= 0 AND trains
        GROUP BY situation, turn
    )""",
    """
    CREATE TABLE queues (
        number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, made_by TEXT NOT NULL,
        made_at TEXT NOT NULL, seed INTEGER NOT NULL
    ) STRICT""",
    """
    CREATE TABLE queue_items (
        queue INTEGER NOT NULL REFERENCES queues (number) ON DELETE CASCADE, place INTEGER NOT NULL,
        situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
        turn INTEGER NOT NULL CHECK (turn >= 0), kind TEXT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (queue, place)
    ) STRICT, WITHOUT ROWID""",
    "CREATE UNIQUE INDEX queue_items_once ON queue_items (situation, turn, queue)",
)

_SESSIONS = (
    # state: what the rules know of the messages so far, as JSON. present: the open conversation.
    """
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL,
        started TEXT NOT NULL, ended TEXT, reason TEXT NOT NULL DEFAULT '',
        last_activity TEXT NOT NULL,
        present INTEGER REFERENCES session_conversations (number) ON DELETE SET NULL,
        state TEXT NOT NULL DEFAULT '{}'
    ) STRICT""",
    "CREATE UNIQUE INDEX sessions_active ON sessions (workspace) WHERE ended IS NULL",
    "CREATE INDEX sessions_by_workspace ON sessions (workspace, last_activity)",
    "CREATE INDEX sessions_by_activity ON sessions (last_activity)",
    "CREATE INDEX sessions_by_present ON sessions (present)",
    # conversation: the same one in the library, where that has it. Agents keep the number: never used again.
    """
    CREATE TABLE session_conversations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
        conversation INTEGER UNIQUE REFERENCES conversations (number) ON DELETE CASCADE,
        began TEXT NOT NULL, last_activity TEXT NOT NULL, workflow_state TEXT
    ) STRICT""",
    "CREATE INDEX session_conversations_by_session ON session_conversations (session, began)",
)

_REQUESTS = (
    # at, told_at: seconds since 1970. low: whether the classifier was unsure; NULL with an intent.
    # fallbacks: causes, joined by spaces. ok: NULL before an outcome is told. Ids may repeat.
    """
    CREATE TABLE requests (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, at REAL NOT NULL, mode TEXT NOT NULL,
        classified TEXT NOT NULL, confidence REAL NOT NULL, source TEXT NOT NULL, low INTEGER,
        tokens_rules INTEGER NOT NULL, tokens_task_state INTEGER NOT NULL,
        tokens_recent INTEGER NOT NULL, tokens_evidence INTEGER NOT NULL,
        tokens_decisions INTEGER NOT NULL, tokens_capsules INTEGER NOT NULL,
        tokens_total INTEGER NOT NULL, budget INTEGER NOT NULL, invariants INTEGER NOT NULL,
        breaches INTEGER NOT NULL, over_budget INTEGER NOT NULL, fallbacks TEXT NOT NULL,
        seconds REAL NOT NULL, ok INTEGER, told_at REAL
    ) STRICT""",
    "CREATE INDEX requests_by_id ON requests (id)",
    "CREATE INDEX requests_by_time ON requests (at, classified, low)",
    "CREATE INDEX requests_by_fallback ON requests (at) WHERE fallbacks <> ''",
    "CREATE INDEX requests_by_outcome ON requests (mode, at, ok) WHERE ok IS NOT NULL",
    # One row at most. counts: requests by classified mode, as JSON.
    """
    CREATE TABLE guard_baseline (
        number INTEGER PRIMARY KEY CHECK (number = 1), at TEXT NOT NULL, counts TEXT NOT NULL,
        outcomes TEXT NOT NULL, since TEXT, until TEXT
    ) STRICT""",
    # mode: of an error rate, else ''. phase, since, rounds: of a mode that is held back or on probation.
    """
    CREATE TABLE guard_alerts (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, mode TEXT NOT NULL, raised TEXT NOT NULL,
        cleared TEXT, message TEXT NOT NULL, figures TEXT NOT NULL, because TEXT NOT NULL,
        phase TEXT NOT NULL, since TEXT, rounds INTEGER NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX guard_alerts_open ON guard_alerts (kind, mode) WHERE cleared IS NULL",
    "CREATE INDEX guard_alerts_by_time ON guard_alerts (raised)",
    # Requests that could not be logged.
    """
    CREATE TABLE guard_losses (
        number INTEGER PRIMARY KEY, at REAL NOT NULL, requests INTEGER NOT NULL, why TEXT NOT NULL
    ) STRICT""",
)


@migrations()
def m001_schema(db: Database) -> None:
    """Create all tables."""
    for statement in (*_CONVERSATIONS, *_LABELS, *_SESSIONS, *_REQUESTS):
        db.execute(statement)
