"""Answers of Gemini's `generateContent` and `streamGenerateContent`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convgate.adapters.expand import GEMINI_TOOL, NAME
from convgate.server.answers import NOT_RUN, PARAGRAPH, Api, Json, Kind, StreamReader
from convgate.transcripts.dialects.gemini import get_field

_CALL = "functionCall"
_DECLARATIONS = ("functionDeclarations", "function_declarations")


class _GeminiReader(StreamReader):
    def begin(self) -> None:
        self._last: Json = {}
        self._parts: list[Json] = []
        self._has_text = False

    def read(self, event: Json) -> Kind:
        parts = _parts(event)
        has_calls = any(_CALL in part for part in parts)
        if any({"partialArgs", "willContinue"} & part.get(_CALL, {}).keys() for part in parts):
            raise ValueError("a call in pieces")
        self._last |= event
        self._parts += (part for part in parts if part != {"text": ""})  # is refused in a request
        return "call" if has_calls else "text" if parts else None

    @property
    def answer(self) -> Json:
        return _with_parts(self._last, self._parts)

    def text_of(self, event: Json) -> Json | None:
        said = _without_calls(event)
        if not _parts(said):
            return None
        (candidate,) = said["candidates"]
        return {**said, "candidates": [{**candidate, "finishReason": None}]}

    def go_on(self, event: Json, front: Json) -> Json | None:
        if self._has_text or not _says(event):
            return event
        self._has_text = True
        return _with_parts(event, [*_gap(front, event), *_parts(event)])


class _Gemini(Api):
    """A call is the `functionCall` of a part. Parts go back as they came: signatures belong to them."""

    field, usage_field, tool, reader = "contents", "usageMetadata", GEMINI_TOOL, _GeminiReader

    def with_tool(self, request: Json) -> Json | None:
        tools = request["tools"]
        places = [(place, key) for place, tool in enumerate(tools) for key in _DECLARATIONS if tool.get(key)]
        names = {self.name(each) for place, key in places for each in tools[place][key]}
        config = get_field(request, "generation_config") or {}
        if not places or NAME in names or get_field(config, "candidate_count") not in (None, 1):
            return None
        place, key = places[-1]  # Vertex AI takes one tool with functions
        tool = {**tools[place], key: [*tools[place][key], *self.tool[_DECLARATIONS[0]]]}
        return {**request, "tools": [*tools[:place], tool, *tools[place + 1 :]]}

    def calls(self, answer: Json) -> list[Json]:
        calls = [part[_CALL] for part in _parts(answer) if _CALL in part]
        return calls if calls and answer["candidates"][0].get("finishReason") == "STOP" else []

    def refuse(self, call: Json) -> Json:
        own = {name: call[name] for name in ("id", "name") if name in call}
        return {"functionResponse": {**own, "response": {"error": NOT_RUN}}}

    def follow(self, request: Json, answer: Json, results: Sequence[Json]) -> list[Json]:
        return [answer["candidates"][0]["content"], {"role": "user", "parts": [*results]}]

    def front(self, answer: Json) -> Json:
        return _without_calls(answer)

    def join(self, front: Json, answer: Json) -> Json:
        return _with_parts(answer, [*_parts(front), *_gap(front, answer), *_parts(answer)])


class _StreamedGemini(_Gemini):
    """A stream of server-sent events, or an array."""

    def is_streamed(self, request: Json) -> bool:
        return True

    def is_array(self, query: Mapping[str, str]) -> bool:
        return query.get("alt") != "sse"


GEMINI, STREAMED_GEMINI = _Gemini(), _StreamedGemini()


def _parts(answer: Json) -> list[Json]:
    """Return the parts of an answer or event; none where a prompt is refused."""
    if not answer.get("candidates"):
        return []
    (candidate,) = answer["candidates"]
    return list((candidate.get("content") or {}).get("parts") or ())


def _with_parts(answer: Json, parts: Sequence[Json]) -> Json:
    if not answer.get("candidates"):
        return answer
    (candidate,) = answer["candidates"]
    content = {"role": "model", **(candidate.get("content") or {}), "parts": [*parts]}
    return {**answer, "candidates": [{**candidate, "content": content}]}


def _without_calls(answer: Json) -> Json:
    return _with_parts(answer, [part for part in _parts(answer) if _CALL not in part])


def _says(answer: Json) -> bool:
    return any(part.get("text") and not part.get("thought") for part in _parts(answer))


def _gap(front: Json, answer: Json) -> list[Json]:
    """Return what stands between two answers with text: programs join the texts of parts."""
    return [{"text": PARAGRAPH}] if _says(front) and _says(answer) else []
