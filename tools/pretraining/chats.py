"""Training sets made of the written chats with an assistant: new subjects, long histories, long turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.training.sets import read_packed
from convgate.transcripts.cases import Case, RelevanceSet
from tools.pretraining.messages import read_written

TEXTS = Path(__file__).parent / "texts"  # that do not come with convgate
_SHORT_EACH = 8  # new subjects put into one chat
_BESIDE_SHORT = 3
_FLOW_CASES = 12  # cases within the flow that a long history keeps
_ECHO = 0.35  # share of lengthened answers that repeat what they answer


def training_chats() -> RelevanceSet:
    """Return the written chats of the training writers; those of the others are `chats.dev`."""
    (chats,) = read_packed("chats.train.")
    return chats


def personal_chats() -> RelevanceSet:
    """Return chats over months in which a person tells of their life, with questions asked later.

    Lasting instructions without a condition hold for every question, and are judged for none.
    """
    (chats,) = read_packed("personal.")
    asked_for: dict[str, set[int]] = {id: set() for id in chats.conversations}
    for case in chats.cases:
        asked_for[case.conversation] |= case.relevant
    judged = {
        id: frozenset(range(len(conversation)))
        - ({item["index"] for item in conversation.metadata["instructions"]} - asked_for[id])
        for id, conversation in chats.conversations.items()
    }
    cases = tuple(replace(case, judged=judged[case.conversation]) for case in chats.cases)
    return replace(chats, cases=cases)


def new_subjects() -> tuple[str, ...]:
    """Return short messages that need nothing said before them."""
    return tuple(line["text"] for line in read_written("phrases") if line["kind"] == "new")


def chat_sets(*, seed: int) -> list[RelevanceSet]:
    """Return all sets that are made of chats, as written and changed."""
    written, personal = training_chats(), personal_chats()
    return [
        written,
        short_subjects(written, seed=seed),
        long_chats(written, count=60, seed=seed + 1),
        personal,
        lengthened_answers(personal, count=120, seed=seed + 2),
    ]


def short_subjects(sets: RelevanceSet, *, seed: int) -> RelevanceSet:
    """Return the chats broken off at answers, each followed by a short message on a new subject.

    Nothing is relevant to it; whether a lasting instruction is, is unknown, so those are not judged. Three
    messages of the chat itself are cases, too.
    """
    rng = np.random.default_rng(seed)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    order, number = rng.permutation(len(new_subjects())), 0
    by_conversation = _by_conversation(sets)
    for id, conversation in sets.conversations.items():
        answers = [i for i, turn in enumerate(conversation.turns) if turn.role == "assistant" and i > 2]
        for stop in sorted(rng.permutation(answers)[:_SHORT_EACH].tolist()):
            text = new_subjects()[order[number % len(order)]]
            number += 1
            name = f"{id}-short-{stop}"
            turns = (*conversation.turns[: stop + 1], Turn.of("user", text))
            instructions = {item["index"] for item in conversation.metadata["instructions"]}
            judged = frozenset(range(stop + 1)) - instructions
            conversations[name] = replace(conversation, id=name, turns=turns)
            cases.append(Case(name, name, stop + 1, None, frozenset(), judged=judged))
            before = [case for case in by_conversation[id] if case.turn is not None and case.turn <= stop]
            chosen = rng.permutation(len(before))[:_BESIDE_SHORT]
            cases += [_moved(before[place], name, 0) for place in chosen]
    return RelevanceSet("short-subjects", conversations, tuple(cases))


def long_chats(sets: RelevanceSet, *, count: int, seed: int) -> RelevanceSet:
    """Return `count` histories of three to six chats, with what is asked in them and later.

    Whether the lasting instructions of the other chats hold for a case is unknown: they are not judged.
    """
    rng = np.random.default_rng(seed)
    by_conversation = _by_conversation(sets)
    ids = list(sets.conversations)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        chosen = rng.permutation(len(ids))[: rng.integers(3, 7)]
        name, turns = f"long-chat-{number}", list[Turn]()
        asked: list[tuple[Case, set[int]]] = []
        stated: set[int] = set()  # turns with lasting instructions
        for id in (ids[place] for place in chosen):
            conversation, start = sets.conversations[id], len(turns)
            own = {start + item["index"] for item in conversation.metadata["instructions"]}
            asked += [(_moved(case, name, start), own) for case in by_conversation[id]]
            stated |= own
            turns += conversation.turns
        flow, later = list[Case](), list[Case]()
        for case, own in asked:
            stop = len(turns) if case.turn is None else case.turn
            judged = frozenset(range(stop)) - (stated - own)
            (later if case.turn is None else flow).append(replace(case, judged=judged))
        conversations[name] = Conversation(name, tuple(turns), format="relevance-set")
        cases += later + [flow[i] for i in rng.permutation(len(flow))[:_FLOW_CASES]]
    return RelevanceSet("long-chats", conversations, tuple(cases))


def lengthened_answers(sets: RelevanceSet, *, count: int, seed: int) -> RelevanceSet:
    """Return `count` histories of one to three chats, whose answers are lengthened by others near them.

    So an answer resembles much that is asked, as answers of language models do, and is no evidence for it.
    """
    rng = np.random.default_rng(seed)
    by_conversation = _by_conversation(sets)
    ids = list(sets.conversations)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        chosen = [ids[place] for place in rng.permutation(len(ids))[: rng.integers(1, 4)]]
        name, most = f"lengthened-{number}", int(rng.choice([2, 4, 8]))
        sessions = {id: _sessions(_lengthened(sets.conversations[id].turns, most, rng), rng) for id in chosen}
        place: dict[tuple[str, int], int] = {}
        turns: list[Turn] = []
        while left := [id for id in chosen if sessions[id]]:
            id = left[rng.integers(len(left))]
            for row, turn in sessions[id].pop(0):
                place[id, row] = len(turns)
                turns.append(turn)
        conversations[name] = Conversation(name, tuple(turns), format="relevance-set")
        judged = {id: by_conversation[id][0].judged or range(len(sets.conversations[id])) for id in chosen}
        known = frozenset(place[id, row] for id in chosen for row in judged[id])
        for id in chosen:
            cases += [
                replace(
                    case,
                    id=f"{name}-{case.id}",
                    conversation=name,
                    relevant=frozenset(place[id, row] for row in case.relevant),
                    judged=known,
                )
                for case in by_conversation[id]
            ]
    return RelevanceSet("lengthened-answers", conversations, tuple(cases))


def _by_conversation(sets: RelevanceSet) -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = {id: [] for id in sets.conversations}
    for case in sets.cases:
        cases[case.conversation].append(case)
    return cases


def _moved(case: Case, conversation: str, by: int) -> Case:
    return replace(
        case,
        id=f"{conversation}-{case.id}",
        conversation=conversation,
        turn=None if case.turn is None else case.turn + by,
        relevant=frozenset(turn + by for turn in case.relevant),
        needed=None if case.needed is None else frozenset(turn + by for turn in case.needed),
    )


def _lengthened(turns: Sequence[Turn], most: int, rng: np.random.Generator) -> list[Turn]:
    lengthened = []
    for row, turn in enumerate(turns):
        if turn.role != "assistant" or not row:
            lengthened.append(turn)
            continue
        near = [other.text for other in turns[max(0, row - 16) : row + 16] if other.role == "assistant"]
        added = [near[i] for i in rng.permutation(len(near))[: rng.integers(most // 2, most + 1)]]
        echo = [turns[row - 1].text] * bool(rng.random() < _ECHO)
        text = "\n\n".join([*echo, turn.text, *(other for other in added if other != turn.text)])
        lengthened.append(replace(turn, parts=(ContentPart("text", text),), source=None))
    return lengthened


def _sessions(turns: Sequence[Turn], rng: np.random.Generator) -> list[list[tuple[int, Turn]]]:
    numbered, sessions = list(enumerate(turns)), []
    while numbered:
        size = 2 * int(rng.integers(6, 17))
        sessions.append(numbered[:size])
        numbered = numbered[size:]
    return sessions
