"""French: what the user says of what does not work."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

ERRORS = (
    Pattern(
        "error",
        "ne marche pas",
        r"""
            (?:ne|n') ?(?:[a-z]+ )?(?:marche|fonctionne|demarre|s'ouvre|charge|repond|s'allume
            |compile|se lance|imprime|se connecte|passe|arrive|tourne|chauffe|s'installe|veut|essore
            |vidange|refroidit|s'affiche|lit|envoie|recoit|synchronise)[a-z]* (?:plus|pas
            |rien)[^.!?\n]*|n'[a-z]+ plus[^.!?\n]*|(?:plante|a plante|plantent|a crashe|crashe
            |est en panne|est bloque[e]?|est casse[e]?|est tombe[e]?|s'arrete|se bloque|se fige
            |echoue|a echoue|freeze)[^.!?\n]*|(?:j'ai|on a|affiche|donne|renvoie|recois|obtiens
            |obtient|voila|message) (?:[a-z']+ ){0,3}(?:erreur|message d'erreur|exception
            |\"[^\"\n]{3,}\")[^.!?\n]*|erreur (?:lors|[0-9]+|fatale|de|interne|:)[^.!?\n]*
            |impossible de (?:se |me |nous |te )?(?:demarrer|lancer|connecter|ouvrir|charger
            |installer|compiler|acceder)[^.!?\n]*
        """,
        unless=r"""
            (?:si|quand|lorsque|pour que|au cas ou|que se passe) [^.!?,\n]{0,40}(?:marche|fonctionne
            |plante|echoue|panne)|(?:mon|mes|ton|une|d') ?erreurs? de (?:ma|ta|frappe|calcul
            |debutant)
        """,
        asked=True,
    ),
)
