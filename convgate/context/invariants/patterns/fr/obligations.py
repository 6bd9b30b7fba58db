"""French: what has to be, may not be, or may be only so."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        r"""
            (?:il (?:me |nous |te |vous |lui |leur )?faut|faut|il faudra|il est (?:imperatif
            |obligatoire|essentiel|indispensable|interdit|hors de question)|il ne faut|faut pas
            |faudra) [^.!?\n]+|(?:doit|doivent|devra|devront) (?:[a-z]+ ){0,3}[a-z]+|(?:tu|vous
            |on) (?:dois|devez|doit|ne dois|ne devez|ne peux|ne pouvez) [^.!?\n]+|(?:ne|n') ?(?:doit
            |doivent|peut|peuvent|devra|dois|devons|devez|pouvons|pouvez) (?:pas|jamais|plus
            |en aucun cas|surtout pas|contenir|depasser)[^.!?\n]*|(?:a|ont|est|sont) (?:l'obligation
            |tenus?|obligatoires?|imperatifs?|imperatives?|interdite?s?|exclue?s?|proscrite?s?
            |non negociables?|exigees?|exiges?|imposees?|imposes?)
        """,
        unless=r"""
            il faut que je (?:parte|file|aille|vous laisse|te laisse|reflechisse)[^.!?\n]*
            |je dois (?:dire|avouer|reconnaitre|admettre|partir|y aller|finir|ecrire|preparer|faire
            |rendre|aller|trouver|rediger)|(?:faut-il|dois-je|doit-on|que faut|combien faut
            |comment faut|qu'est-ce qu'il faut|ou faut)[^.!?\n]*|(?:il (?:me|nous) faut
            |il faut) (?:combien|quoi|le rentrer|une? [a-z]+ (?:idee|minute))|(?:doit
            |doivent) (?:etre (?:la|le|une|un)|avoir (?:ete|eu)|venir de)
        """,
    ),
    Pattern(
        "obligation",
        "at most",
        r"""
            (?:au (?:grand )?maximum|au plus|au minimum|au moins|maximum|max\.?|pas plus (?:de|d'
            |que)|pas moins (?:de|que)|jamais plus|jamais moins|moins de|sans depasser
            |ne depasse[a-z]* pas|jusqu'a|exactement|avant le|d'ici) ?(?:[a-z]+ ){0,3}(?:[0-9]+|un
            |une|deux|trois|quatre|cinq|dix|cent|le|la|midi)[^.!?\n]*|(?:[0-9]+|un|une|deux|trois
            |quatre|cinq|dix) [a-z]+ (?:maximum|max|au maximum|au plus|minimum|au minimum|pas plus
            |pas un de plus)|jamais plus|pas (?:un (?:seul )?|une (?:seule )?)[a-z]+ de plus
            |au plus tard|(?:le|mon|notre) (?:budget|plafond|delai) (?:est|c'est|maximum|max|reste)
            |pas une goutte|pas une miette
        """,
        unless="""
            (?:il y a|depuis|fait|coute|dure|ca fait|c'etait|etait) (?:au moins|moins de|exactement
            |jusqu'a)|au moins (?:c'est|ca|il|tu|on)
        """,
    ),
    Pattern(
        "obligation",
        "only",
        r"""
            (?:uniquement|exclusivement|rien (?:que|d'autre|de|qui|avec|a|sans|contre)
            |seulement (?:des|du|de la|les|le|la|en|avec|pour|si|apres|avant|les)|que des|que du
            |ne (?:[a-z]+ ){1,3}que (?:des|du|de la|le|la|les|en))[^.!?\n]*
        """,
        unless="""
            (?:n'ai|n'a|n'avons|n'est|ne sait|ne vois|ne connais|ne fait|ne marche|n'affiche
            |ne trouve) (?:[a-z]+ )?(?:rien|que)|rien (?:de grave|de special|d'important|a voir|ne
            |de plus)|non seulement|seulement (?:une question|un peu)
        """,
    ),
    Pattern(
        "obligation",
        "no …",
        r"""
            (?:pas (?:de|d'|un|une|du|des|la|le|les)|aucun[e]?|sans|jamais (?:de|d'|rien|sans|le|la
            |les|un|une|en|dans|avec|plus|[a-z]+er|[a-z]+ir)|surtout pas|interdiction|zero
            |ni) [a-z0-9\"_][^.!?\n]*|(?:pas d'|jamais d')[a-z][^.!?\n]*
        """,
        unless=r"""
            pas (?:de (?:probleme|souci|quoi|chance|panique|reponse|nouvelles|mal|changement)
            |un probleme|la peine|d'idee|du tout|le temps|de resultat)|sans (?:doute|faute|probleme
            |souci|importance|succes)|aucun[e]? (?:idee|probleme|souci|importance|doute|changement
            |erreur|resultat|reponse)|jamais (?:su|vu|entendu|compris|essaye)|(?:y a|il n'y a|n'ai
            |n'a|n'est|sais|c'est|ce n'est|suis|marche|fonctionne) (?:[a-z]+ )?(?:pas|jamais
            |aucun)[^.!?\n]*
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        r"""
            (?:interdit[es]*|obligatoire[s]?|imperati(?:f|ve|fs|ves|vement)|hors de question
            |en aucun cas|sous aucun pretexte|a tout prix|absolument|non negociable|sans exception
            |c'est la regle|c'est une regle|c'est le reglement|strictement|veille[z]? a
            |assure[z]?[- ](?:toi|vous)|fai(?:s|tes) (?:bien )?attention|attention a
            |surtout[,]? (?:ne|n'|pas|aucun)|ne jamais|n'oublie[z]? (?:jamais|pas)
            |personne ne (?:doit|peut)|pas question)[^.!?\n]*|(?:exige|exigent|impose|imposent
            |interdit|interdisent) [^.!?\n]+
        """,
        unless=r"""
            (?:pas|est-ce|c'est) (?:interdit|obligatoire|absolument)[^.!?\n]*[?]
            |absolument (?:genial|parfait|d'accord|pas sur|ravi|magnifique)
        """,
    ),
    Pattern(
        "obligation",
        "always",
        r"""
            (?:tous|toutes|chaque|toute|tout) [^.,!?\n]{2,50} (?:doit|doivent|devra|devront)
            |(?:toujours) (?:en|avec|dans|sur|a|au|par|le|la|les|un|une|des|du|de|d'|sans|utiliser
            |mettre|ecrire|repondre|commencer|[a-z]+er)[^.!?\n]*|(?:a partir de maintenant|desormais
            |dorenavant|a l'avenir|pour (?:tous|toutes) (?:les|mes|nos))[^.!?\n]*|pour tout ce que
        """,
        unless=r"""
            (?:c'est|est|suis|sont|marche|fait|ca|il|elle|j'ai|on|fonctionne
            |affiche) (?:[a-z]+ )?toujours[^.!?\n]*|faut-il toujours[^.!?\n]*|toujours (?:pas|aussi
            |un plaisir|la meme|le meme|en panne)
        """,
    ),
)
