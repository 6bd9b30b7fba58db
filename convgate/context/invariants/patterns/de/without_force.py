"""German: what holds once, is supposed, wished or told of; and what says a thing again."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        """
            diesmal|dieses mal|nur (?:heute|jetzt|dieses mal|diesmal|einmal|fur heute|kurz)
            |fur (?:heute|jetzt|den moment|dieses mal|diesen)|ausnahmsweise|im moment|vorerst
            |erst ?mal|vorlaufig|dieses eine mal|noch nicht
        """,
        unless="nicht nur (?:heute|diesmal)",
    ),
    Pattern(
        "supposed",
        "what if",
        r"""
            (?:was ware|angenommen|stell dir vor|nehmen wir an|wenn (?:man|wir|ich
            |es) [^.!?\n]*(?:ware|wurde|konnte|durfte|musste)|mal angenommen|vielleicht
            |ich frage mich|ich uberlege|theoretisch|ideal ware|idealerweise) [^.!?\n]*
        """,
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        """
            (?:ich|wir) (?:hatte|hatten|wurde|wurden|mochte|mochten|mag|mogen|wunsche
            |wunschen) (?:[a-z]+ )?(?:gern[e]?|lieber|am liebsten)?|am liebsten|wenn (?:moglich
            |es geht|'s geht)|ware (?:[a-z]+ )?(?:schon|nett|toll|super|gut|ideal|prima|cool|klasse)
            |gern[e]?|lieber|nach moglichkeit|moglichst|vielleicht|nicht (?:zu|so) [a-z]+
        """,
    ),
    Pattern(
        "told of",
        "sagt immer",
        r"""
            (?:mein[e]?|ein[e]?|der|die|unser[e]?|sein[e]?|ihr[e]?) (?:[a-z]+ )?(?:trainer|freund
            |freundin|kollege|kollegin|nachbar|nachbarin|onkel|tante|mutter|vater|oma|opa|bruder
            |schwester|artikel|buch|lehrer|lehrerin|bekannte[r]?) (?:sagt|sagte|meint|meinte
            |behauptet|schreibt|hat gesagt)[^.!?\n]*|(?:es heisst|angeblich|ich habe gelesen
            |man sagt|es steht)[^.!?\n]*
        """,
    ),
    Pattern(
        "again",
        "ich sagte",
        """
            (?:wie|hab|habe|hatte) (?:ich )?(?:doch |schon |bereits )?(?:gesagt|geschrieben|erwahnt)
            |ich sagte|noch ?mal[,:]|denk[e]? dran|nicht vergessen|steht auch
        """,
    ),
    Pattern(
        "same",
        "noch immer",
        """
            immer noch|noch immer|nach wie vor|gleiche[rs]? (?:fehler|meldung|problem)|dasselbe
            |das gleiche|nix|hilft nicht|keine anderung|wieder
        """,
    ),
    Pattern(
        "adds",
        "auch",
        "auch|ausserdem|zusatzlich|ebenfalls|dazu|noch eine regel|des weiteren",
    ),
    Pattern(
        "past",
        "damals",
        r"(?:fruher|damals|letztes jahr|letzte woche|letzten monat|vor jahren) [^.!?\n]+",
    ),
)
