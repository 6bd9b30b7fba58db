"""French: what changes, ends or solves something that was said before."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"""
            (?:ah |oh |euh |mais |merci[,.!] ?)?(?:(?:non|stop|faux|correction|erreur|attends
            |attendez)(?:[,.!:;]+ ?| - ?)|(?:pardon|desole[e]?|oups|en fait|en realite|finalement
            |au temps pour moi|autant pour moi|mince|zut|attends)[,.!: ]+)[^.!?\n]{3,}
        """,
        unless="""
            non[,.! ]+(?:merci|c'est (?:bon|tout|parfait)|pas (?:besoin|encore|du tout)|ca va|rien)
            |(?:pardon|desole[e]?)[,.!: ]+(?:pour|de|du|mais (?:comment|pourquoi)|je ne comprends)
            |(?:en fait|finalement)[,.!: ]+(?:c'est (?:super|bien|genial|tres)|merci|comment
            |pourquoi|est-ce)
        """,
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        """
            mon erreur|ma faute|c'est moi qui|je me suis tromp[ea][a-z]*|j'ai (?:confondu|mal (?:lu
            |compte|ecrit|note)|inverse|oublie de dire que)|je voulais dire|j'ai change d'avis
            |changement de (?:plan|programme)|j'ai (?:bien )?reflechi|j'ai (?:verifie|demande
            |recompte|remesure)|tout compte fait|a (?:ete|finalement ete) (?:reporte|deplace|change
            |repousse)[a-z]*|comme (?:c'est ecrit|tu l'as ecrit|vous l'avez ecrit)
        """,
    ),
    Pattern(
        "change",
        "not X but Y",
        r"""
            ce n'(?:est|etait) pas [^.,!?\n]{1,40}, (?:mais )?(?:c'est|c'etait|ce sont) [^.!?\n]+
            |(?:tu as|vous avez|t'as) (?:inverse|confondu|oublie|mal compris|mis|ecrit) [^.!?\n]+
            |(?:c'est|c'etait|ce sont|est|sont
            |il s'agit d[e']) [^.!?\n]{2,60}[, ]+(?:et )?(?:non )?pas (?:de |du |des |le |la |l'
            |les |un |une |d'|au |a |en |dans )*[a-z0-9]+|[a-z0-9]+,? (?:et )?(?:non )?pas (?:dans |
            a |au |le |la |les |l'|du |de |en |un |une )+[a-z0-9]+
            |[a-z0-9]+, (?:et )?(?:non )?pas [a-z0-9]+|(?:au lieu d[eu']|plutot que
            |et non) ?(?:[a-z]+ )?[a-z0-9]+|pas [^.!?\n]{2,40} mais [^.!?\n]{2,}
            |[a-z]+ etait absente?[^.!?\n]*
        """,
        unless=r"""
            (?:ne|n')[^.!?\n]{1,20}pas [a-z]+|(?:c'est|ce n'est|pourquoi|ou|si|bien sur que
            |je ne sais) pas (?:la peine|grave|facile|clair|possible|mal|sur|vraiment)|(?:sais|suis
            |est-ce|n'est-ce|voila) pas
        """,
    ),
    Pattern(
        "modifies",
        "make it",
        r"""
            (?:mets|mettez|passe|passez|change|changez|remplace|remplacez) (?:[a-z']+ ){0,5}(?:a|en
            |par|au|plutot)[^.!?\n]*|(?:est|sont|a|ont|c'est) (?:maintenant|desormais|a present
            |devenu[es]*) [^.!?\n]+|(?:maintenant|desormais) (?:c'est|ce sont|il y a|on)|(?:ca
            |cela) passe
        """,
    ),
)

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"""
            (?:oublie|oubliez|laisse tomber|laissez tomber|ignore|ignorez|abandonne
            |plus besoin d[e']|pas besoin de (?:respecter|garder|rester)) [^.!?\n]+|(?:n'est|ne sont
            |ne s'applique|ne vaut|n'a|n'ont|ne compte) (?:[a-z]+ )?plus [^.!?\n]*|(?:il n'y a
            |y a) plus (?:de|d'|aucune?) [^.!?\n]+|(?:est|sont|a ete
            |ont ete) (?:[a-z]+ )?(?:leve[es]*|annule[es]*|supprime[es]*|abandonne[es]*
            |de nouveau (?:autorise|possible|permis)[es]*|a nouveau (?:autorise|possible
            |permis)[es]*)|(?:tu|vous|on|il|elle|je) (?:peux|pouvez|peut) (?:maintenant|desormais
            |de nouveau|a nouveau|finalement|quand meme)[^.!?\n]*|(?:maintenant|finalement
            |desormais)[,]? (?:tu|vous|on) (?:peux|pouvez|peut) [^.!?\n]+|(?:c'est
            |est) (?:de nouveau |maintenant |finalement )(?:bon|permis|autorise|possible|ok)
        """,
    ),
    Pattern(
        "resolved",
        "works now",
        """
            (?:ca|cela|tout|il|elle|le site|c'est) (?:re)?(?:marche|fonctionne|demarre|tourne|passe
            |repart)(?: (?:maintenant|enfin|de nouveau|a nouveau|nickel|bien|tres bien
            |parfaitement))|ca (?:remarche|refonctionne|repart|a marche|a fonctionne)|(?:c'est
            |probleme|erreur|bug|tout est) (?:regle[e]?|resolu[e]?|repare[e]?|corrige[e]?
            |bon maintenant|rentre dans l'ordre)|c'etait (?:ca|bien ca)|c'est reparti
            |tout (?:fonctionne|marche|passe|est bon)|(?:l'erreur|le message|le probleme) a disparu
            |plus d'erreur|resolu|j'ai (?:resolu|regle|corrige|trouve)
        """,
        unless=r"""
            (?:ne|n'|pas|si|pour que|quand|toujours pas|comment) [^.!?,\n]{0,20}(?:marche|fonctionne
            |resolu|regle)
        """,
    ),
)
