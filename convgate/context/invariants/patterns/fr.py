"""French."""

from __future__ import annotations

from convgate.context.invariants.patterns.en.errors import TRACES
from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        r"(?:il (?:me |nous |te |vous |lui |leur )?faut|faut|il faudra|il est (?:imperatif|obligatoire|essentiel|indispensable|interdit|hors de question)|il ne faut|faut pas|faudra) [^.!?\n]+|(?:doit|doivent|devra|devront) (?:[a-z]+ ){0,3}[a-z]+|(?:tu|vous|on) (?:dois|devez|doit|ne dois|ne devez|ne peux|ne pouvez) [^.!?\n]+"
        r"|(?:ne|n') ?(?:doit|doivent|peut|peuvent|devra|dois|devons|devez|pouvons|pouvez) (?:pas|jamais|plus|en aucun cas|surtout pas|contenir|depasser)[^.!?\n]*|(?:a|ont|est|sont) (?:l'obligation|tenus?|obligatoires?|imperatifs?|imperatives?|interdite?s?|exclue?s?|proscrite?s?|non negociables?|exigees?|exiges?|imposees?|imposes?)",
        unless=r"il faut que je (?:parte|file|aille|vous laisse|te laisse|reflechisse)[^.!?\n]*|je dois (?:dire|avouer|reconnaitre|admettre|partir|y aller|finir|ecrire|preparer|faire|rendre|aller|trouver|rediger)|(?:faut-il|dois-je|doit-on|que faut|combien faut|comment faut|qu'est-ce qu'il faut|ou faut)[^.!?\n]*|(?:il (?:me|nous) faut|il faut) (?:combien|quoi|le rentrer|une? [a-z]+ (?:idee|minute))|(?:doit|doivent) (?:etre (?:la|le|une|un)|avoir (?:ete|eu)|venir de)",
    ),
    Pattern(
        "obligation",
        "at most",
        r"(?:au (?:grand )?maximum|au plus|au minimum|au moins|maximum|max\.?|pas plus (?:de|d'|que)|pas moins (?:de|que)|jamais plus|jamais moins|moins de|sans depasser|ne depasse[a-z]* pas|jusqu'a|exactement|avant le|d'ici) ?(?:[a-z]+ ){0,3}(?:[0-9]+|un|une|deux|trois|quatre|cinq|dix|cent|le|la|midi)[^.!?\n]*|(?:[0-9]+|un|une|deux|trois|quatre|cinq|dix) [a-z]+ (?:maximum|max|au maximum|au plus|minimum|au minimum|pas plus|pas un de plus)|jamais plus|pas (?:un (?:seul )?|une (?:seule )?)[a-z]+ de plus|au plus tard|(?:le|mon|notre) (?:budget|plafond|delai) (?:est|c'est|maximum|max|reste)|pas une goutte|pas une miette",
        unless=r"(?:il y a|depuis|fait|coute|dure|ca fait|c'etait|etait) (?:au moins|moins de|exactement|jusqu'a)|au moins (?:c'est|ca|il|tu|on)",
    ),
    Pattern(
        "obligation",
        "only",
        r"(?:uniquement|exclusivement|rien (?:que|d'autre|de|qui|avec|a|sans|contre)|seulement (?:des|du|de la|les|le|la|en|avec|pour|si|apres|avant|les)|que des|que du|ne (?:[a-z]+ ){1,3}que (?:des|du|de la|le|la|les|en))[^.!?\n]*",
        unless=r"(?:n'ai|n'a|n'avons|n'est|ne sait|ne vois|ne connais|ne fait|ne marche|n'affiche|ne trouve) (?:[a-z]+ )?(?:rien|que)|rien (?:de grave|de special|d'important|a voir|ne|de plus)|non seulement|seulement (?:une question|un peu)",
    ),
    Pattern(
        "obligation",
        "no …",
        r"(?:pas (?:de|d'|un|une|du|des|la|le|les)|aucun[e]?|sans|jamais (?:de|d'|rien|sans|le|la|les|un|une|en|dans|avec|plus|[a-z]+er|[a-z]+ir)|surtout pas|interdiction|zero|ni) [a-z0-9\"_][^.!?\n]*|(?:pas d'|jamais d')[a-z][^.!?\n]*",
        unless=r"pas (?:de (?:probleme|souci|quoi|chance|panique|reponse|nouvelles|mal|changement)|un probleme|la peine|d'idee|du tout|le temps|de resultat)|sans (?:doute|faute|probleme|souci|importance|succes)|aucun[e]? (?:idee|probleme|souci|importance|doute|changement|erreur|resultat|reponse)|jamais (?:su|vu|entendu|compris|essaye)|(?:y a|il n'y a|n'ai|n'a|n'est|sais|c'est|ce n'est|suis|marche|fonctionne) (?:[a-z]+ )?(?:pas|jamais|aucun)[^.!?\n]*",
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        r"(?:interdit[es]*|obligatoire[s]?|imperati(?:f|ve|fs|ves|vement)|hors de question|en aucun cas|sous aucun pretexte|a tout prix|absolument|non negociable|sans exception|c'est la regle|c'est une regle|c'est le reglement|strictement|veille[z]? a|assure[z]?[- ](?:toi|vous)|fai(?:s|tes) (?:bien )?attention|attention a|surtout[,]? (?:ne|n'|pas|aucun)|ne jamais|n'oublie[z]? (?:jamais|pas)|personne ne (?:doit|peut)|pas question)[^.!?\n]*|(?:exige|exigent|impose|imposent|interdit|interdisent) [^.!?\n]+",
        unless=r"(?:pas|est-ce|c'est) (?:interdit|obligatoire|absolument)[^.!?\n]*[?]|absolument (?:genial|parfait|d'accord|pas sur|ravi|magnifique)",
    ),
    Pattern(
        "obligation",
        "always",
        r"(?:tous|toutes|chaque|toute|tout) [^.,!?\n]{2,50} (?:doit|doivent|devra|devront)|(?:toujours) (?:en|avec|dans|sur|a|au|par|le|la|les|un|une|des|du|de|d'|sans|utiliser|mettre|ecrire|repondre|commencer|[a-z]+er)[^.!?\n]*|(?:a partir de maintenant|desormais|dorenavant|a l'avenir|pour (?:tous|toutes) (?:les|mes|nos))[^.!?\n]*|pour tout ce que",
        unless=r"(?:c'est|est|suis|sont|marche|fait|ca|il|elle|j'ai|on|fonctionne|affiche) (?:[a-z]+ )?toujours[^.!?\n]*|faut-il toujours[^.!?\n]*|toujours (?:pas|aussi|un plaisir|la meme|le meme|en panne)",
    ),
)

