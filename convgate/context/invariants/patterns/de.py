"""German."""

from __future__ import annotations

from convgate.context.invariants.patterns.en.errors import TRACES
from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        r"(?:muss|mussen|musst|musste|hat|haben|ist|sind) (?:[^.!?\n]{0,80} )?(?:sein|bleiben|haben|passen|laufen|gehen|funktionieren|enthalten|zu [a-z]+|[a-z]+en|[a-z]+zu[a-z]+en|rein|raus|weg|mit|[a-z]+bar)"
        r"|(?:muss|mussen) (?:[a-z]+ ){0,8}[a-z0-9]+|(?:darf|durfen|darfst|durft) (?:[^.!?\n]{0,60} )?(?:nicht|nie|niemals|kein[a-z]*|nur|hochstens|maximal|niemand|auf keinen fall|nirgends|nichts)"
        r"|(?:nicht|nie|niemals|kein[a-z]*|niemand|nichts|nur) [^.!?\n]{0,60}(?:darf|durfen)|sollen? (?:[a-z]+ ){0,4}(?:immer|nie|niemals|nur|stets)",
        unless=r"man muss (?:halt|eben|ja|nur|einfach) [^.!?\n]*|(?:hat|haben|ist|sind|hatte|war) [^.!?\n]*(?:en|t|haben|sein|gehen|gemacht)|ich muss (?:schon |ehrlich |echt )?(?:sagen|zugeben|gestehen|los|weg|noch|morgen|heute|jetzt|nur|dringend|mal|ja|leider|zum|zur|nach|in|auf|einen?|eine|die|den|das)|(?:muss|mussen) (?:[a-z]+ ){0,6}(?:gewesen|gehabt|sein\?|gemacht haben|gewesen sein)|(?:was|wie|warum|wann|wo|wer|wenn|ob) [^.!?,\n]{0,40}muss|muss (?:ich|man|es|das) [^.!?\n]*[?]|(?:darf|durfen) (?:ich|man|wir) [^.!?\n]*[?]|das muss (?:am|an|der|die|ein)|muss (?:am|an der|an dem) ",
    ),
    Pattern(
        "obligation",
        "at most",
        r"(?:hochstens|maximal|max\.?|mindestens|nicht (?:mehr|langer|spater|fruher|teurer|uber|unter|grosser|grober|hoher|schwerer|weniger|alter) als|nie (?:mehr|langer|uber|weniger) (?:als)?|keinesfalls mehr|bis (?:spatestens|maximal|hochstens)|spatestens|genau|exakt|unter|nicht uber) (?:[a-z]+ ){0,2}(?:[0-9]+|ein|eine|einen|einem|zwei|drei|vier|funf|sechs|zehn|halbe?|am|bis|um)[a-z0-9 ]*"
        r"|[0-9]+ [a-z0-9%]+ (?:maximal|hochstens|maximum|mindestens|max)|keinen? (?:cent|euro|tag|minute|zeile|wort|gramm) (?:mehr|langer|spater|weniger)|mehr als [0-9]+ [a-z]+ (?:ist|sind|geht|gehen|darf|durfen|kann|konnen) [^.!?\n]*(?:nicht|kein[a-z]*)|mehr geht nicht|(?:die|das|unser|mein|meine|unsere|der) (?:budget|limit|grenze|obergrenze|frist|deadline|abgabe|hochstgrenze) (?:ist|liegt|betragt|bleibt)",
        unless=r"(?:hat|haben|war|waren|ist|sind|kostet|dauert|kostete|dauerte) (?:nur |etwa |bisher |jetzt )?(?:mindestens|hochstens|unter|genau|maximal)|unter (?:der|die|dem|den|einem|einer|ein|uns|anderem)|genau (?:das|so|der|die|ein|wie|am)|genau[,.!]",
    ),
    Pattern(
        "obligation",
        "only",
        r"(?:ausschliesslich|ausschlieslich|einzig|nichts (?:mit|aus|ausser|anderes|was|von|uber|das)|nichts (?:[a-z]+es)|nur (?:mit|in|auf|am|an|bei|im|zwischen|aus|von|vom|nach|vor|ab|bis|per|uber|fur|vegetarisch[a-z]*|vegan[a-z]*|deutsch|englisch|metrisch[a-z]*|[a-z]+(?:s|er|e|en)? (?:verwenden|nutzen|benutzen|nehmen|erlaubt|zugelassen|antworten|schreiben|zeigen)))(?: [a-z0-9]+)?"
        r"|(?:nimm|verwende|nutze?|benutze?|nehmen sie|antworte|schreib[e]?|zeig[e]?|gib|plane|such[e]?) (?:[a-z]+ ){0,3}nur [a-z0-9]+|nur (?:noch )?(?:am|an|unsere|meine|diese) [a-z]+",
        unless=r"(?:ich|wir|er|sie|es) (?:habe|haben|hat|wollte|wollten|bin|sind|war|kenne|kann|sehe|sehen|suche|frage|fragte) (?:[a-z]+ )?nur|nicht nur|nur (?:mal|kurz|so|zur|damit|noch (?:mal|eine frage|schnell))|nichts (?:mit|von) (?:mir|alledem|dem)|(?:ist|war|sind|geht|passiert|druckt|zeigt|kommt|sehe|lauft) nur|nur [^.!?\n]{0,30}[?]",
    ),
    Pattern(
        "obligation",
        "no …",
        r"(?:keine?[nmrs]?|kein|ohne|nie|niemals|nichts|nicht|weder|nie wieder|nie mehr) (?:[a-z-]+ ){0,3}[a-z0-9-]{2,}",
        unless=r"(?:keine?[nmrs]?|kein) (?:ahnung|problem|probleme|sorge|sorgen|idee|ideen|lust|zeit|eile|stress|fragen?|weiteren? fragen?|unterschied|wunder|gluck|plan|grund|antwort|anderung|chance|fehler|fehlermeldung|zweifel|thema|angst|mensch|einziges|mal|so|wirkliche?|besonder[a-z]*|erfolg)|(?:nicht|nie|nichts|ohne) (?:so|sicher|schlecht|ganz|mehr (?:weiter)?|wahr|schlimm|notig|dass|nur|genau|wirklich|weiter|unbedingt|zu|viel|gut|der|die|das|das selbe|passiert|los|gefunden|gesehen|gehort|verstanden|gewusst|zu danken|besonderes|zu tun|gleich|einfach|verkehrt|geholfen|leicht|ohne|da|moglich)|nicht,? (?:oder|dass|ob|wie|was|warum)|ohne (?:zweifel|weiteres|ende|problem[e]?)|nie (?:gehort|gesehen|gemacht|gewusst|gedacht)",
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        r"(?:verboten|nicht erlaubt|nicht gestattet|nicht zulassig|unzulassig|tabu|zwingend|unbedingt|pflicht|vorgeschrieben|vorschrift|auf keinen fall|unter keinen umstanden|keinesfalls|in keinem fall|auf gar keinen fall|ausnahmslos|ohne ausnahme|keine ausnahmen?|strikt|strengstens|nicht verhandelbar|fest vorgegeben|kommt nicht in frage|kommt nicht infrage|geht gar nicht|ein muss|ist gesetzt|zwingende|bedingung ist|vorgabe ist|wichtig ist,? dass|wichtig:|achte (?:immer |unbedingt )?darauf|achten sie darauf|stelle? sicher|stellen sie sicher|pass auf,? dass|sorge dafur)"
        r"|(?:niemand|keiner) [a-z]+|(?:ich|wir|sie|er) (?:kann|konnen|will|wollen|werde|werden) (?:auf keinen fall|keinesfalls|nicht mehr als|hochstens|maximal|nur) [^.!?\n]+|(?:vertragt|vertrage|vertragen|isst|esse|essen|trinkt|trinke) [^.!?\n]{0,30}(?:kein[a-z]*|nicht|nie)",
        unless=r"(?:niemand|keiner) (?:weiss|wusste|kennt|will|mag|hat|ist|kommt|war|versteht|antwortet|da)|nicht unbedingt|(?:ist|sind) (?:das|es|die|der) [^.!?\n]{0,30}(?:verboten|erlaubt|pflicht|zwingend)[^.!?\n]*[?]",
    ),
    Pattern(
        "obligation",
        "always",
        r"(?:immer|stets|jedes mal|grundsatzlich|durchgehend|uberall) (?:mit|in|auf|als|zuerst|erst|der|die|das|eine?|einen|vor|nach|an|am|auch|per|bei|unter|von|im|du|sie|nur|genau|zwei|drei|[a-z]+en|[a-z]+)"
        r"|bei allen? [^.!?\n]{3,}|vor jede[mnrs]? [^.!?\n]{3,}|nach jede[mnrs]? [^.!?\n]{3,}|in allen? (?:texten|antworten|mails|dateien|tabellen)|(?:ab jetzt|ab sofort|von nun an|kunftig|in zukunft|zukunftig)|(?:gilt|gelten) (?:fur|bei) (?:alle[sn]?|jede[nsrm]?)",
        unless=r"(?:ich|er|sie|es|man|wir|die|der|das|mein|meine|unser|unsere|meldung|garten|[a-z]+er|[a-z]+) (?:[a-z]+ )?(?:macht|mache|machen|ist|sind|war|hat|habe|haben|hatte|sagt|sage|sagte|kommt|geht|wird|freut|freue|vergisst|vergesse|will|wollte|mag|mochte|bekomme|kriege|sehe|spiele|lese|finde|dachte|denke|lauft|laufe|zeigt|bleibt|passiert|brennt|blinkt|esse|isst|fahre|fahrt|koche|kocht|nehme|fangt|scheitert|hangt|ging|gab|gibt|lag|liegt|nutze|benutze|verwende) [^.!?,\n]{0,60}immer|(?:soll|muss|kann|darf|sollte) (?:ich|man|wir) [^.!?\n]*|immer (?:noch|wieder|mehr|ofter|schlimmer|gerne?|gut|schon|so|weiter|langsamer|schneller|kalter|nur)|(?:fur|wie|noch) immer",
    ),
)

