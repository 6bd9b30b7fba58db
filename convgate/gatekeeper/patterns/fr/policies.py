"""French: what holds always, or never."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

POLICIES = (
    Pattern(
        "policy",
        "nous … toujours",
        r"(?:nous|on) (?:ne |n')?[a-z]+ (?:\w+ment )?(?:toujours|jamais|systematiquement)",
        said="both",
        unless=r"""
            (?:nous|on) (?:ne |n')?(?:avons|sommes|a|est|sait|savons|va|voit|arrive|attend|attendons
            |dirait|avait|etait|oublie|s'est) (?:toujours|jamais)|(?:si|quand|que|comme) (?:nous|on)
        """,
    ),
    Pattern(
        "policy",
        "nous devons",
        r"""
            (?:nous|on) (?:ne )?(?:devons|devrions|doit|devrait) (?:pas |jamais |toujours )?\w+
        """,
        said="both",
        unless=r"""
            (?:nous|on) (?:devons|devrions|doit|devrait) (?:bientot |peut-etre |d'abord |aller|manger
            |dejeuner|diner|sortir|partir|se |nous |etre|avoir|pouvoir|parler|discuter|attendre|voir
            |feter|rentrer)|(?:si|que|ce que|quand|pourquoi|comment|ou) (?:nous|on)
        """,
    ),
    Pattern(
        "policy",
        "notre règle",
        r"""
            notre (?:standard|convention|politique|regle|norme|charte|reglement)
            |nos (?:standards|conventions|regles|normes)|la regle (?:est|chez nous|ici|de l'equipe)
            |chez nous,? (?:c'est|on|nous)
        """,
        said="both",
        unless=r"(?:quelle|quel|quelles|quels|comment|ou) [^.!?\n]{0,20}(?:notre|nos) ",
    ),
    Pattern(
        "policy",
        "n'utilise pas",
        r"""
            (?:n'utilis(?:e|ez|ons) (?:pas|jamais|plus)|n'employ?(?:e|ez|ons) (?:pas|jamais)
            |ne (?:jamais|pas) (?:utiliser|\w+(?:er|ir|re))|ne \w+ez (?:jamais|pas)
            |ne \w+ (?:surtout )?(?:jamais|pas) )\w*
        """,
        said="both",
        unless=r"""
            ne (?:t'|vous |te |pas )?(?:inquiet|hesit|sais|vois|comprends|peux|quitt|boug)
            |ne \w+ez pas (?:de|a vous)|ne (?:marche|fonctionne|suis|veux|sera|sont|peut|va)
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "toujours …",
        r"""
            (?:toujours|jamais|il faut (?:toujours|absolument)|il ne faut (?:jamais|pas)|[a-z]+(?:e|ez
            |s) toujours|ne jamais|veille[zr]? a|pense[zr]? toujours) [a-z]{2,}
            |(?:evite[zr]?|evitons) (?:[dl]')?[a-z]{2,}|interdiction (?:d'|de |les |le |la |l'|tout)
        """,
        unless=r"""
            toujours (?:le|la|les|un|une|pas|est|en|au|dans|plus|aussi|rien|autant)\b
            |jamais (?:de la vie|vu|entendu|deux|plus|su)|(?:est|suis|es|sommes|reste|marche) toujours
            |evite[zr]? (?:ca|cela|moi)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "désormais",
        r"""
            desormais|dorenavant|a partir de maintenant|a partir d'aujourd'hui|a l'avenir|par convention
            |en aucun cas|sous aucun pretexte|c'est (?:la|une) regle
            |(?:chaque|toute?s?(?: les)?) [^.,!?\n]{2,50} (?:doit|doivent)
        """,
    ),
)