SAFETY = (
    Pattern(
        "fact",
        "allergy",
        r"allerg(?:ie|ies|ique|iques|ene|enes)|intoleran(?:t|te|ts|ce|ces)|c(?:o|oe)liaque[s]?|maladie c(?:o|oe)liaque|anaphyla[a-z]*|(?:ne supporte|ne digere|ne tolere) pas (?:le|la|les) (?:gluten|lait|lactose|noix|oeufs)",
        unless=r"allergique (?:aux? (?:reunions?|lundi|travail|anglicismes))|(?:pas|aucune|sans) (?:d')?allerg[a-z]*",
    ),
    Pattern(
        "fact",
        "illness",
        r"(?:suis|est|etre|elle est|femme|actuellement|bientot) (?:[a-z0-9]+ ){0,3}enceinte|enceinte de|allait[ea][a-z]*|(?:ai|a|as|ont|suis|est|souffre de|souffrant d[e']|sous|opere[e]? d'une?|mon|ma|son|sa|un|une) (?:[a-z0-9']+ ){0,3}(?:diabet[a-z]*|epilep[a-z]*|asthm[a-z]*|pacemaker|insuffisance (?:renale|cardiaque)|hypertension|hernie discale|infarctus|avc|cancer|chimio[a-z]*|osteoporose|phlebite|alzheimer|anticoagulants?|insuline|cortisone|antidepresseurs?|hemophil[a-z]*)"
        r"|(?:prends?|prend|prenons|prennent) (?:[a-z]+ ){0,3}(?:anticoagulants?|insuline|lithium|medicaments?|cortisone|antidepresseurs?|metformine)|(?:medecin|chirurgien|cardiologue|veterinaire|sage-femme|kine|pediatre|docteur) (?:[a-z']+ ){0,4}(?:interdit|deconseille|defend|exige|a dit|insiste|impose)[^.!?\n]*|s'etouffe[^.!?\n]*|ne sait pas nager|ne savent pas nager",
    ),
    Pattern(
        "subject",
        "health and people",
        r"sante|medecin[s]?|medicament[s]?|docteur|chirurgien|veterinaire|dose[s]?|posologie|blessure[s]?|douleur[s]?|sang|gluten|lait|lactose|noix|cacahuetes?|arachides?|amandes?|alcool|miel|cru[es]*|hygiene|patient[s]?|enfant[s]?|bebe[s]?|nourrisson|petit[e]? (?:vomit|mange|dort)|eleves?|danger[a-z]*|risque[s]?|securite|casque|couteau|escabeau|toit|echelle|noyade|piscine|etouff[a-z]*|chien[s]?|chat[s]?|lapin|issue de secours|vaccin[s]?",
        unless=r"securite sociale|chien soit admis[^.!?\n]*|risque de (?:pluie|retard)",
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        r"feu|incendie|bougies?|gaz|courant|electri(?:que|cite|cien)|disjoncteur|tension|prises? electrique|fils?|batterie|acide[s]?|javel|ammoniaque|chlore|poison|toxique[s]?|pesticides?|amiante|solvants?|explos[a-z]*|chaudiere|produits? chimiques?",
        unless=r"(?:mot|texte|au) courant|au courant|fil (?:conducteur|rouge|de discussion)|au fil de|fils? (?:de|aine)|mon fils|notre fils",
    ),
    Pattern(
        "subject",
        "security, data, money, production, law",
        r"mots? de passe|secret[s]?|identifiants?|cles? (?:api|privees?|d'api)|jetons?|tokens?|chiffre[es]*|en clair|donnee personnelle|donnees (?:des (?:clients|patients|eleves|utilisateurs)|personnelles|privees|clients?|patients?|de sante|sensibles|bancaires)|rgpd|vie privee|confidentiel[a-z]*|anonym[a-z]*|noms? (?:de famille|des (?:clients|patients|eleves))|adresses? (?:des|de nos)|numeros? de (?:carte|telephone)|sauvegarde[s]?|perte de donnees|perdre|supprim[a-z]*|effac[a-z]*|ecras[a-z]*|base de (?:donnees|prod[a-z]*)|production|prod|loi[s]?|legal[e]?|illegal[e]?|avocat|tribunal|juge|droit d'auteur|delit|licence|cnil|fisc|impots|economies",
        unless=r"secret (?:de famille|pour)|maison de production|site de production|production (?:laitiere|locale)",
    ),
)

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"(?:ah |oh |euh |mais |merci[,.!] ?)?(?:(?:non|stop|faux|correction|erreur|attends|attendez)(?:[,.!:;]+ ?| - ?)|(?:pardon|desole[e]?|oups|en fait|en realite|finalement|au temps pour moi|autant pour moi|mince|zut|attends)[,.!: ]+)[^.!?\n]{3,}",
        unless=r"non[,.! ]+(?:merci|c'est (?:bon|tout|parfait)|pas (?:besoin|encore|du tout)|ca va|rien)|(?:pardon|desole[e]?)[,.!: ]+(?:pour|de|du|mais (?:comment|pourquoi)|je ne comprends)|(?:en fait|finalement)[,.!: ]+(?:c'est (?:super|bien|genial|tres)|merci|comment|pourquoi|est-ce)",
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        r"mon erreur|ma faute|c'est moi qui|je me suis tromp[ea][a-z]*|j'ai (?:confondu|mal (?:lu|compte|ecrit|note)|inverse|oublie de dire que)|je voulais dire|j'ai change d'avis|changement de (?:plan|programme)|j'ai (?:bien )?reflechi|j'ai (?:verifie|demande|recompte|remesure)|tout compte fait|a (?:ete|finalement ete) (?:reporte|deplace|change|repousse)[a-z]*|comme (?:c'est ecrit|tu l'as ecrit|vous l'avez ecrit)",
    ),
    Pattern(
        "change",
        "not X but Y",
        r"ce n'(?:est|etait) pas [^.,!?\n]{1,40}, (?:mais )?(?:c'est|c'etait|ce sont) [^.!?\n]+|(?:tu as|vous avez|t'as) (?:inverse|confondu|oublie|mal compris|mis|ecrit) [^.!?\n]+|(?:c'est|c'etait|ce sont|est|sont|il s'agit d[e']) [^.!?\n]{2,60}[, ]+(?:et )?(?:non )?pas (?:de |du |des |le |la |l'|les |un |une |d'|au |a |en |dans )*[a-z0-9]+|[a-z0-9]+,? (?:et )?(?:non )?pas (?:dans |a |au |le |la |les |l'|du |de |en |un |une )+[a-z0-9]+|(?:au lieu d[eu']|plutot que|et non) ?(?:[a-z]+ )?[a-z0-9]+|pas [^.!?\n]{2,40} mais [^.!?\n]{2,}|[a-z]+ etait absente?[^.!?\n]*",
        unless=r"(?:ne|n')[^.!?\n]{1,20}pas [a-z]+|(?:c'est|ce n'est|pourquoi|ou|si|bien sur que|je ne sais) pas (?:la peine|grave|facile|clair|possible|mal|sur|vraiment)|(?:sais|suis|est-ce|n'est-ce|voila) pas",
    ),
    Pattern(
        "modifies",
        "make it",
        r"(?:mets|mettez|passe|passez|change|changez|remplace|remplacez) (?:[a-z']+ ){0,5}(?:a|en|par|au|plutot)[^.!?\n]*|(?:est|sont|a|ont|c'est) (?:maintenant|desormais|a present|devenu[es]*) [^.!?\n]+|(?:maintenant|desormais) (?:c'est|ce sont|il y a|on)|(?:ca|cela) passe",
    ),
)

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"(?:oublie|oubliez|laisse tomber|laissez tomber|ignore|ignorez|abandonne|plus besoin d[e']|pas besoin de (?:respecter|garder|rester)) [^.!?\n]+|(?:n'est|ne sont|ne s'applique|ne vaut|n'a|n'ont|ne compte) (?:[a-z]+ )?plus [^.!?\n]*|(?:il n'y a|y a) plus (?:de|d'|aucune?) [^.!?\n]+|(?:est|sont|a ete|ont ete) (?:[a-z]+ )?(?:leve[es]*|annule[es]*|supprime[es]*|abandonne[es]*|de nouveau (?:autorise|possible|permis)[es]*|a nouveau (?:autorise|possible|permis)[es]*)|(?:tu|vous|on|il|elle|je) (?:peux|pouvez|peut) (?:maintenant|desormais|de nouveau|a nouveau|finalement|quand meme)[^.!?\n]*|(?:maintenant|finalement|desormais)[,]? (?:tu|vous|on) (?:peux|pouvez|peut) [^.!?\n]+|(?:c'est|est) (?:de nouveau |maintenant |finalement )(?:bon|permis|autorise|possible|ok)",
    ),
    Pattern(
        "resolved",
        "works now",
        r"(?:ca|cela|tout|il|elle|le site|c'est) (?:re)?(?:marche|fonctionne|demarre|tourne|passe|repart)(?: (?:maintenant|enfin|de nouveau|a nouveau|nickel|bien|tres bien|parfaitement))|ca (?:remarche|refonctionne|repart|a marche|a fonctionne)|(?:c'est|probleme|erreur|bug|tout est) (?:regle[e]?|resolu[e]?|repare[e]?|corrige[e]?|bon maintenant|rentre dans l'ordre)|c'etait (?:ca|bien ca)|(?:l'erreur|le message|le probleme) a disparu|plus d'erreur|resolu|j'ai (?:resolu|regle|corrige|trouve)",
        unless=r"(?:ne|n'|pas|si|pour que|quand|toujours pas|comment) [^.!?,\n]{0,20}(?:marche|fonctionne|resolu|regle)",
    ),
)

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        r"cette fois(?:-ci)?|juste (?:cette fois|aujourd'hui|pour (?:aujourd'hui|cette fois|maintenant))|pour (?:cette fois|l'instant|le moment|aujourd'hui|celui-ci|celle-ci)|exceptionnellement|une seule fois|pas encore|aujourd'hui seulement",
    ),
    Pattern(
        "supposed",
        "what if",
        r"(?:et si|imagine[z]?|suppos(?:e|ons|ez)|admettons|peut-etre|je me demande|si (?:on|j'|je|tu|nous) [^.!?\n]*(?:ait|ions|aient)|en theorie|dans l'ideal|idealement) [^.!?\n]*",
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        r"(?:j'|je |on |nous )(?:aimerais|aimerions|prefere|preferons|prefererais|voudrais|voudrions|adore|souhaite|souhaiterais)(?: bien)?|si possible|ce serait (?:bien|super|sympa|ideal|cool|chouette|mieux)|serait (?:bien|super|sympa|ideal|cool)|de preference|plutot|un peu (?:plus|moins)",
    ),
    Pattern(
        "told of",
        "dit toujours",
        r"(?:mon|ma|un|une|le|la|mes) (?:[a-z]+ )?(?:oncle|tante|ami|amie|collegue|voisin|voisine|mere|pere|frere|soeur|prof|coach|entraineur|article|livre|grand-mere|copain|copine) (?:[a-z']+ ){0,3}(?:dit|disait|pense|affirme|pretend|ecrit)[^.!?\n]*|(?:il parait|on dit|j'ai lu|j'ai entendu)[^.!?\n]*|on ne sait jamais[^.!?\n]*",
    ),
    Pattern("again", "j'ai dit", r"j'ai (?:deja )?(?:dit|ecrit|demande)|je (?:l'ai|t'ai|vous ai) (?:deja )?dit|comme (?:dit|convenu)|je (?:le )?repete|rappel|n'oublie[z]? pas"),
    Pattern("same", "toujours", r"toujours|meme (?:erreur|message|probleme)|encore|rien ne change|pareil"),
    Pattern("adds", "aussi", r"aussi|egalement|en plus|de plus|par ailleurs|autre (?:regle|contrainte)"),
    Pattern("past", "autrefois", r"(?:avant|autrefois|l'an dernier|l'annee derniere|la semaine derniere|le mois dernier),? (?:on|j'|je|il|c') ?[^.!?\n]+"),
)

