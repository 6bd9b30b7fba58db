"""Cues of TASK: something is to be done, made or changed."""

from __future__ import annotations

from convgate.context.modes.cues.cue import Cue

TASK = (
    Cue(
        "orders",
        "it opens with an order",
        r"""
        (?:(?:ok|okay|now|then|next|so|and|also|please|pls|plz|yes|right|first|just|hey|hi
        |thanks)[,:;.!]* )*(?:add|adapt|adjust|align|allow|alphabeti[sz]e|answer|append|apply
        |arrange|assign|assume|attach|book|bring|build|bump|calculate|call|cancel|cap|change|check
        |clean|clear|close|collect|combine|compile|compose|compute|convert|copy|correct|count|cover
        |create|crop|cut|define|delete|deploy|deprecate|describe|design|disable|divide|do|document
        |double|downgrade|draft|draw|drop|edit|enable|encrypt|ensure|enter|estimate|exclude|export
        |expose|extend|extract|fetch|fill|filter|find|finish|fix|flip|format|generate|get rid|give
        |go ahead|group|halve|have|hide|highlight|hook|implement|import|improve|include|increase
        |index|inline|insert|install|integrate|introduce|invite|join|keep|label|leave|let|limit|link
        |list|localise|localize|log|lower|make|map|mark|mask|merge|migrate|mock|modify|move|name
        |number|open|order|organise|organize|outline|parametri[sz]e|parse|paste|pick|pin|plan|plot
        |polish|port|prepare|print|proofread|provide|publish|pull|push|put|raise|rank|recalculate
        |record|redact|redirect|redo|reduce|refactor|reformat|register|remind|remove|rename|render
        |reorder|repeat|rephrase|replace|reply|rescale|research|reset|resize|restart|restore
        |restrict|restructure|return|reverse|review|revert|revise|rewrite|rotate|round|run|save
        |scale|schedule|scrape|select|send|separate|set|shift|shorten|show|shrink|simplify|sketch
        |skip|sort|speed|split|squash|start|store|strip|sum|summari[sz]e|swap|switch|tag|take|test
        |tidy|tighten|toggle|track|transcribe|translate|transpose|trim|turn|type|undo|unify|update
        |upgrade|upload|use|validate|verify|wire|work out|wrap|write)
        """,
        opens=True,
    ),
    Cue(
        "orders_abroad",
        "it opens with an order",
        r"""
        (?:(?:bitte|also|und|dann|jetzt|ok|gut|merci|maintenant|puis|et|alors
        |ensuite)[,:]* )*(?:schreibe?|mache?|mach|erstelle?|baue?|fuge|fug|andere?|ubersetze?|kurze?
        |sortiere?|formuliere?|liste?|plane?|rechne|berechne|entwirf|ersetze?|entferne?|losche?|nimm
        |gib|setze?|stelle?|fasse?|zeichne|verschiebe?|benenne|implementiere?|korrigiere?|prufe?
        |teile?|suche?|trage?|wandle?|mochte|brauche|ecris|ecrivez|redige|redigez|ajoute|ajoutez
        |cree|creez|fais|faites|traduis|traduisez|corrige|corrigez|prepare|preparez|remplace
        |remplacez|supprime|supprimez|change|changez|mets|mettez|donne|donnez|resume|resumez|trie
        |triez|range|propose|genere|calcule|liste|transforme|transformez|raccourcis|enleve)
        """,
        opens=True,
    ),
    Cue(
        "asks_to",
        "it asks for something to be done",
        r"""
        (?:can|could|would|will) (?:you|u|we|i)
        (?:please |pls |also |just |maybe |kindly |quickly )*(?:get|have|add|make|write|turn|put
        |give|send|change|create|draft|list|set|move|translate|check|do|fix|build|update|remove
        |rename|sort|prepare|help me (?:write|draft|plan|make)|show|drop|book|take|keep|see to
        |shorten|convert|rewrite|use|let|format|generate|split|merge|summari[sz]e)|kannst du
        (?:mir |das |bitte |die |den )*\w+|konntest du|peux-tu|pouvez-vous|pourrais-tu|tu peux me
        """,
    ),
    Cue(
        "please",
        "it says please",
        r"please|pls|plz|kindly|bitte|s'il te plait|s'il vous plait|stp|svp",
    ),
    Cue(
        "needs",
        "it says what is needed",
        r"""
        i(?:'d| would)? (?:need|want|like|prefer|require)|we(?:'d| would)? (?:need|want|like
        |require)|what i need|i'll need|needs? (?:a|an|another|two|three|more)|ich brauche|wir
        brauchen|ich mochte|ich hatte gern|il me faut|il nous faut|j'ai besoin|j'aimerais|je
        voudrais|il faudrait|could use|wants? (?:a|an|to have)
        """,
    ),
    Cue(
        "ought",
        "it says how something shall be",
        r"""
        (?:should|must|ought to|needs? to|has to|have to|had to|is to|are to|may|shall)
        (?:not |never |only |all |also |always |then |just )*(?:be|have|get|go|come|read|say|show
        |open|close|return|accept|take|use|stay|start|end|become|move|match|look|work|run|send|log
        |sort|keep|contain|include|name|point|lead|stop|reject|remember|appear|support|store|fit
        |wait|write|print|carry|sit|stand|live)|(?:may|must|should|can) only|must(?:n't| not)|no
        longer|from now on|from here on|soll(?:en)?|muss|mussen|darf|durfen|gehort|doit|doivent
        |devrait
        """,
    ),
    Cue(
        "lets",
        "it proposes to get going",
        r"let's|lets|let us|go ahead|go with|lass uns|on y va|allons",
    ),
    Cue(
        "makes_into",
        "it says what something shall become",
        r"""
        (?:turn|make|convert|put|bring|change|cut|shorten|translate|boil|rework|pour) [^.?!\n]{0,60}
        (?:into|in to|down to|to|as)|as (?:a|an) (?:table|list|csv|json|pdf|mail|email|letter|poem
        |haiku|script|checklist|chart|function|class|diagram|one-?pager|comprehension)|into (?:a|an
        |one|two|three|bullets)|in(?:to)? (?:german|english|french|spanish|italian|portuguese|dutch
        |polish|markdown)|auf (?:deutsch|englisch)|en (?:anglais|francais|allemand)|als tabelle|als
        liste|en tableau
        """,
    ),
    Cue(
        "limits",
        "it sets limits to what is to come out",
        r"""
        (?:max|maximum|at most|at least|no more than|not more than|up to|under|below|within|exactly
        |about|around|roughly|over|minimum|min) \d+|\d+ (?:words|lines|pages|slides|sentences
        |bullets|minutes|people|questions|guests|rows|paragraphs|characters|persons|kids|days|weeks
        |columns|euros|dollars|min)|(?:one|two|three|four|five|ten|half a) (?:words?|lines?|pages?
        |slides?|sentences?|bullets?|minutes|paragraphs?|weeks?|days?|people|columns?|questions)|no
        more|nothing else|leave the (?:rest|others)|rest stays|without (?:the|a|an|any|changing
        |touching)|no (?:dependencies|jargon|nuts|meat|emojis|floats)|max|hochstens|mindestens
        |maximum|au plus|ohne|sans
        """,
    ),
    Cue(
        "once_more",
        "it asks for more of the same",
        r"""
        same (?:again|for|with|thing|but|table|list|way|style|as|order)|(?:one|once|two|three|some)
        more|another (?:one|version|round|two)|also (?:the|a|for)|the other (?:two|three|one)|now
        (?:the|do|with|as|in|for|without|same)|next:|and (?:the|a|an|one|now) (?:\w+ )?(?:too|as
        well|please)|as well|noch (?:ein|eine|einen|mal|zwei|funf)|encore (?:un|une)|pareil pour|das
        gleiche|dasselbe|same
        """,
    ),
    Cue(
        "parts",
        "it names parts of what is to be changed",
        r"""
        (?:column|button|header|footer|endpoint|field|form|page|table|script|function|class|method
        |module|test|tests|query|chart|slide|list|menu|sidebar|paragraph|sentence|title|heading
        |headings|intro|mail|letter|draft|agenda|report|outline|checklist|schedule|summary|caption
        |readme|changelog|config|file|parameter|flag|index|migration|endpoint|api|invitation|speech
        |recipe|plan|itinerary|template|spalte|tabelle|zeile|knopf|feld|colonne|bouton|champ)
        """,
    ),
)
