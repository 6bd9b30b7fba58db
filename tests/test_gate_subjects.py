"""What turns are about, and where that is talked about."""

from __future__ import annotations

from convgate.core.conversation import Turn
from convgate.gate.facts import facts_of
from convgate.gate.subjects import Subjects

ROUTER = (
    "The router loses its wifi at night.",
    "Which router is it?",
    "ok wait",
    "A router from 2019.",
    "Then the router is too old.",
)
BREAD = ("How long does sourdough take?", "Sourdough takes six hours.")


def make_subjects(*texts: str, name: str | None = None) -> Subjects:
    roles = ("user", "assistant")
    return Subjects([Turn.of(roles[place % 2], text, name=name) for place, text in enumerate(texts)])


def test_a_run_goes_on_over_one_turn_without_the_word_and_ends_where_another_subject_begins() -> None:
    subjects = make_subjects("hello there", *ROUTER, *BREAD)
    runs = {(subject.first, subject.last) for row in (1, 2, 4, 5) if (subject := subjects.of(row, ()))}
    assert runs == {(1, 5)}
    of_bread = subjects.of(6, ())
    assert (subjects.words(of_bread)[0], of_bread.first, of_bread.last) == ("sourdough", 6, 7)


def test_two_turns_without_the_word_end_a_run() -> None:
    subject = make_subjects(ROUTER[0], ROUTER[1], "ok", "wait", ROUTER[4]).of(0, ())
    assert (subject.first, subject.last) == (0, 1)


def test_turns_from_the_message_on_are_not_read() -> None:
    subjects = make_subjects(*ROUTER)
    assert subjects.of(0, (), stop=4).last == 3
    assert subjects.of(0, (), stop=5).last == 4, "nothing of the first answer is kept"


def test_words_of_the_message_and_names_of_speakers_say_nothing() -> None:
    message = facts_of(Turn.of("user", "is my router broken")).stems
    assert "router" not in make_subjects(*ROUTER).name([0, 1], message)
    assert (
        make_subjects("yuki, yuki, the lathe", "the lathe of yuki", name="yuki").name([0, 1], ()) == "lathe"
    )


def test_an_answer_without_such_words_is_about_what_its_question_is() -> None:
    subjects = make_subjects("Which oscilloscope is good?", "It is not for me to say.")
    assert subjects.words(subjects.of(1, ())) == ["oscilloscope"]


def test_turns_are_named_by_the_words_of_most_of_them_or_by_how_they_begin() -> None:
    subjects = make_subjects(*ROUTER, *BREAD)
    assert subjects.name(range(7), ()).split(", ")[0] == "router"
    assert subjects.name([3, 4, 5, 6], ()) == "router, sourdough", "neither is that of most"
    several = make_subjects(*BREAD, "The lathe.", "Lathe oil.", "Violins.", "ok", "The router.", "Tulips.")
    assert several.name(range(8), ()) == "sourdough, lathe, Violins, …"


def test_a_word_of_its_own_stands_beside_no_shared_one_and_words_side_by_side_are_one() -> None:
    subjects = make_subjects("The router of Oma", "A router with a bell")
    assert subjects.words(subjects.of(1, ())) == ["router"]
    flat = make_subjects("The Avenidas Novas flat", "Is Avenidas Novas far?")
    assert flat.words(flat.of(1, ())) == ["Avenidas Novas"]


def test_assent_and_verbs_of_other_languages_are_no_subject() -> None:
    german = "Wenn der Gasthof frei ist, kommt auch die Inge."
    subjects = make_subjects("Hast du drei Vorschläge?", "", german, "", "thx")
    named = [subjects.words(subjects.of(row, ())) for row in (0, 2, 4)]
    assert named == [["Vorschläge"], ["Gasthof", "Inge"], []]
    assert make_subjects("", "so  it is").name([0, 1], ()) == "so it is"
    assert make_subjects("").name([0], ()) == "no text"
