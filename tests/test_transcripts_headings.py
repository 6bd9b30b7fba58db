"""Who speaks under headings of Markdown and in plain text, whatever the assistant is called."""

from __future__ import annotations

import pytest

from convgate.transcripts import read_text

SAID = ("Which tide?", "The late one.", "When is it?", "At six.")


def speakers(text: str) -> list[tuple[str, str | None, str]]:
    (conversation,) = read_text(text).conversations
    return [(turn.role, turn.name, turn.text) for turn in conversation.turns]


def chat(form: str, user: str, other: str, between: str = "\n\n") -> str:
    names = (user, other, user, other)
    return between.join(form.format(name, said) for name, said in zip(names, SAID, strict=True))


@pytest.mark.parametrize(
    "name", ["Model", "MODEL", "Agent", "Response", "Kimi", "Qwen 2.5", "GPT-4.1", "Sonnet"]
)
@pytest.mark.parametrize("form", ["## {}\n\n{}", "**{}:**\n{}", "**{}**: {}", "### {}:\n{}", "**{}**\n\n{}"])
@pytest.mark.parametrize("user", ["User", "You"])
def test_the_other_heading_beside_the_users_is_the_assistants(form: str, user: str, name: str):
    turns = speakers(chat(form, user, name))
    assert [(role, text) for role, _, text in turns] == list(
        zip(("user", "assistant") * 2, SAID, strict=True)
    )
    assert name.startswith(turns[1][1] or ""), "a name that is nobody's role is kept"


@pytest.mark.parametrize(
    ("user", "other"),
    [
        ("User 🧑‍💻", "Model ✨"), ("🧑 User", "🤖 Assistant"), ("User – 10:02", "Assistant – 10:03"),
        ("Message 3 – User", "Message 4 – Assistant"), ("1. User", "2. Assistant"),
        ("[10:02] User", "[10:03] AI"), ("User (10:02)", "Claude (10:03)"),
        ("USER #1", "ASSISTANT #2"), ("👤 You", "✨ Kimi"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["## {}\n\n{}", "**{}:**\n\n{}"])
def test_what_decorates_a_role_is_no_part_of_it(form: str, user: str, other: str):
    turns = speakers(chat(form, user, other, between="\n\n---\n\n"))
    assert [(role, text) for role, _, text in turns] == list(
        zip(("user", "assistant") * 2, SAID, strict=True)
    )


@pytest.mark.parametrize("other", ["Agent", "Mira", "Kimi"])
def test_beside_a_user_the_only_other_name_is_the_assistant(other: str):
    assert [role for role, *_ in speakers(chat("{}: {}", "User", other, "\n"))] == ["user", "assistant"] * 2
    three = chat("{}: {}", "User", other, "\n") + "\nAnn: Hm.\nAnn: No.\n"
    assert "assistant" not in {role for role, *_ in speakers(three)}, (
        "of two others, nobody is known to be it"
    )


def test_headings_within_an_answer_are_no_turns():
    answer = "## Kimi\n\nFirst.\n\n## Steps\n\nOne.\n\n## Notes\n\nTwo."
    turns = speakers("\n\n".join(["## User\n\nHow?", answer] * 3))
    assert [role for role, *_ in turns] == ["user", "assistant"] * 3
    assert "## Steps" in turns[1][2]


def test_headings_that_may_be_turns_and_are_none_are_told():
    text = "## User\n\nOne.\n\n## Notes\n\nTwo.\n\n## Steps\n\nThree.\n\n## Steps\n\nFour."
    transcript = read_text(text)
    assert [turn.role for turn in transcript.conversations[0].turns] == ["user"]
    assert "'Steps' heads 2 parts" in str(transcript.problems)


@pytest.mark.parametrize("form", ["### 👤 **{}**\n\n{}", "## 🤖: {}\n\n{}", "## 💬 **{}**:\n\n{}"])
def test_signs_may_stand_before_a_bold_role(form: str):
    assert [role for role, *_ in speakers(chat(form, "You", "ChatGPT"))] == ["user", "assistant"] * 2


def test_numbered_headings_about_roles_are_no_turns():
    answer = (
        "## Assistant\n\nThree parts.\n\n## 1. System\n\nA.\n\n## 2. Tool\n\nB.\n\n## User 1: the admin\n\nC."
    )
    turns = speakers(f"## User\n\nWhat are the roles?\n\n{answer}\n\n## User\n\nThanks.")
    assert [role for role, *_ in turns] == ["user", "assistant", "user"]
    assert turns[1][2].endswith("C.")


def test_a_single_other_heading_is_told():
    transcript = read_text("## You\n\nWhich tide?\n\n## Kimi\n\nThe late one.")
    assert len(transcript.conversations[0].turns) == 1
    assert "'Kimi' heads 1 part" in str(transcript.problems)


def test_numbers_in_names_and_what_said_adds():
    two = "\n\n".join(f"**User:** {n}\n\n**Agent {n % 2 + 1}:** x" for n in range(4))
    assert [name for role, name, _ in speakers(two) if role == "assistant"] == ["Agent 1", "Agent 2"] * 2
    assert speakers(chat("## {} said:\n\n{}", "You", "Kimi"))[1][1] == "Kimi"
    assert speakers(chat("## {}\n\n{}", "User", "Sonnet 4.5"))[1][1] == "Sonnet 4.5"