SAFETY = (
    Pattern(
        "fact",
        "allergy",
        r"[a-z]*allerg(?:ie|ien|isch|iker|ikerin|ene?)|unvertraglich[a-z]*|[a-z]*intoleran[a-z]*|zoliakie|anaphyla[a-z]*|laktoseintoleran[a-z]*|(?:vertragt|vertrage|vertragen) (?:[a-z]+ ){0,3}(?:kein[a-z]*|nicht)",
        unless=r"kein[a-z]* (?:bekannten? )?(?:allerg[a-z]*|unvertraglich[a-z]*)|allergisch (?:gegen|auf) (?:montage|meetings|arbeit|buzzwords|sport)",
    ),
    Pattern(
        "fact",
        "illness",
        r"(?:bin|ist|sind|bereits|gerade|wieder|auch|[0-9]+\. (?:woche|monat)) (?:[a-z0-9.]+ ){0,3}schwanger|stillt|stille (?:noch|gerade|derzeit|mein)|schwangerschaft"
        r"|(?:hat|habe|haben|leidet an|leide an|leiden an|mit|wegen|bin|ist|sind|nach) (?:[a-z0-9]+ ){0,3}(?:[a-z]*diabet[a-z]*|epilep[a-z]*|asthma[a-z]*|herzschrittmacher|herz(?:infarkt|fehler|krankheit|probleme|schwache)|bluthochdruck|hohen blutdruck|nierenkrank[a-z]*|niereninsuffizienz|leberschaden|demenz|dement|bandscheibenvorfall|osteoporose|krebs|chemo[a-z]*|thrombose|schlaganfall|hamophilie|bluter|immunsupprimiert|magengeschwur|glaukom|gicht)"
        r"|(?:nimmt|nehme|nehmen|bekommt|bekomme) (?:[a-z0-9]+ ){0,3}(?:marcumar|blutverdunner|insulin|lithium|antidepressiva|metformin|cortison|kortison|betablocker|tabletten|medikamente|ramipril|antibiotika)"
        r"|(?:arzt|arztin|kardiologe|hausarzt|tierarzt|tierarztin|hebamme|chirurg|orthopade|physiotherapeut[a-z]*) (?:hat |sagt |meint |hat mir |hat ihm |hat ihr )*[^.!?\n]*(?:verboten|nicht|kein[a-z]*|nur|hochstens|maximal|nie)",
    ),
    Pattern(
        "subject",
        "health",
        r"gesund[a-z]*|arzt[a-z]*|medikament[a-z]*|medizin[a-z]*|[a-z]*tabletten?|dosis|dosierung|dosen|operation|operiert|verletz[a-z]*|schmerz[a-z]*|blut[a-z]*|herz|gluten[a-z]*|mehl|[a-z]*nusse?n?|nuss|mandeln?|laktose|milch|alkohol[a-z]*|honig|rohe[mnrs]? [a-z]+|hund|hunde|katze[n]?|kaninchen|pferd|hygien[a-z]*|infektion[a-z]*|patient[a-z]*|salz|zucker",
    ),
    Pattern(
        "subject",
        "people",
        r"kind|kinder[n]?|kindes|baby|babys|saugling[a-z]*|kleinkind[a-z]*|sohn|tochter|schuler[a-z]*|unbeaufsichtigt|allein im|gesturzt|sturz[a-z]*|verschluck[a-z]*|ersticken|erstick[a-z]*|trauben|gefahr[a-z]*|sicherheit[a-z]*|gefahrlich[a-z]*|unfall[a-z]*|risiko|helm|messer|herd|leiter|gerust|dach|notausgang|fluchtweg|bremsen?|schwimm[a-z]*|waffe[n]?|lebensgefahr",
        unless=r"(?:die|unsere) kinder (?:halten|wollen|mogen|freuen|finden|sind begeistert|lieben)|schwimmbad|messerblock",
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        r"feuer|brand[a-z]*|brenn[a-z]+|kerzen?|gas|gasleitung|strom|stromschlag|sicherung(?:en)?|spannung|steckdose[n]?|kabel|leitung(?:en)?|fi-schalter|elektrik[a-z]*|batterie[n]?|akku|saure[n]?|lauge|chlor|bleiche|gift|giftig[a-z]*|chemikalie[n]?|asbest|losungsmittel|abgas[a-z]*|explo[a-z]*|rauch[a-z]*",
        unless=r"brandneu|datensicherung|sicherung (?:der|des|von)|gaststatte|leitung des|feuerwerk",
    ),
    Pattern(
        "subject",
        "security, data, money, production, law",
        r"passwort[a-z]*|passworter[n]?|kennworter|geheim[a-z]*|zugangsdaten|schlussel im|verschlussel[a-z]*|unverschlussel[a-z]*|klartext|api-?keys?|tokens?|datenschutz[a-z]*|dsgvo|personenbezogen[a-z]*|kundendaten|patientendaten|personliche[nrms]? daten|vertraulich[a-z]*|adressen|klarnamen?|nachnamen|namen von|anonym[a-z]*|iban|kontodaten|gehalter|diagnose[n]?"
        r"|backup[s]?|[a-z]*sicherung(?:en)?|datenverlust|verloren|loschen|gelosch[a-z]*|uberschreib[a-z]*|bestandsdaten|originale|produktion[a-z]*|produktiv[a-z]*|live-?system|live-?daten|prod|gesetz[a-z]*|rechtlich|strafbar|illegal|gericht[a-z]*|haftung|anwalt|steuerberater|finanzamt|erspart[a-z]*|bankdaten",
        unless=r"(?:das )?gericht (?:schmeckt|ist lecker|kochen)|ein gericht|verloren gegangene|produktion(?:sleiter|splan)",
    ),
)

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"(?:(?:nein|ne|nee|halt|stop|stopp|falsch|quatsch|korrektur)(?:[,.!:;]+ ?| - ?)|(?:sorry|moment|warte|tschuldigung|entschuldigung|ups|hoppla|oh|eigentlich|doch|stimmt nicht|achtung|verzeihung|fast)[,.!: ]+)[^.!?\n]{3,}",
        unless=r"(?:nein|ne|nee)[,.! ]+(?:danke|das (?:war|ist|reicht|passt)|alles|nicht notig|schon gut|wie|was|warum)|(?:sorry|moment|entschuldigung|oh|warte)[,.!: ]+(?:fur|dass|wie|was|warum|kannst|konnen|danke|schon|super|toll|noch|nur|ich bin|das hat|klar|stimmt|gut|ja|eine frage)|eigentlich (?:mag|wollte ich (?:nur|fragen)|ganz|gut|nicht|schon|kein|klar|alles)|halt (?:so|nicht|die|das|den|sich)\b",
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        r"(?:du|sie) (?:hast|haben) (?:[a-z]+ ){0,5}(?:vertauscht|verwechselt|vergessen|ubersehen|falsch)|mein fehler|mein irrtum|ich (?:hab|habe|hatte) (?:mich )?(?:[a-z]+ ){0,5}(?:vertippt|verrechnet|verwechselt|geirrt|vertan|falsch (?:geschrieben|gesagt|gelesen|gezahlt|abgelesen)|verschrieben|verlesen|verzahlt)|(?:hab|habe|haben) (?:es |das )?(?:noch ?mal|nochmals|nochmal|gerade|eben) (?:nach)?(?:gemessen|geschaut|geguckt|gezahlt|gefragt|gerechnet|gelesen|gepruft)|nachgemessen|nachgeschaut|vertippt|verwechselt|falsch gesagt|ich meinte|gemeint war|meinte ich|plananderung|es hat sich geandert|hat sich geandert|wurde (?:verschoben|geandert|erhoht|gesenkt|verlegt)|ist (?:jetzt )?(?:verschoben|verlegt|geandert)|(?:der|die|das) [0-9a-z.]+ war (?:letztes|letzten|letzte|der alte|die alte|das alte|falsch|voriges)|ich hab[e]? (?:mich )?(?:es mir )?anders uberlegt|doch lieber|doch nicht|vergiss was ich|das stimmt nicht|stimmt (?:so )?nicht",
    ),
    Pattern(
        "change",
        "not X but Y",
        r"nicht [^.!?\n]{2,50} sondern [^.!?\n]{2,}|[a-z0-9.]+,? (?:und )?nicht (?:der |die |das |den |dem |in |im |am |an |auf |seit |mit |um |von |vom |bei |auf )*[a-z0-9]+|(?:statt|anstatt|anstelle(?: von)?) (?:[a-z]+ )?[a-z0-9]+|(?:fast|beinahe)[,.!] [^.!?\n]+|also brauchen wir (?:nur|kein[a-z]*) [^.!?\n]+",
        unless=r"(?:ist|sind|war|kann|konnen|geht|habe|hab|hat|weiss|bin|will|wurde|macht|druckt|lauft|darf|durfen|muss|ob|oder|noch|auch|warum|wenn|lieber|gar|uberhaupt|leider|bitte|mir|es|das|sich|mich|ihn|sie|er|wir|ich|du|man) nicht|nicht (?:so|zu|mehr|sicher|schlecht|ganz|wahr|langer|spater|uber|nur|notig|sehr|gut|unbedingt|da|lange|viel|immer|wirklich|einmal|erlaubt|moglich)",
    ),
    Pattern(
        "modifies",
        "make it",
        r"(?:mach|mache|machen sie|setz|setze|ander|andere|erhohe|senke|nimm) (?:[a-z]+ ){0,4}(?:auf|zu|daraus|draus|stattdessen|lieber|doch)[^.!?\n]*|(?:ist|sind|hat|haben|gilt|gelten|durfen|mussen) (?:jetzt|nun|inzwischen|mittlerweile) [^.!?\n]+|(?:jetzt|nun|inzwischen|mittlerweile) (?:ist|sind|gilt|gelten|doch)|sollte[n]? (?:[a-z]+ ){1,5}(?:sein|heissen|stehen|haben)",
    ),
)

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"(?:vergiss|vergessen sie|ignoriere?|streich[e]?|lass|lassen sie) (?:[a-z]+ ){0,3}(?:die|das|den|mit|was|regel|grenze|limit|vorgabe)[^.!?\n]*|(?:gilt|gelten|brauchen|braucht|brauche|zahlt|stimmt|besteht|muss|mussen|mussten) (?:[a-z]+ ){0,5}(?:nicht mehr|kein[a-z]* [a-z]* ?mehr)|(?:kein[a-z]*) (?:grenze|limit|vorgabe|beschrankung|regel|frist|problem) mehr|(?:ist|sind|wurde|wurden|wird) (?:[a-z]+ )*(?:aufgehoben|hinfallig|gestrichen|abgeschafft|vom tisch|wieder erlaubt|jetzt erlaubt|wieder moglich|wieder frei|egal|abgesagt|uberholt|ausgefallen)"
        r"|(?:du|sie|wir|ihr|man|ich) (?:darfst|durfen|kannst|konnen|durft|darf|kann) (?:[a-z]+ ){0,5}(?:jetzt|wieder|nun|doch|inzwischen|ruhig)[^.!?\n]*|(?:jetzt|nun|inzwischen|wieder) (?:[a-z]+ ){0,3}(?:erlaubt|ok|okay|moglich|in ordnung)|(?:gibt es|gibts|gibt's) (?:[a-z]+ )?kein[a-z]* [a-z]+ mehr",
    ),
    Pattern(
        "resolved",
        "works now",
        r"(?:lauft|funktioniert|geht|klappt|startet|druckt|baut|tut|ladt|verbindet|heizt) (?:es |das |alles |sie |er )?(?:jetzt|wieder|nun|durch|endlich|einwandfrei|problemlos|super|prima|perfekt)|(?:hat|das hat|es hat) (?:[a-z]+ )?(?:geklappt|geholfen|funktioniert|gelost)|(?:das|daran|genau das|das) (?:war'?s|war es|lag es|hat es gelost)|(?:ist|wurde|problem|fehler|alles) (?:jetzt |nun |wieder )?(?:behoben|gelost|weg|gefixt|wieder da|repariert|erledigt)|(?:fehler|meldung|problem) (?:ist )?(?:jetzt )?weg|wieder online|lauft durch|(?:jetzt|nun) (?:geht|lauft|klappt|funktioniert|druckt)(?:'s| es| er| sie| alles)?|alles grun|behoben|gelost",
        unless=r"(?:nicht|noch nicht|nie|kein|wenn|damit|bis|ob|warum|wie) [^.!?,\n]{0,30}(?:lauft|funktioniert|geht|klappt|behoben|gelost|startet)|(?:lauft|funktioniert|geht|klappt|startet|druckt) (?:[a-z]+ )?(?:nicht|nie|trotzdem|immer noch)",
    ),
)

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        r"diesmal|dieses mal|nur (?:heute|jetzt|dieses mal|diesmal|einmal|fur heute|kurz)|fur (?:heute|jetzt|den moment|dieses mal|diesen)|ausnahmsweise|im moment|vorerst|erst ?mal|vorlaufig|dieses eine mal|noch nicht",
        unless=r"nicht nur (?:heute|diesmal)",
    ),
    Pattern(
        "supposed",
        "what if",
        r"(?:was ware|angenommen|stell dir vor|nehmen wir an|wenn (?:man|wir|ich|es) [^.!?\n]*(?:ware|wurde|konnte|durfte|musste)|mal angenommen|vielleicht|ich frage mich|ich uberlege|theoretisch|ideal ware|idealerweise) [^.!?\n]*",
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        r"(?:ich|wir) (?:hatte|hatten|wurde|wurden|mochte|mochten|mag|mogen|wunsche|wunschen) (?:[a-z]+ )?(?:gern[e]?|lieber|am liebsten)?|am liebsten|wenn (?:moglich|es geht|'s geht)|ware (?:[a-z]+ )?(?:schon|nett|toll|super|gut|ideal|prima|cool|klasse)|gern[e]?|lieber|nach moglichkeit|moglichst|vielleicht|nicht (?:zu|so) [a-z]+",
    ),
    Pattern(
        "told of",
        "sagt immer",
        r"(?:mein[e]?|ein[e]?|der|die|unser[e]?|sein[e]?|ihr[e]?) (?:[a-z]+ )?(?:trainer|freund|freundin|kollege|kollegin|nachbar|nachbarin|onkel|tante|mutter|vater|oma|opa|bruder|schwester|artikel|buch|lehrer|lehrerin|bekannte[r]?) (?:sagt|sagte|meint|meinte|behauptet|schreibt|hat gesagt)[^.!?\n]*|(?:es heisst|angeblich|ich habe gelesen|man sagt|es steht)[^.!?\n]*",
    ),
    Pattern("again", "ich sagte", r"(?:wie|hab|habe|hatte) (?:ich )?(?:doch |schon |bereits )?(?:gesagt|geschrieben|erwahnt)|ich sagte|noch ?mal[,:]|denk[e]? dran|nicht vergessen|steht auch"),
    Pattern("same", "noch immer", r"immer noch|noch immer|nach wie vor|gleiche[rs]? (?:fehler|meldung|problem)|dasselbe|das gleiche|nix|hilft nicht|keine anderung|wieder"),
    Pattern("adds", "auch", r"auch|ausserdem|zusatzlich|ebenfalls|dazu|noch eine regel|des weiteren"),
    Pattern("past", "damals", r"(?:fruher|damals|letztes jahr|letzte woche|letzten monat|vor jahren) [^.!?\n]+"),
)

