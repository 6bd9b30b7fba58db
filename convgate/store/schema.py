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
        is_live INTEGER NOT NULL DEFAULT 0,  -- from feedback of an agent: grows with the next feedback
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
    # What was changed of single turns: kind is boundary, invariants, mode or pruned; value is JSON, NULL
    # removes it. The last step of a turn holds; steps are counted over all conversations.
    """
    CREATE TABLE turn_edits (
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        kind TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, value TEXT,
        PRIMARY KEY (conversation, kind, turn, step)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX turn_edits_by_step ON turn_edits (step)",
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
    CREATE TABLE messages (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        turn INTEGER, question TEXT NOT NULL DEFAULT '',
        CHECK ((turn IS NULL) = (question <> ''))
    ) STRICT""",
    "CREATE UNIQUE INDEX messages_once ON messages (conversation, coalesce(turn, -1), question)",
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
        message INTEGER NOT NULL REFERENCES messages (number) ON DELETE CASCADE,
        turn INTEGER NOT NULL CHECK (turn >= -1),
        annotator INTEGER NOT NULL REFERENCES annotators (number),
        answer TEXT,  -- NULL removes the former one
        at TEXT NOT NULL, version TEXT
    ) STRICT""",
    "CREATE INDEX label_log_by_action ON label_log (action)",
    "CREATE INDEX label_log_by_turn ON label_log (message, turn, annotator)",
    *(
        f"""
        CREATE TRIGGER {table}_stays BEFORE UPDATE ON {table}
        BEGIN SELECT raise(ABORT, 'the log of labels is append-only'); END"""
        for table in ("label_log", "label_actions")
    ),
    # The current answers, which follow the log.
    """
    CREATE TABLE labels (
        message INTEGER NOT NULL REFERENCES messages (number) ON DELETE CASCADE,
        turn INTEGER NOT NULL, annotator INTEGER NOT NULL REFERENCES annotators (number),
        answer TEXT NOT NULL, at TEXT NOT NULL, version TEXT,
        PRIMARY KEY (message, turn, annotator)
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TRIGGER labels_follow AFTER INSERT ON label_log
    BEGIN
        DELETE FROM labels WHERE message = new.message AND turn = new.turn
            AND annotator = new.annotator;
        INSERT INTO labels SELECT new.message, new.turn, new.annotator, new.answer, new.at, new.version
            WHERE new.answer IS NOT NULL;
    END""",
    "CREATE INDEX labels_by_annotator ON labels (annotator, turn, message, answer)",
    "CREATE INDEX labels_by_time ON labels (annotator, at)",
    """
    CREATE TABLE queues (
        number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, made_by TEXT NOT NULL,
        made_at TEXT NOT NULL, seed INTEGER NOT NULL
    ) STRICT""",
    """
    CREATE TABLE queue_items (
        queue INTEGER NOT NULL REFERENCES queues (number) ON DELETE CASCADE, place INTEGER NOT NULL,
        message INTEGER NOT NULL REFERENCES messages (number) ON DELETE CASCADE,
        turn INTEGER NOT NULL CHECK (turn >= 0), kind TEXT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (queue, place)
    ) STRICT, WITHOUT ROWID""",
    "CREATE UNIQUE INDEX queue_items_once ON queue_items (message, turn, queue)",
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
    # at, outcome_at: seconds since 1970. low: whether the classifier was unsure; NULL with an intent.
    # fallbacks: causes, joined by spaces. ok: NULL without an outcome. Ids may repeat.
    """
    CREATE TABLE requests (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, at REAL NOT NULL, mode TEXT NOT NULL,
        classified TEXT NOT NULL, confidence REAL NOT NULL, source TEXT NOT NULL, low INTEGER,
        tokens_rules INTEGER NOT NULL, tokens_task_state INTEGER NOT NULL,
        tokens_recent INTEGER NOT NULL, tokens_evidence INTEGER NOT NULL,
        tokens_decisions INTEGER NOT NULL, tokens_capsules INTEGER NOT NULL,
        tokens_total INTEGER NOT NULL, budget INTEGER NOT NULL, invariants INTEGER NOT NULL,
        breaches INTEGER NOT NULL, over_budget INTEGER NOT NULL, fallbacks TEXT NOT NULL,
        seconds REAL NOT NULL, ok INTEGER, outcome_at REAL
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
    # mode: of an error rate, else ''.
    """
    CREATE TABLE guard_alerts (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, mode TEXT NOT NULL, raised TEXT NOT NULL,
        cleared TEXT, message TEXT NOT NULL, figures TEXT NOT NULL, because TEXT NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX guard_alerts_open ON guard_alerts (kind, mode) WHERE cleared IS NULL",
    "CREATE INDEX guard_alerts_by_time ON guard_alerts (raised)",
    # Requests that could not be logged.
    """
    CREATE TABLE guard_losses (
        number INTEGER PRIMARY KEY, at REAL NOT NULL, requests INTEGER NOT NULL, why TEXT NOT NULL
    ) STRICT""",
)

_MEMORY = (
    # Active invariants of the request, by type.
    *(
        f"ALTER TABLE requests ADD COLUMN invariants_{type} INTEGER NOT NULL DEFAULT 0"
        for type in ("safety_requirement", "user_correction", "hard_constraint", "blocking_error")
    ),
    # The workspace outlasts the session that the conversation belongs to.
    "ALTER TABLE conversations ADD COLUMN workspace TEXT",
    "CREATE INDEX conversations_by_workspace ON conversations (workspace, added)",
    """
    UPDATE conversations SET workspace = (
        SELECT sessions.workspace FROM session_conversations AS held
        JOIN sessions ON sessions.number = held.session WHERE held.conversation = conversations.number
    )""",
    # JSON; it stands for the turns before `summary_stop`, and is dropped when one of them changes.
    "ALTER TABLE conversations ADD COLUMN summary TEXT",
    "ALTER TABLE conversations ADD COLUMN summary_stop INTEGER",
    *(
        f"""
        CREATE TRIGGER summary_dropped_by_{event} AFTER {event} ON turn_edits WHEN {row}.kind = 'pruned'
        BEGIN
            UPDATE conversations SET summary = NULL
            WHERE number = {row}.conversation AND summary_stop > {row}.turn;
        END"""
        for event, row in (("insert", "new"), ("delete", "old"))
    ),
)

_EXPERIMENTS = (
    # definition: arms and plan, as JSON.
    """
    CREATE TABLE experiments (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
        started TEXT NOT NULL
    ) STRICT""",
    # place: of the session among those of its stratum.
    """
    CREATE TABLE experiment_assignments (
        experiment INTEGER NOT NULL REFERENCES experiments (number) ON DELETE CASCADE,
        session_id TEXT NOT NULL, arm TEXT NOT NULL, mode TEXT NOT NULL, difficulty TEXT NOT NULL,
        model TEXT NOT NULL, tenant TEXT NOT NULL, place INTEGER NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (experiment, session_id),
        UNIQUE (experiment, mode, difficulty, model, tenant, place)
    ) STRICT, WITHOUT ROWID""",
    # messages: what was asked, as JSON; empty where no text was recorded. sent, needed: indices of messages
    # as JSON; NULL where unknown.
    """
    CREATE TABLE trials (
        number INTEGER PRIMARY KEY,
        experiment INTEGER NOT NULL REFERENCES experiments (number) ON DELETE CASCADE,
        request_id TEXT NOT NULL, session_id TEXT NOT NULL, arm TEXT NOT NULL,
        latency_seconds REAL NOT NULL, tokens INTEGER NOT NULL, answer_test TEXT,
        messages TEXT NOT NULL, answer TEXT NOT NULL, sent TEXT, needed TEXT, at TEXT NOT NULL,
        UNIQUE (experiment, request_id, arm)
    ) STRICT""",
    # The arm whose answers a rater sees.
    """
    CREATE TABLE raters (
        experiment INTEGER NOT NULL REFERENCES experiments (number) ON DELETE CASCADE,
        name TEXT NOT NULL, arm TEXT NOT NULL, PRIMARY KEY (experiment, name)
    ) STRICT, WITHOUT ROWID""",
    # The last rating of a rater counts. completed, errors, focus: NULL where the rater is unsure.
    """
    CREATE TABLE ratings (
        number INTEGER PRIMARY KEY,
        trial INTEGER NOT NULL REFERENCES trials (number) ON DELETE CASCADE,
        rater TEXT NOT NULL, is_judge INTEGER NOT NULL, completed INTEGER, errors TEXT, focus INTEGER,
        at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX ratings_by_trial ON ratings (trial)",
    # Errors that a language model found, by a hash of all that it was given.
    "CREATE TABLE judgements (key TEXT PRIMARY KEY, errors TEXT NOT NULL) STRICT, WITHOUT ROWID",
)

_ROLLOUTS = (
    # Of requests: the arm of a rollout; a hash of the session's id; the seconds until the answer; whether it
    # ended with an error.
    "ALTER TABLE requests ADD COLUMN arm TEXT",
    "ALTER TABLE requests ADD COLUMN session INTEGER",
    "ALTER TABLE requests ADD COLUMN answer_seconds REAL",
    "ALTER TABLE requests ADD COLUMN error INTEGER",
    "CREATE INDEX requests_by_arm ON requests (arm, at, ok, error) WHERE arm IS NOT NULL",
    # owners: of each phase, as JSON. phase: from 1. next_look: at its conditions; next_watch: at the rules.
    """
    CREATE TABLE rollouts (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, owners TEXT NOT NULL, seed INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'rolled back')), phase INTEGER NOT NULL,
        started TEXT NOT NULL, phase_started TEXT NOT NULL, next_look TEXT, next_watch TEXT NOT NULL
    ) STRICT""",
    # session: a hash of its id.
    """
    CREATE TABLE rollout_sessions (
        rollout INTEGER NOT NULL REFERENCES rollouts (number) ON DELETE CASCADE,
        session BLOB NOT NULL, arm TEXT NOT NULL, PRIMARY KEY (rollout, session)
    ) STRICT, WITHOUT ROWID""",
    """
    CREATE TABLE rollout_decisions (
        number INTEGER PRIMARY KEY, rollout INTEGER NOT NULL REFERENCES rollouts (number) ON DELETE CASCADE,
        at TEXT NOT NULL, phase INTEGER NOT NULL, action TEXT NOT NULL, who TEXT NOT NULL,
        reason TEXT NOT NULL, figures TEXT NOT NULL, next_look TEXT
    ) STRICT""",
    "CREATE INDEX rollout_decisions_by_rollout ON rollout_decisions (rollout)",
    """
    CREATE TABLE rollout_checks (
        rollout INTEGER NOT NULL REFERENCES rollouts (number) ON DELETE CASCADE,
        phase INTEGER NOT NULL, item TEXT NOT NULL, who TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (rollout, phase, item)
    ) STRICT, WITHOUT ROWID""",
)

_GROWTH = (
    # Turns that were appended to the document, as a JSON list; their search text has the number below 0.
    """
    CREATE TABLE grown_turns (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
        turns TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX grown_turns_by_conversation ON grown_turns (conversation)",
    "DROP INDEX openings_by_conversation",
    "CREATE INDEX openings_by_conversation ON openings (conversation, length)",
)

_COSTS = (
    # hash: of all turns up to `current`, the message that the request answered. sent: its messages as runs of
    # successive indices, [first, count]; numbers below 0 are no turns. details: quotes, stubs and what the
    # conversation cost. Both as JSON.
    """
    CREATE TABLE sent_requests (
        hash BLOB PRIMARY KEY, current INTEGER NOT NULL, at REAL NOT NULL, tokens INTEGER NOT NULL,
        sent TEXT NOT NULL, details TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sent_requests_by_time ON sent_requests (at)",
)

_ELISION = (
    # The text of each tool result that was sent as a stub; sent: when that was last.
    "CREATE TABLE elided_results (id TEXT PRIMARY KEY, text TEXT NOT NULL, sent TEXT NOT NULL) STRICT",
    "CREATE INDEX elided_results_by_time ON elided_results (sent)",
)


@migrations()
def m001_tables(db: Database) -> None:
    """Create all tables."""
    for statement in (*_CONVERSATIONS, *_LABELS, *_SESSIONS, *_REQUESTS):
        db.execute(statement)


@migrations()
def m002_memory(db: Database) -> None:
    """Add invariant types to the log of requests, and workspaces and summaries to conversations."""
    for statement in _MEMORY:
        db.execute(statement)


@migrations()
def m003_experiments(db: Database) -> None:
    """Create the tables of experiments."""
    for statement in _EXPERIMENTS:
        db.execute(statement)


@migrations()
def m004_rollouts(db: Database) -> None:
    """Create the tables of rollouts, and add the arm and the answer of each request to the log."""
    for statement in _ROLLOUTS:
        db.execute(statement)


@migrations()
def m005_growth(db: Database) -> None:
    """Create the table of turns that conversations grew by."""
    for statement in _GROWTH:
        db.execute(statement)


@migrations()
def m006_costs(db: Database) -> None:
    """Create the table of what was sent last, which decides whether a prefix is still in a cache."""
    for statement in _COSTS:
        db.execute(statement)


@migrations()
def m007_elision(db: Database) -> None:
    """Create the table of tool results that were sent as stubs."""
    for statement in _ELISION:
        db.execute(statement)