ERRORS = (
    Pattern(
        "error",
        "ne marche pas",
        r"(?:ne|n') ?(?:[a-z]+ )?(?:marche|fonctionne|demarre|s'ouvre|charge|repond|s'allume|compile|se lance|imprime|se connecte|passe|arrive|tourne|chauffe|s'installe|veut|essore|vidange|refroidit|s'affiche|lit|envoie|recoit|synchronise)[a-z]* (?:plus|pas|rien)[^.!?\n]*|n'[a-z]+ plus[^.!?\n]*|(?:plante|a plante|plantent|a crashe|crashe|est en panne|est bloque[e]?|est casse[e]?|est tombe[e]?|s'arrete|se bloque|se fige|echoue|a echoue|freeze)[^.!?\n]*|(?:j'ai|on a|affiche|donne|renvoie|recois|obtiens|obtient|voila|message) (?:[a-z']+ ){0,3}(?:erreur|message d'erreur|exception|\"[^\"\n]{3,}\")[^.!?\n]*|erreur (?:lors|[0-9]+|fatale|de|interne|:)[^.!?\n]*|impossible de (?:se |me |nous |te )?(?:demarrer|lancer|connecter|ouvrir|charger|installer|compiler|acceder)[^.!?\n]*",
        unless=r"(?:si|quand|lorsque|pour que|au cas ou|que se passe) [^.!?,\n]{0,40}(?:marche|fonctionne|plante|echoue|panne)|(?:mon|mes|ton|une|d') ?erreurs? de (?:ma|ta|frappe|calcul|debutant)",
        asked=True,
    ),
)

PATTERNS = (*OBLIGATIONS, *SAFETY, *CHANGES, *ENDINGS, *WITHOUT_FORCE, *TRACES, *ERRORS)
