"""Long histories out of dialogues of two people, for questions that are asked later."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.transcripts.cases import Case, RelevanceSet


def lengthen(
    sets: Sequence[RelevanceSet],
    *,
    count: int,
    seed: int,
    parts: tuple[int, int] = (2, 8),
    name: str = "long",
) -> RelevanceSet:
    """`count` histories, each of several dialogues told as if all were between the same two people.

    parts: fewest and most dialogues in one. The sessions (turns of one time) of all come in the order of
    their times; the people of the first dialogue lend their names to the others, in turns and questions.
    Every question of a dialogue stays a case. A dialogue has exactly two named speakers, and a time at every
    turn.
    """
    dialogues = [
        (conversation, [case for case in each.cases if case.conversation == conversation.id])
        for each in sets
        for conversation in each.conversations.values()
        if len(_people(conversation)) == 2 and all(turn.timestamp for turn in conversation.turns)
    ]
    rng = np.random.default_rng(seed)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        chosen = rng.permutation(len(dialogues))[: rng.integers(parts[0], parts[1] + 1)]
        id = f"{name}-{number}"
        conversation, questions = _merged(id, [dialogues[place] for place in chosen])
        conversations[id] = conversation
        cases += questions
    return RelevanceSet(name, conversations, tuple(cases))


def _merged(id: str, dialogues: Sequence[tuple[Conversation, list[Case]]]) -> tuple[Conversation, list[Case]]:
    people = _people(dialogues[0][0])
    sessions = []
    for part, (conversation, _) in enumerate(dialogues):
        names = dict(zip(_people(conversation), people, strict=True))
        numbered = list(enumerate(conversation.turns))
        for time, group in groupby(numbered, key=lambda item: item[1].timestamp):
            sessions.append((time, part, [(row, _renamed(turn, names)) for row, turn in group]))
    # Times may have a zone or not; within these dialogues they are all of one kind.
    sessions.sort(key=lambda session: (session[0], session[1]))
    turns: list[Turn] = []
    place: dict[tuple[int, int], int] = {}
    for _, part, said in sessions:
        for row, turn in said:
            place[part, row] = len(turns)
            turns.append(turn)
    cases = []
    for part, (conversation, questions) in enumerate(dialogues):
        names = dict(zip(_people(conversation), people, strict=True))
        for case in questions:
            if case.query is not None:
                relevant = frozenset(place[part, row] for row in case.relevant)
                # What the other dialogues have to do with it nobody asked: they are known to be irrelevant.
                unknown = frozenset(
                    place[part, row]
                    for row in range(len(conversation))
                    if case.judged is not None and row not in case.judged
                )
                cases.append(
                    replace(
                        case,
                        id=f"{id}-{case.id}",
                        conversation=id,
                        query=_renamed(case.query, names),
                        relevant=relevant,
                        judged=frozenset(range(len(turns))) - unknown if unknown else None,
                    )
                )
    return Conversation(id, tuple(turns), format="relevance-set"), cases


def _people(conversation: Conversation) -> list[str]:
    return list(dict.fromkeys(turn.name for turn in conversation.turns if turn.name))


def _renamed(turn: Turn, names: Mapping[str, str]) -> Turn:
    pattern = re.compile(r"\b(" + "|".join(re.escape(name) for name in names) + r")\b")
    text = pattern.sub(lambda match: names[match.group()], turn.text)
    name = names.get(turn.name or "", turn.name)
    return replace(turn, parts=(ContentPart("text", text),), name=name, source=None)