ERRORS = (
    Pattern(
        "error",
        "geht nicht",
        r"(?:lauft|geht|startet|funktioniert|druckt|ladt|baut|verbindet|reagiert|heizt|springt|offnet|kompiliert|tut|klappt|ladet|zeigt|synchronisiert|spult|pumpt|kuhlt|drucken|laufen|starten|funktionieren|gehen) (?:[a-z]+ ){0,4}(?:nicht|nichts|nix|kein[a-z]*|nicht mehr)\b[^.!?\n]*|(?:nicht|nichts) (?:mehr )?(?:starten|laden|offnen|drucken|verbinden|einloggen|anmelden|installieren|erreichbar|erreichen)|(?:sturzt|sturzte|bricht|brach|hangt|friert|hing|stirbt|schlagt|schlug) (?:[a-z]+ ){0,4}(?:ab|sich auf|ein|fehl|fest)?|ist (?:kaputt|abgesturzt|tot|down|rot|defekt|blockiert)|(?:fehlermeldung|fehlercode|fehler [a-z]?[0-9]+)[^.!?\n]*|(?:meldet|meldung|display|anzeige|bildschirm|es)(?: zeigt| steht| kommt| sagt)? (?:[a-z]+ )*[:,]? ?\"[^\"\n]{3,}\"[^.!?\n]*|meldung \"[^\"\n]{3,}|(?:bekomme|kriege|erhalte|kommt) (?:[a-z]+ ){0,3}(?:meldung|fehler[a-z]*)[^.!?\n]*|im display steht[^.!?\n]*|(?:blinkt|leuchtet) (?:rot|dauernd|standig|nur)",
        unless=r"(?:wenn|falls|damit|ob|dass|was passiert) [^.!?,\n]{0,40}(?:geht|lauft|funktioniert|abst)|(?:es|das|so|mir) geht (?:[a-z]+ )?(?:nicht (?:um|darum)|nicht so gut)|geht gar nicht|mehr geht nicht|darf nicht[^.!?\n]*",
        asked=True,
    ),
)

PATTERNS = (*OBLIGATIONS, *SAFETY, *CHANGES, *ENDINGS, *WITHOUT_FORCE, *TRACES, *ERRORS)
