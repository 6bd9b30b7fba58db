"""What a batch finds out about each conversation, as rows of Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from convgate.batch.inputs import PART_TURNS, BadRow, Part
from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import CachedEncoder, default_encoder
from convgate.embedding.states import states_beside
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import KindJudge
from convgate.invariants.judge import shipped_model as kind_model
from convgate.modes.classifier import ModeClassifier
from convgate.modes.classifier import shipped_model as mode_model
from convgate.modes.conversation import ModeTracker
from convgate.policies.base import PreparablePolicy
from convgate.policies.build import build_policy, find_version, spec_of
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import check_spec, stages_of
from convgate.selection.load import selector_of
from convgate.selection.reading import encode_turns
from convgate.selection.selection import Selection
from convgate.versions import UNTRAINED

Turns = Literal["last", "all"]

_DECISION = {
    "index": pa.int32(), "kept": pa.bool_(), "score": pa.float64(), "rule": pa.string(),
    "reason": pa.string(),
}  # fmt: skip
_INVARIANT = pa.struct(
    {
        "type": pa.string(), "priority": pa.int32(), "source": pa.int32(), "text": pa.string(),
        "scope": pa.string(), "active": pa.bool_(), "superseded_by": pa.int32(),
        "likelihood": pa.float64(), "held": pa.bool_(), "changed_by": pa.list_(pa.int32()),
    }
)  # fmt: skip
_COLUMNS = {
    "file": pa.string(),
    "conversation": pa.string(),
    "turn": pa.int32(),
    "messages": pa.string(),
    "indices": pa.list_(pa.int32()),
    "tokens_kept": pa.int32(),
    "tokens_total": pa.int32(),
    "threshold": pa.float64(),
    "decisions": pa.list_(pa.struct(_DECISION)),
}
_MODES_AND_INVARIANTS = {
    "mode": pa.string(),
    "mode_confidence": pa.float64(),
    "invariants": pa.list_(_INVARIANT),
}


@dataclass(frozen=True)
class BatchOptions:
    """What is computed for each conversation. Results of different options do not mix."""

    settings: Settings
    policy: str
    version: str | None = None  # of the gate: a name or a folder; None: the active one, or there is no gate
    turns: Turns = "last"  # the last turn that a model would answer, or each of them
    context: bool = False  # whether mode and invariants are found too
    embeddings: bool = False  # whether every turn's vector is kept
    format: str | None = None  # of the files; None: recognised
    part_turns: int = PART_TURNS


def resolve_options(options: BatchOptions) -> BatchOptions:
    """Return the options with the version of the gate that is active now, for all of a long run.

    Raises PolicyError or GateError when there is no such policy or version.
    """
    check_spec(replace(spec_of(options.settings, options.policy), version=None))
    version = resolve_version([options.policy], options.settings, options.version)
    return replace(options, version=version)


def resolve_version(policies: Sequence[str], settings: Settings, version: str | None) -> str | None:
    """Return the name or the folder of the gate's version; None when no stage of the policies is a gate."""
    stages = [stage.name for name in policies for stage in stages_of(spec_of(settings, name))]
    if GatePolicy.name not in stages:
        return None
    found = find_version(settings, version)
    if found is None:
        return UNTRAINED
    return str(found.absolute()) if isinstance(found, Path) else found.name


@dataclass(frozen=True)
class PartTables:
    """The rows of one part."""

    decisions: pa.Table  # a row for each answered turn
    embeddings: pa.Table | None  # a row for each turn
    bad: Sequence[BadRow]


