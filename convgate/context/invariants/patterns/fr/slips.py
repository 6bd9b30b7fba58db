"""French: slips owned up to, what stands still and runs again, and rules taken back, in further words."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SLIPS = (
    Pattern(
        "mistake",
        "je me suis emmele",
        r"""
            (?:je me suis|on s'est|nous nous sommes|tu t'es|vous vous etes
            |je m'etais) (?:encore |bien |un peu |completement |la)?(?:tromp|emmel|plant|gour|melang
            |embrouill|emm|mepris|loup|rat)[a-z]*[^.!?\n]*|(?:j'ai|j'avais|on a|nous avons|tu as|vous avez
            |t'as) (?:encore |bien |tout |du |un peu |mal |juste |simplement )*(?:melange|confondu|inverse
            |interverti|permute|oublie|omis|saute|zappe|lu de travers|mal (?:lu|compris|compte|note|recopie
            |ecrit|entendu)|mal|recopie|compte deux fois|echange|mis a l'envers|ecorche|deforme|rate
            |laisse de cote|pris) [^.!?\n]*|(?:j'ai|j'avais|on avait|je t'avais|je vous avais|je t'ai
            |je vous ai) (?:dit|ecrit|mis|note|donne|tape|annonce|indique) [^.,;!?\n]{1,40}[,;]? (?:mais
            |alors que|par (?:habitude|erreur)|au lieu|or|en fait|c'est|ce n'est|c'etait|et c'est
            |sauf que)[^.!?\n]*|par (?:habitude|erreur|inadvertance|megarde|distraction)|(?:erreur|faute
            |coquille|etourderie|betise|confusion) (?:de ma part|de frappe|de saisie|d'inattention
            |la-dessus|de calcul)|(?:quel|quelle) (?:etourdi|andouille|idiot|imbecile|cruche|nouille
            |tete en l'air)e?|suis[- ](?:je |trop |vraiment |bien )?(?:bete|etourdi|distrait|fatigue|idiot
            |nul|a cote de la plaque|perdu)e?|ou avais-je la tete|(?:ma|la) (?:memoire|langue) [^.!?\n]*
            |(?:mes|les) doigts[^.!?\n]*|lapsus|autocorrect[a-z]*|correcteur|(?:c'est|c'etait
            |tout) (?:l'inverse|le contraire|a l'envers|inverse|interverti)|inverse[sz]?[- ](?:les|le|la
            |ces)[^.!?\n]*|(?:echange|permute|intervertis|intervertissez|inversez|inverse)[- ]??(?:les|moi
            |ces)[^.!?\n]*|dans l'autre sens|l'autre sens|(?:oublie|oubliez|laisse tomber|raye|rayez|efface
            |ignore) (?:ce que j'ai|ce que je|les|le|la|ca|mes|mon)[^.!?\n]*|je (?:retire|reprends|corrige
            |rectifie)[^.!?\n]*|rectification|petite correction|plutot{end}|je n'ai (?:jamais|pas) (?:dit
            |ecrit|parle|demande|voulu)[^.!?\n]*|tu (?:confonds|penses a|parles de|dois confondre|veux dire
            |melanges)[^.!?\n]*|vous (?:confondez|pensez a|parlez de|devez confondre|voulez dire
            |melangez)[^.!?\n]*|(?:le|la|les|l'|un|une)? ?[a-z0-9]+,? c'etait (?:l'an|l'annee|le mois
            |la semaine|avant|pour|dans|l'ancien|hier|la derniere|en)[^.!?\n]*|(?:etait|etaient
            |c'etait) (?:faux|n'importe quoi|l'ancien|l'ancienne|une erreur|un brouillon|au pif
            |une estimation|perime|une coquille|l'an dernier|l'annee derniere)[^.!?\n]*|en realite
            |plus exactement|plus precisement
        """,
        unless=r"""
            (?:si|quand|pour que|avant que|au cas ou|lorsque) [^.!?,\n]*|(?:j'ai|on a) (?:pris
            |oublie) (?:le|la|un|une|mon|ma) (?:train|bus|avion|metro|parapluie|cle|sac|temps|repas|photo
            |decision|medicament)[^.!?\n]*|j'ai inverse le[^.!?\n]*marche
        """,
    ),
    Pattern(
        "checked",
        "c'est écrit",
        r"""
            (?:j'ai|on a|nous avons|je viens de|apres avoir) (?:re)?(?:verifi|regard|mesur|pes|compt|demand
            |consult|appel|relu|calcul|control)[a-z]*[^.!?\n]*|(?:d'apres|selon|suivant) (?:le|la|les|mon
            |ma|mes|l'|notre) ?[a-z]+|(?:c'est|il est) (?:ecrit|marque|indique|precise)[^.!?\n]*|(?:le|la
            |mon|ma|notre|l') ?(?:billet|ticket|facture|contrat|calendrier|agenda|notice|etiquette|boite
            |medecin|docteur|patron|chef|femme|mari|mere|pere|maitresse|prof|mairie|proprietaire|client
            |cliente) (?:dit|indique|marque|precise|confirme|annonce|vient de|a dit|m'a dit
            |affiche)[^.!?\n]*
        """,
    ),
    Pattern(
        "error",
        "plus rien",
        r"""
            (?:plus (?:de |d'|aucune? )(?:son|image|courant|electricite|eau|internet|reseau|wifi|chauffage
            |signal|connexion|lumiere|tonalite|reponse|batterie|gaz)|plus rien|(?:reste|restent
            |demeure) (?:blanc|blanche|noir|noire|bloque|bloquee|fige|figee|froid|froide|froids|muet|muette
            |vide|eteint|eteinte|rouge|coince|coincee|allume|ferme|fermee)|renvoie (?:une? )?(?:erreur
            |[45][0-9][0-9]|vide)|(?:me|nous) (?:jette|deconnecte|ejecte|vire|renvoie|refuse|rejette|bloque
            |redirige)|(?:est|sont) (?:hors service|hs|mort|morte|fichu|fichue|grille|grillee|foutu|foutue
            |down|injoignable|inaccessible|inutilisable|coince|coincee|plante|plantee|gele|gelee|corrompu
            |corrompue|a plat|a l'arret|indisponible|muet|muette)|(?:rame|fuit|goutte|clignote|grince|fume
            |disjoncte|saute|coupe|decroche|deconne|bugue|bug|bogue|coince|patine|broute|cale|boucle
            |mouline|tourne en boucle|tourne dans le vide|refuse de|rend l'ame|a rendu l'ame|a lache|lache
            |fait greve|fait des siennes|n'en fait qu'a sa tete) ?[^.!?\n]*
            |impossible d(?:e |')[a-z]+|n'affiche (?:plus|que|rien)|ne (?:veut|bouge|donne|sort|vient
            |s'eteint|se ferme|s'ouvre|coule|bouge|reagit) (?:plus|pas|rien)|n'arrive (?:pas|plus) a|(?:je
            |on|nous) (?:suis|est|sommes) (?:bloque|bloquee|bloques|coince|coincee|coinces)|ecran (?:noir
            |bleu|blanc)|page (?:blanche|vide)|en panne|hors service|acces refuse|connexion refusee
            |introuvable|delai depasse)[^.!?\n]*
        """,
        unless=r"""
            (?:si|quand|lorsque|pour que|au cas ou|que se passe|jamais|ne doit|ne doivent|afin
            |eviter) [^.!?,\n]{0,40}(?:panne|coupe|fuit|bloque|plante|saute|refuse|rien|impossible|goutte
            |fume)|(?:il|elle|on|je) (?:fume|saute|coupe)|je fume|(?:train|pas) en panne d'
            |impossible de (?:dire|savoir|choisir|se tromper|resister)|plus rien (?:a|ne presse)
            |en panne (?:d'inspiration|d'idees)
        """,
        asked=True,
    ),
    Pattern(
        "resolved",
        "c'est revenu",
        r"""
            (?:son|image|courant|eau|internet|reseau|wifi|chauffage|signal|connexion|lumiere|site|serveur
            |electricite|tout|affichage|acces|page|il|elle|ca) (?:est
            |sont) (?:bien |de nouveau |enfin |maintenant )?(?:revenue?s?|retablie?s?|reparti[e]?s?
            |de retour|rentre[e]? dans l'ordre|remonte[e]?|reparee?|operationnel[a-z]*|en ligne|stable)
            |(?:ca|tout|il|elle|le [a-z]+|la [a-z]+) (?:re)??(?:marche|fonctionne|demarre|tourne|compile
            |passe|roule|imprime|chauffe|repond|charge){end}|(?:re)?(?:marche|fonctionne|demarre|tourne
            |compile|roule|imprime|chauffe) (?:impec|impeccable|nickel|a merveille
            |comme (?:sur des roulettes|neuf|avant|une horloge|au premier jour|il faut)|a nouveau
            |de nouveau|du tonnerre|parfaitement|sans (?:probleme|souci|erreur)|enfin|tres bien|maintenant)
            |(?:remarche|refonctionne|redemarre|repart|retourne|reimprime|rechauffe|recharge
            |recompile)[a-z]*|c'est (?:regle|bon maintenant|repare|resolu|repare|reparti|corrige|regle
            |tout bon|reglee|en ordre|fini|debloque)|(?:probleme|souci|bug|erreur|panne
            |message) (?:est )?(?:regle|resolu|disparu|corrige|parti|envole|repare|terminee?|reglee|resolue
            |disparue|corrigee)|plus (?:aucun|aucune|de) (?:probleme|souci|erreur|bug|message|plantage
            |coupure)s?|j'ai (?:reussi|pu) (?:a |me |le |la |l')?[^.!?\n]+|(?:je|on) (?:peux|peut
            |arrive) (?:de nouveau|a nouveau|enfin|maintenant|a me)[^.!?\n]*|(?:voila|super|genial|top
            |parfait|merci)[,! ]+(?:ca|c'est|tout) (?:marche|fonctionne|bon|regle|passe|roule)|a (?:suffi
            |tout resolu|tout regle|fait l'affaire|resolu le|regle le|debloque)|debloque[e]?
        """,
        unless=r"""
            (?:ne|n'|pas|si|pour que|quand|toujours pas|comment|jusqu'a|avant que|afin
            |il faut) [^.!?,\n]{0,20}(?:marche|fonctionne|resolu|regle|tourne|revenu|demarre|passe)|(?:ca
            |tout) (?:marche|fonctionne|tourne|passe) (?:pas|mal|plus|toujours pas|moins)[^.!?\n]*|(?:pas
            |toujours pas|jamais) (?:regle|resolu|corrige|debloque)
        """,
    ),
    Pattern(
        "lifted",
        "plus besoin",
        r"""
            plus besoin (?:que|d'|de|du)[^.!?\n]*|(?:comme|ce que|quand|ou|quoi) (?:tu veux|vous voulez
            |bon te semble|bon vous semble|ca te chante|il te plait)[^.!?\n]*|n'importe (?:quel|quelle
            |lequel|ou|comment|quoi)[^.!?\n]*(?:convient|va|ira|est bon|fera|marche)[^.!?\n]*|carte blanche
            |feu vert|sans limite|a volonte|(?:la|le|les|cette|ce|ma|mon|notre|l') ?(?:regle|limite|plafond
            |contrainte|interdiction|condition|consigne|obligation|restriction|budget|quota
            |delai)[a-z]* (?:[a-z0-9' ]{0,30})?(?:saute|tombe|disparait|ne tient plus|n'existe plus
            |est (?:levee?|caduque|morte?|finie?|annulee?|oubliee?|depassee?|abandonnee?)|a saute
            |a ete levee?|ne compte plus|ne vaut plus)|(?:je|on|nous) (?:leve|levons|abandonne
            |laisse tomber|renonce a|supprime|oublie|annule|retire)[a-z]* (?:la|le|les|cette|ce|mon|ma
            |l')[^.!?\n]*|(?:re)?mange[s]? (?:de nouveau|a nouveau|du|de la|des)[^.!?\n]*|(?:n'est
            |n'est plus|n'etait) (?:plus |finalement pas |pas )(?:allergique|enceinte|obligatoire|interdit
            |necessaire|un probleme|intolerant|diabetique)[^.!?\n]*|(?:c'est|est|sont) (?:desormais
            |maintenant|a present|de nouveau|finalement) (?:autorise|permis|possible|ok|libre|ouvert)[a-z]*
        """,
        unless=r"""
            (?:jamais|ne|n'|pas|sauf|uniquement|seulement) [^.!?,\n]{0,20}(?:comme tu veux|a volonte|mange)
            |(?:on|je|il|elle) mange (?:du|de la|des) (?:pain|fromage|viande) (?:le|tous|chaque|souvent)
        """,
    ),
)
