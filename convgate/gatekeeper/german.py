"""German patterns, greetings, confirmations and questions."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Language, Pattern

# fmt: off
NAMED = {
    "polite": "(?:(?:und|aber|also|dann|ok|okay|bitte|hallo|hi|denk dran|auch) )*",
    "very": r"""
        (?:(?:wirklich|auch|sehr|eher|lieber|persoenlich|personlich|grundsatzlich|eigentlich|generell
        |einfach|es|ja) )*
    """,
    "noun": "(?:team|gruppe|firma|abteilung|mannschaft|kollegen|entwickler)",
}

PATTERNS = (
    Pattern("correction", "nein, das ist", r"""
        (?:nein|ne|nee|quatsch)(?: |, ?|\. ?|! ?|; ?| ?- ?)(?:sorry,? |warte,? |moment,? |nein,? |doch,?
         )?(?:das|es|ich meinte|ich meine|ich habe|ich hatte|eigentlich|der|die|den|wir|nicht|so|er|sie|mein
        |meine|unser|unsere|am|um|im|sondern|tatsachlich|stimmt nicht|hier|nimm|nur)
        """, opens_clause=True),
    Pattern("correction", "das ist falsch", r"""
        (?:ist|war|waren|sind|leider|vollig|ganz|total) (?:[a-z]+ )?(?:falsch|nicht richtig|nicht korrekt
        |inkorrekt|verkehrt|unrichtig)|falsch(?:e[rsnm]?)? (?:datei|version|adresse|antwort|tabelle|seite
        |ordner|zeile|spalte|stadt|person|name|datum)|stimmt (?:so |doch |gar |uberhaupt )?nicht
        |falsch[,:!]+ ?[a-z0-9_]+|(?:das|so) (?:habe|hab|hatte) ich (?:so |aber |gar )?nicht (?:gemeint
        |gesagt|gewollt)|nicht (?:das )?was ich|nicht,? was ich|nicht danach gefragt|(?:du|sie) (?:hast
        |haben) (?:mich |das |es |da )*(?:falsch|missverstanden)
        """, unless=r"""
        (?:was|etwas|irgendwas|nichts|ob|wenn|warum|wieso|bin ich|mach\w* ich|hab\w* ich)
         [^.!?\n]{0,40}(?:falsch|nicht richtig|stimmt)
        """),
    Pattern("correction", "ich meinte", r"""
        ich meinte|(?:ich|wir) (?:habe?n?|hatten?) (?:doch |aber |schon |eigentlich |extra |ausdrucklich
         )*[^.!?\n]{0,30}gesagt|gemeint (?:war|habe ich|ist|hatte ich)|ich (?:sagte|wollte (?:aber
         |eigentlich )?(?:den|die|das))
        """),
    Pattern("correction", "eigentlich ist es", r"""
        (?:eigentlich|tatsachlich|genauer gesagt|korrektur|moment),?:? (?:ist|sind|war|meinte|heisst|heist
        |geht|wollte|habe|haben|nicht|der|die|das|es|nein|am|um)
        """, opens_clause=True),
    Pattern("preference", "ich bevorzuge", r"""
        ich {very}(?:bevorzuge|praferiere|ziehe [^.!?\n]{2,40} vor)|bevorzuge ich|(?:ich (?:hatte|mochte
        |habe|will|nehme|arbeite|schreibe|nutze|benutze|verwende|lese|trinke|esse|fliege|fahre|sitze|mag
        |wurde|hab) (?:[a-z]+ ){0,3}?lieber)|mir (?:ist|ware|sind) (?:[a-z]+ ){0,3}lieber|(?:mein|meine)
         (?:[a-z]+ )?(?:vorliebe|praferenz|liebling[a-z]+)|ich [^.!?,\n]{1,40} am liebsten|am liebsten
         [a-z]+ ich|ich bin (?:kein|ein|nicht so der) (?:groser )?(?:fan|freund) von
        """),
    Pattern("preference", "ich mag", r"""
        ich {very}(?:mag|liebe|hasse|verabscheue)|ich (?:kann|konnte) (?:[a-z]+ ){1,4}nicht (?:leiden
        |ausstehen)|mag ich (?:nicht|keine?|lieber|sehr)|(?:gefallt|gefallen) mir (?:nicht|besser)
        """),
    Pattern("preference", "ich will", r"""
        ich (?:will|mochte|hatte gern(?:e)?) (?:[a-z]+ )*?(?:keine?[nrms]?|nur|immer|alle|meine?[nrms]?|nie
        |niemals|kurze|lieber|nicht mehr|geduzt|gesiezt)|ich (?:will|mochte|hatte gerne?),? dass (?:du|sie)
         [^.!?\n]{0,20}(?:immer|nie|niemals|nur|keine?[nrms]?|stets)
        """),
    Pattern("preference", "ich … immer", r"""
        ich [a-z]+ (?:[a-z]+ ){0,2}?(?:immer|nie|niemals|meistens|meist|normalerweise|ublicherweise
        |gewohnlich|stets|grundsatzlich)\b|(?:normalerweise|meistens|ublicherweise|grundsatzlich|morgens
        |abends) [a-z]+ ich|[a-z]+ ich (?:immer|nie|niemals|stets|grundsatzlich|meistens)
        """, unless=r"""
        ich (?:bekomme|kriege|erhalte|sehe|habe?|hatte|war|bin|dachte|wusste|weiss?|verstehe|vergesse|wollte
        |finde|konnte|kann|wurde|werde|glaube|lande|horte|sagte|frage) (?:[a-z]+ ){0,2}?(?:immer|nie|niemals
        |meistens|meist|stets)
        """),
    Pattern("team_preference", "wir bevorzugen", r"""
        wir {very}(?:bevorzugen|praferieren|ziehen [^.!?\n]{2,40} vor|mogen lieber|hatten lieber|mochten
         lieber|nehmen lieber|arbeiten lieber|nutzen lieber|schreiben lieber)|bevorzugen wir|(?:das|unser
        |mein|das ganze|die|unsere|die ganze) {noun} (?:bevorzugt|praferiert|mag|zieht|mochte lieber|hatte
         lieber|arbeitet lieber|nutzt lieber|nimmt lieber)|uns (?:ist|ware|sind) (?:[a-z]+ ){0,3}lieber
        |unsere praferenz
        """),
    Pattern("policy", "wir … immer", r"""
        wir [a-z]+ (?:[a-z]+ ){0,3}?(?:immer|nie|niemals|stets|grundsatzlich|ausschlieslich
        |ausschliesslich)\b|bei uns (?:wird|werden|gilt|ist|sind|gibt)|[a-z]+ wir (?:immer|nie|niemals|stets
        |grundsatzlich)
        """, said="both"),
    Pattern("policy", "wir müssen", r"""
        wir (?:mussen|mussten|sollten|sollen|durfen) (?:[a-z]+ )?\w+
        """, unless=r"""
        wir (?:sollten|mussen|sollen) [^.!?\n]{0,40}(?:essen gehen|gehen|mittagessen|treffen|feiern)
        """, said="both"),
    Pattern("policy", "unsere Regel", r"""
        (?:unser|unsere|unserer|unserem|unseren) (?:[a-z]+ )?(?:standard|konvention|konventionen
        |richtlinien?|regeln?|vorgaben?|policy|grundsatz|vorschrift(?:en)?)|(?:die|eine|hausinterne) regel
         (?:ist|lautet|bei uns|hier)
        """, said="both"),
    Pattern("policy", "nie … verwenden", r"""
        (?:verwende|benutze|benutz|nutze|nutz|nimm|verwenden sie|benutzen sie|nutzen sie|mach|schreib
        |schreibe|gib|speicher[e]?|logge?|push[e]?|committe?|teile?|losch[e]?|andere?|schick[e]?|sende
        |antworte) (?:[a-z0-9_.-]+ ){0,4}?(?:nie|niemals|nicht|keine?[nrms]?|immer|stets|ausschlieslich
        |bitte keine?[nrms]?)\b
        """, said="both", opens_clause=True),
    Pattern("policy", "immer …", r"""
        (?:immer|nie|niemals|stets|grundsatzlich) [^.!?\n]{2,}|(?:vermeide|vermeiden sie|vermeidet|verzichte
        |verzichten sie|auf keinen fall|unter keinen umstanden|keinesfalls) [a-z0-9_]+[^.!?\n]*|keine?
         [^.!?\n]{2,60} (?:verwenden|benutzen|nutzen|speichern|loggen|committen|pushen|schreiben|einchecken
        |weitergeben)
        """, unless=r"""
        immer (?:kommt|ist|hat|wird|steht|sagt|passiert|geht|muss|bleibt|kommen|sind|ofter|schlimmer|besser
        |noch|wieder|dasselbe|das gleiche|mehr|die|der|das|dieser?|diese[sn]?|wenn|ich|er|sie|gerne?|mit
         der)\b|nie (?:wieder|mehr|gehort|gesehen|gedacht)
        """, opens_clause=True),
    Pattern("policy", "ab jetzt", r"""
        ab (?:jetzt|sofort|heute)|von (?:jetzt|nun|heute) an|kunftig|zukunftig|in zukunft|fortan
        |(?:jede[rsn]?|alle) [^.,!?\n]{2,50} (?:muss|mussen|durfen nicht|darf nicht)|(?:ist|sind) (?:bei uns
         |hier )(?:verboten|pflicht|tabu|vorgeschrieben)|(?:das|so) ist (?:bei uns )?(?:die |eine |unsere
         )?(?:regel|vorschrift|pflicht)
        """),
    Pattern("decision", "lass uns … nehmen", r"""
        (?:lass|lasst|lassen sie) uns (?:[a-z0-9_.+-]+ ){0,6}?(?:nehmen|verwenden|benutzen|nutzen|wahlen
        |einsetzen|bleiben|setzen|umsteigen)|nehmen wir|wir nehmen|wir bleiben bei|bleiben wir bei|wir
         entscheiden uns|wir setzen auf|setzen wir auf|wir steigen (?:auf [^.!?\n]{2,30} )?um|wir machen
         (?:es mit|variante|option)|(?:lass|lasst) uns (?:mit [^.!?\n]{2,30} arbeiten|bei [^.!?\n]{2,30}
         bleiben)|dann (?:nehmen|verwenden|nutzen) wir|ich nehme|dann nehm(?:e)? ich
        """, said="both"),
    Pattern("decision", "ich habe entschieden", r"""
        (?:ich|wir|das team|wir alle|er vorstand) (?:habe?n?|hat|hab) (?:mich|uns|sich|es|das|jetzt|nun|also
        |heute|gestern|[^.!?\n]{0,50}) ?(?:entschieden|entschlossen|beschlossen|ausgewahlt|gewahlt
        |festgelegt|geeinigt)|haben (?:wir|wir uns) [^.!?\n]{0,60}(?:entschieden|beschlossen|geeinigt)|habe
         ich (?:mich )?[^.!?\n]{0,40}(?:entschieden|beschlossen)|(?:die|unsere|meine) (?:entscheidung|wahl)
         (?:ist|fallt|fiel|lautet|steht)|entscheidung:|es bleibt bei|(?:ist|sind) (?:jetzt |damit |nun
         )?(?:beschlossen|entschieden)
        """, said="both"),
)

GERMAN = Language(
    code="de", named=NAMED, patterns=PATTERNS,
    greetings=r"""
        hallo|hallochen|hi|guten (?:morgen|tag|abend)|gute[nr]? morgen|moin(?: moin)?|servus|gruss? gott
        |gruezi|gruss? dich|morgen|tach|na|hey|mahlzeit|grusse
    """,
    pleasantries=r"""
        zusammen|alle|allerseits|leute|team|liebes team|ihr lieben|ihr|du|da|an alle|miteinander|und|mein
         freund|frau|herr|liebe kollegen|wie geht(?:'s| es)?(?: dir| ihnen| euch)?(?: heute| so)?|wie
         gehts(?: dir| euch)?|alles (?:gut|klar)(?: bei dir)?|was geht(?: ab)?|was gibt(?:'s| es) neues
        |schon(?:en)? (?:tag|abend|dich zu sehen)|guten (?:morgen|tag|abend)|freut mich|sie|bist du da
    """,
    confirmations=r"""
        ja|nein|danke|vielen dank|danke schon|dankeschon|danke dir|besten dank|ok danke|verstanden|alles
         klar|klar|gut|sehr gut|super|prima|toll|genau|in ordnung|passt|einverstanden|jo|jep|jup|ne|nee|na
         klar|gerne|gern|perfekt|klasse|cool|richtig|stimmt|jawohl|geht klar|alles gut|okay danke|doch|nice
    """,
    yes_or_no=r"""
        ja|nein|jo|jep|jup|ne|nee|na klar|klar|gerne|gern|ja bitte|nein danke|doch|jawohl|genau
    """,
    agreements="einverstanden|in ordnung|geht klar|alles klar|passt",
    questions=r"""
        (?:was|welche[rsnm]?|wer|wen|wem|wie|warum|wieso|weshalb|wo|wann|woher|wohin|wozu|womit|ob)\b
        |(?:soll|sollen|sollten|sollte|muss|mussen|kann|konnen|kannst|konnt|darf|durfen|willst|wollen|magst
        |mogt|bevorzugst|bevorzugen|nutzt|benutzt|hast|haben|hat|habt|ist|sind|bist|seid|wird|werden|machst
        |macht|machen|verwenden|verwendet|wurdest) (?:ich|wir|du|sie|ihr|er|es|man|das|die|der|euer|unser\w*
        |eure)
    """,
    open_questions="was|welche[rsnm]?|wer|wen|wem|wie|warum|wieso|weshalb|wo|wann|woher|wohin|wozu|womit",
    choices=r"""
        welche[rsnm]? [^?]{0,60}(?:sollen|sollten|soll|nehmen|mochtest|mochten|willst|wollen|bevorzug\w+
        |verwenden|nutzen|hattest|wollt|darf)|soll ich|sollen wir|sollten wir|sollte ich|nehmen wir|wollen
         wir|mochtest du|mochten sie|\w+ oder \w+|willst du|was (?:sollen|nehmen|wollen) (?:wir|sie)|(?:wann
        |wo|wie|wer) (?:soll|sollen|sollten|sollte)|wofur|hattest du lieber|(?:verwenden|nutzen) wir
    """,
    invitations=r"""
        sag (?:mir )?(?:bitte )?(?:bescheid|welche|ob|wie|was|wann)|sagen sie (?:mir )?(?:bitte
         )?(?:bescheid|welche|ob|wie|was)|bitte (?:wahle|wahlen|bestatige|bestatigen|angeben|nennen)
        |(?:wahle|such dir)
    """,
    offers="(?:wie|womit) kann ich|was kann ich (?:fur|heute)",
)
# fmt: on
