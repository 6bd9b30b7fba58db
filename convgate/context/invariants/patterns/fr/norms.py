"""French: what has to be or may not be, told as if it were so already; and how much at most."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

NORMS = (
    Pattern(
        "obligation",
        "un point c'est tout",
        r"""
            (?:point final|un point c'est tout|c'est tout|c'est non negociable|non negociable
            |sans discussion|pas de discussion|point barre|quoi qu'il arrive|coute que coute
            |et rien d'autre|rien d'autre|pas plus|pas un de plus|pas une de plus|maxi|maximum
            |grand maximum|au maximum|sans exception|et c'est tout){end}
        """,
        unless=r"""
            (?:^|[.!?\n] ?)(?:c'est tout|point final|pas plus)|c'est tout (?:pour|ce que)|(?:merci
            |voila|oui|non)[, ]+c'est tout|(?:mieux|moi|lui|elle|sais|comprends|marche|aime) pas plus
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "n'a rien a faire",
        r"""
            (?:n'a|n'ont|n'a absolument) rien a (?:faire|voir ici|y faire)|(?:est|sont|reste
            |restent) (?:formellement |strictement |totalement |absolument |donc )?(?:banni[es]*
            |proscrit[es]*|exclu[es]*|prohibe[es]*|verboten|tabou[es]*|defendu[es]*|hors limites
            |hors sujet|impose[es]*|exige[es]*|requis[es]*|sacre[es]*|verrouille[es]*
            |confidentiel[les]*|secret|secrete[s]?|anonyme[s]?|ferme[es]*|limite[es]* a
            |plafonne[es]* a)|(?:n'est|ne sont|n'est pas|ne sera|ne seront) (?:pas |plus |jamais
             |ni )?(?:admis[es]*|autorise[es]*|permis[es]*|accepte[es]*|tolere[es]*|negociable[s]?
            |envisageable[s]?|publie[es]*|partage[es]*|diffuse[es]*|supprime[es]*|touche[es]*
            |modifie[es]*)|ne (?:sort|sortent|quitte|quittent|franchit|depasse|depassent|rentre
            |rentrent|entre|entrent|va|vont|touche|figure|figurent|passe|passent|apparait|apparaissent
            |circule|circulent) (?:pas|jamais|ni|en aucun cas)|on ne [a-z]+ (?:pas|jamais|plus|que)
            |on n'(?:y )?[a-z]+ (?:pas|jamais|plus|que)|[a-z0-9]+ [a-z]+ (?:maxi|grand maximum){end}
            |ne (?:reste|restent|dort|monte|montent|jouent|joue|sert|prend|prennent|bougent|changent
            |change) (?:jamais|en aucun cas)|personne (?:ne|n') ?[a-z]+|(?:pas|jamais) (?:un
            |une) (?:seul |seule )?[a-z]+ (?:au.dessus|au.dela|en dessous|de plus|sans|avant|apres
            |plus)|(?:on|nous) (?:passe|passons|reste|restons|monte|descend) (?:a|en dessous de
            |sous) [0-9]+ ?[a-z]*|s'(?:enlevent|ecrit|ecrivent|arrete|arretent|mettent|met|utilise
            |utilisent|prend|prennent) (?:a|au|avant|toujours|en|sans|avec|uniquement|dans)
            |(?:[0-9][0-9.,]*|un|une|deux|trois|quatre|cinq|six|dix)(?: [a-z'%]+){0,5},? (?:c'est (?:le
             (?:maximum|plafond|max|minimum|budget)|la limite|tout ce)|maxi|pas plus|grand maximum
            |pas un[e]? de plus|au plus|tout compris)|(?:plafond|budget|limite|maximum|quota
            |seuil) (?:est|a|c'est|fixe|reste|de|passe|=|:) ?(?:a |fixe a |de )?[0-9]+|(?:loi|directive
            |reglement|contrat|bail|assurance|client|cliente|patron|patronne|chef|mairie|ecole
            |proprietaire|syndic|norme|editeur|imprimeur|medecin) (?:nous |m'|me |l'|nous y
             |y )?(?:oblige|exige|impose|interdit|demande que|refuse|n'accepte|ne veut|limite|plafonne
            |nous y oblige)|nous y oblige|(?:je|on|nous) (?:ne|n') ?(?:veux|veut|voulons|accepte
            |acceptons|tolere|mets|mettons|signe|paie|paye|depense) (?:pas|plus|jamais|aucun[e]?|rien)
            |a jeun|(?:laisse|laissez|garde|gardez) [^.!?\n]{2,40}(?:tel quel|telle quelle|intact[es]*
            |de cote|en dehors|a l'abri|secret)|ne (?:touche|touchez|modifie|modifiez|change|changez
            |supprime|supprimez|mentionne|mentionnez|utilise|utilisez|mets|mettez|ecris|ecrivez|propose
            |proposez|depasse|depassez|cite|citez|traduis|traduisez|partage|partagez) (?:pas|jamais
            |rien|aucun[e]?)
        """,
        unless=r"""
            on (?:ne|n') ?(?:sait|a|est|voit|peut pas dire|comprend|dirait|entend|connait|trouve
            |recoit|arrive) (?:pas|jamais|plus)|personne (?:ne|n') ?(?:sait|comprend|repond|a|est|veut
            |m'a|connait|vient|utilise|dit)|(?:page|site|appli|application|ecran|bouton|mail|image
            |fichier|imprimante|message|menu) ne (?:passe|va|sort|rentre|s'affiche|apparait)[^.!?\n]*
            |(?:ca|cela|il|elle|tout) ne (?:va|passe|sort|rentre|touche|quitte) (?:pas|jamais)
        """,
    ),
)
