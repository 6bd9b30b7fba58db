"""German: words that patterns name."""

NAMED = {
    "polite": "(?:(?:und|aber|also|dann|ok|okay|bitte|hallo|hi|denk dran|auch) )*",
    "very": r"""
        (?:(?:wirklich|auch|sehr|eher|lieber|persoenlich|personlich|grundsatzlich|eigentlich|generell
        |einfach|es|ja) )*
    """,
    "noun": "(?:team|gruppe|firma|abteilung|mannschaft|kollegen|entwickler)",
}
