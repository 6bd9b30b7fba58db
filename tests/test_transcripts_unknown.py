"""Files in no format: what their error says they look like."""

from __future__ import annotations

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import read_conversations
from tests.transcript_files import zipped


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7 ...", ["PDF", "paste"]),
        (b"\x89PNG\r\n\x1a\n", ["image"]),
        (b"\x1f\x8b\x08\0\0\0\0\0", ["gzip", "unpack"]),
        (b"SQLite format 3\0", ["database"]),
        (bytes(range(256)) * 4, ["no text file"]),
        (b"<!DOCTYPE html>\n<html><body>User: Hi</body></html>", ["web page", "paste"]),
        (b"{\\rtf1\\ansi Hi}", ["rich text"]),
        (b'<?xml version="1.0"?><sms body="Hi"/>', ["XML"]),
        (
            b'{"items": [{"who": "Ana", "what": "Hi"}], "n": 1}',
            ["'items', 'n'", "'who', 'what'", "'messages'"],
        ),
        (
            b'[{"header": "Gemini Apps", "title": "Prompted Hi", "products": ["Gemini Apps"]}]',
            ["Google Takeout", "paste"],
        ),
        (b'[{"id": "x", "user_id": "u", "chat": {"messages": []}}]', ["Open WebUI", "plain text"]),
        (b'{"messages": [{"sender_name": "Ana", "content": "Hi"}]}', ["no role", "'sender_name'"]),
        (b'{"messages": [{"role": "user", "parts": []}]}', ["no content", "'parts'"]),
        (b'{"composerId": "c1", "conversation": []}', ["Cursor", "Markdown"]),
        (b'{"prompt": "2 + 2", "completion": "4"}\n' * 2, ["single prompts"]),
        (b"id,timestamp,name,sessionId,input,output\nt1,2026,chat,s,Hi,Ho", ["Langfuse", "JSON"]),
        (b"date;name;note\n1;Ana;Hi\n2;Ben;Ho", ["'date', 'name' and 'note'", "'text'"]),
        (b"date,text\n1,Hi\n2,Ho", ["'date' and 'text'", "'role'"]),
        (b"2026-05-08 10:02:03 INFO started\n2026-05-08 10:02:04 ERROR lost", ["log file"]),
        (
            b"WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nA: Hi\n\n2\n00:00:03.000 --> 00:00:04.000\nA: Ho\n",
            ["subtitles", "begin each turn"],
        ),
        (b"name: demo\nuser: ann\nassistant: helper\nmodel: gpt\ntimeout: 30", ["settings", "--format"]),
        (b"# all\nuser:\n  name: Ann\n  role: admin\nassistant:\n  name: Helper\n  model: x", ["settings"]),
        (b"Dear diary,\nit rains.", ["no line says who speaks", "begin each turn"]),
        (zipped({"[Content_Types].xml": "x", "word/document.xml": "x"}), ["office document", "plain text"]),
        (zipped({"a.png": "x", "b.zip": "x"}), ["'b.zip'", "unpack"]),
        (zipped({"a.png": "x", "b.png": "x"}), ["'a.png' and 'b.png'"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_error_says_what_the_file_looks_like(data: bytes, words: list[str]) -> None:
    with pytest.raises(TranscriptError) as raised:
        read_conversations(data, name="file")
    for word in words:
        assert word in str(raised.value)
