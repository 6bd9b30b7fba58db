"""French: what holds once, is supposed, wished or told of; and what says a thing again."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        """
            cette fois(?:-ci)?|juste (?:cette fois|aujourd'hui|pour (?:aujourd'hui|cette fois
            |maintenant))|pour (?:cette fois|l'instant|le moment|aujourd'hui|celui-ci|celle-ci)
            |exceptionnellement|une seule fois|pas encore|aujourd'hui seulement
        """,
    ),
    Pattern(
        "supposed",
        "what if",
        r"""
            (?:et si|imagine[z]?|suppos(?:e|ons|ez)|admettons|peut-etre|je me demande|si (?:on|j'|je
            |tu|nous) [^.!?\n]*(?:ait|ions|aient)|en theorie|dans l'ideal|idealement) [^.!?\n]*
        """,
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        """
            (?:j'|je |on |nous )(?:aimerais|aimerions|prefere|preferons|prefererais|voudrais
            |voudrions|adore|souhaite|souhaiterais)(?: bien)?|si possible|ce serait (?:bien|super
            |sympa|ideal|cool|chouette|mieux)|serait (?:bien|super|sympa|ideal|cool)|de preference
            |plutot|un peu (?:plus|moins)
        """,
    ),
    Pattern(
        "told of",
        "dit toujours",
        r"""
            (?:mon|ma|un|une|le|la|mes) (?:[a-z]+ )?(?:oncle|tante|ami|amie|collegue|voisin|voisine
            |mere|pere|frere|soeur|prof|coach|entraineur|article|livre|grand-mere|copain
            |copine) (?:[a-z']+ ){0,3}(?:dit|disait|pense|affirme|pretend|ecrit)[^.!?\n]*
            |(?:il parait|on dit|j'ai lu|j'ai entendu)[^.!?\n]*|on ne sait jamais[^.!?\n]*
        """,
    ),
    Pattern(
        "again",
        "j'ai dit",
        """
            j'ai (?:deja )?(?:dit|ecrit|demande)|je (?:l'ai|t'ai|vous ai) (?:deja )?dit|comme (?:dit
            |convenu)|je (?:le )?repete|rappel|n'oublie[z]? pas
        """,
    ),
    Pattern(
        "same",
        "toujours",
        "toujours|meme (?:erreur|message|probleme)|encore|rien ne change|pareil",
    ),
    Pattern(
        "adds",
        "aussi",
        "aussi|egalement|en plus|de plus|par ailleurs|autre (?:regle|contrainte)",
    ),
    Pattern(
        "past",
        "autrefois",
        r"""
            (?:avant|autrefois|l'an dernier|l'annee derniere|la semaine derniere
            |le mois dernier),? (?:on|j'|je|il|c') ?[^.!?\n]+
        """,
    ),
)