class BatchDecider:
    """Decides about conversations; holds the encoder, the policy and the classifiers.

    Vectors are cached in memory alone. Raises the errors of `build_policy` and of `default_encoder`.
    """

    def __init__(self, options: BatchOptions) -> None:
        settings = options.settings
        self._options = options
        self._encoder = load_encoder(settings)
        policy = build_policy(options.policy, settings, self._encoder, version=options.version)
        selector = replace(selector_of(policy, settings), around=())
        self._schema = pa.schema(_COLUMNS | (_MODES_AND_INVARIANTS if options.context else {}))
        self._classifier = ModeClassifier(mode_model(), states_beside(self._encoder))
        judge = KindJudge(kind_model(), CachedEncoder(BundledEncoder("span states"), None))
        self._reader = InvariantReader(judge)
        self._selector = replace(selector, holds=selector.holds and (lambda: self._reader))

    def decide(self, part: Part) -> PartTables:
        """Return the rows of a part; a conversation that cannot be decided is a bad row."""
        answered = [(each, self._answered(each)) for each in part.conversations]
        if not self._options.embeddings:
            # What comes after the last answered message is neither sent nor scored.
            answered = [
                (replace(each, turns=each.turns[: indices[-1] + 1]), indices) for each, indices in answered
            ]
        self._encode([conversation for conversation, _ in answered])
        rows: list[dict[str, Any]] = []
        bad = list(part.bad)
        for conversation, indices in answered:
            try:
                rows += [
                    {"file": part.file, "conversation": conversation.id, **row}
                    for row in self._rows(conversation, indices)
                ]
            except ConvgateError as error:
                bad.append(BadRow(part.file, str(error), conversation=conversation.id))
        decisions = pa.Table.from_pylist(rows, schema=self._schema)
        embeddings = self._embeddings(part) if self._options.embeddings else None
        return PartTables(decisions, embeddings, bad)

    def _answered(self, conversation: Conversation) -> list[int]:
        if self._options.turns == "all":
            return conversation.answerable()
        return [conversation.current_index()]

    def _encode(self, conversations: Sequence[Conversation]) -> None:
        """Encode all texts of the part in one go, so that deciding finds them in the cache."""
        policy, wants_vectors = self._selector.policy, self._options.embeddings
        if self._options.context:
            turns = [turn for conversation in conversations for turn in conversation.turns]
            needs_encoder = wants_vectors or isinstance(policy, PreparablePolicy)
            encode_turns(
                turns, encoder=self._encoder if needs_encoder else None, classifier=self._classifier,
                reader=lambda: self._reader,
            )  # fmt: skip
        if isinstance(policy, PreparablePolicy):
            policy.prepare(conversations)

    def _rows(self, conversation: Conversation, indices: Sequence[int]) -> Iterator[dict[str, Any]]:
        modes, start = ModeTracker(), 0
        for index in indices:
            selection = self._selector.select_at(conversation, index)
            row = _selection_row(index, selection)
            if self._options.context:
                new, start = conversation.turns[start : index + 1], index + 1
                modes.add(new, self._classifier, {})
                own = [decision for place, decision in modes.modes.decisions.items() if place <= index]
                row["mode"] = modes.modes.at(index)
                row["mode_confidence"] = own[-1].confidence if own else None
                row["invariants"] = [
                    invariant.to_json()
                    for invariant in self._reader.read(list(conversation.turns[: index + 1]))
                ]
            yield row

    def _embeddings(self, part: Part) -> pa.Table:
        turns = [
            (conversation.id, index, turn.scored_text)
            for conversation in part.conversations
            for index, turn in enumerate(conversation.turns)
        ]
        vectors = self._encoder.encode([text for _, _, text in turns])
        flat = pa.array(vectors.reshape(-1), pa.float32())
        return pa.table(
            {
                "file": pa.array([part.file] * len(turns), pa.string()),
                "conversation": pa.array([id for id, _, _ in turns], pa.string()),
                "turn": pa.array([index for _, index, _ in turns], pa.int32()),
                "embedding": pa.FixedSizeListArray.from_arrays(flat, self._encoder.identity.dimension),
            }
        )


def load_encoder(settings: Settings) -> Encoder:
    """Return the encoder of the settings with a cache in memory alone, which many workers do not wait for."""
    return default_encoder(settings.encoder, device=settings.device, dtype=settings.encoder_dtype)


def _selection_row(index: int, selection: Selection) -> dict[str, Any]:
    decisions = selection.decisions
    return {
        "turn": index,
        "messages": json.dumps(selection.messages, ensure_ascii=False, default=str),
        "indices": selection.indices,
        "tokens_kept": selection.tokens,
        "tokens_total": selection.tokens_total,
        "threshold": decisions.threshold,
        "decisions": [{name: getattr(decision, name) for name in _DECISION} for decision in decisions],
    }
