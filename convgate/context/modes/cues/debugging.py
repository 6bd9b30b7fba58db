"""Cues of DEBUGGING: something does not do what it should."""

from __future__ import annotations

from convgate.context.modes.cues.cue import Cue

DEBUGGING = (
    Cue(
        "fails",
        "it says that something fails",
        r"""
        fail(?:s|ed|ing|ure|ures)?|crash(?:es|ed|ing)?|break(?:s|ing)?|broke|broken|hangs?|hanging
        |freezes?|froze|frozen|stuck|dies|died|dead|times? out|timed out|timeouts?|refuses?|refused
        |stall(?:s|ed)?|leak(?:s|ing)?|glitch(?:es|y)?|bugs?|buggy|flak(?:y|es)|corrupt(?:ed)?
        |outages?|down again|gives? up|quits|drops out|kaputt|geht nicht|funktioniert nicht|sturzt
        ab|hangt|abgesturzt|spinnt|klappt nicht|plante|marche pas|panne|ne (?:fonctionne|marche
        |repond|demarre|s'ouvre)|bloque|casse|rejected|denied|evicted|restarts|killed
        """,
    ),
    Cue(
        "does_not",
        "it says that something does not do what it should",
        r"""
        (?:does|do|did|will|would|wo|ca|could|is|are|was|have|has)(?:n'?t| not) (?:\w+ )?(?:work
        |works|working|start|load|open|close|print|connect|show|respond|turn|boot|compile|run|play
        |sync|save|send|arrive|arrived|stick|set|rise|help|helped|match|add up|appear|update|change
        |react|reach|let|go|come|recogni[sz]e|find|get|stay|fit|log|pass|install|fire|fill|heat
        |charge|grow|hold|move|trigger|accept|build|flower|bloom|render|take|register)|won't|wont|no
        longer|not (?:working|loading|showing|there|responding|found|arriving|sent|saved|starting)
        |cannot|can't (?:get|log|open|find|connect|reach|close|see|reproduce|hear|save|delete
        |install|print)|never (?:arrives?|comes?|gets?|matches|reaches|shows|happens|finishes
        |appears|fires|past|quite)|nicht mehr|ne \w+ (?:pas|plus)|n'est (?:pas|plus)|geht
        .{0,12}nicht|startet nicht|kommt nicht|unable to|missing
        """,
    ),
    Cue(
        "nothing_happens",
        "it says that nothing comes of it",
        r"""
        nothing (?:happens|happened|arrives|moves|changes|changed|helps|comes|in the logs?|for hours
        |else|there|at all)|no (?:effect|reaction|response|sound|picture|output|change|difference
        |luck|joy|sign|signal|reply|error|errors|message)|to no avail|without success|in vain|and
        (?:then )?(?:nothing|silence|gone)|then nothing|blank|empty|silent|mute|gar nichts|passiert
        nichts|rien ne|il ne se passe rien|leer|vide|zero results|idle
        """,
    ),
    Cue(
        "error_text",
        "it has the text of an error",
        r"""
        \w*(?:error|exception)|errno|traceback|stack ?trace|segfault|segmentation|exit (?:code
        |status)|core dumped|fatal|panic|undefined|null ?pointer|nan|oom|out of memory|cannot read
        |permission denied|not found|unreachable|invalid|unexpected|unresolved|forbidden|40[0-9]
        |50[0-4]|warn(?:ing)?|at line|line \d+|fehler\w*|erreur\w*|zugriff verweigert|code [a-z]?\d+
        |overflow|mismatch|deadlock
        """,
    ),
    Cue(
        "log",
        "it has lines of a log",
        r"""
        \d\d:\d\d:\d\d|\[(?:error|warn|info|emerg|fatal)|file .{1,80}, line \d+|at
        \w+(?:\.\w+)+ ?\(|0x[0-9a-f]+|err!|=> \w+|\$ \w+ .{0,80}\n
        """,
    ),
    Cue(
        "why_mine",
        "it asks why something of one's own does this",
        r"""
        why (?:is|does|do|are|did|am|was|has|have|would|can't|won't|doesn't|isn't|don't) (?:my|it
        |this|that|our|i|we|mine|he|she|the)|any (?:idea|clue) why|how come (?:my|it|the|this|i|we)
        |where (?:does|do|is|did|could) (?:the|it|this|that|my|these)|what (?:is|am|are|'s) (?:i|we
        |it|causing|eating|going on|happening|the (?:cause|reason|culprit))|what happened|warum
        (?:ist|geht|macht|kommt|wird|sind|hat) (?:mein|die|das|der|es|meine|unser)|pourquoi (?:mon
        |ma|mes|ca|le|la)|woran (?:liegt|kann)|what(?:'s| is) (?:wrong|up|the matter|off|missing
        |going)|what could (?:make|cause|be)|is (?:it|that|this) normal
        """,
    ),
    Cue(
        "wrong",
        "it says that something is wrong",
        r"""
        wrong(?:ly)?|off by|not right|isn't right|can't be right|incorrect|weird(?:ly)?
        |strange(?:ly)?|odd(?:ly)?|mysterious\w*|garbled|twice|duplicate[sd]?|doubled|upside down
        |negative|slow(?:er|ly)?|too (?:slow|hot|cold|high|low|loud|dark|salty|dry|wet)
        |disappear(?:s|ed)?|vanish(?:es|ed)?|gone|lost|worse|falsch|komisch|doppelt|langsam|faux
        |bizarre|lent|louder|flicker\w*|squeak\w*|squeal\w*|rattl\w*|creak\w*|drip\w*|smell\w*
        |itch\w*|ache\w*|hurt\w*|pain|swell\w*|sore|mould\w*|rust\w*|crack\w*|peel\w*|wilt\w*
        |droop\w*|yellow|brown|black|soggy|lump\w*|grainy|curdl\w*|split|splits|burnt|raw|sink|sinks
        |sank|collapse\w*
        """,
    ),
    Cue(
        "since",
        "it says since when",
        r"""
        (?:ever )?since (?:the|we|i|last|yesterday|monday|tuesday|wednesday|thursday|friday|saturday
        |sunday|this|my|our|upgrading|updating|moving|then|march|may|june|july)|after (?:the|an|my
        |our|every|each|about|a few|ten|half)|all of a sudden|suddenly|out of nowhere|out of the
        blue|used to|(?:worked|fine|ok|okay) (?:\w+ )?(?:yesterday|before|last|until)|until
        (?:yesterday|last|friday|monday|today)|was (?:fine|ok|good) |seit (?:dem|der|gestern|heute
        |ich|wir|einer|letzte)|depuis (?:que|hier|la|le|ce)|for (?:days|hours|weeks|two|three|a
        week)|third (?:time|attempt|day|night|pot)|second (?:time|morning|night|attempt)|this
        morning
        """,
    ),
    Cue(
        "still",
        "it says that it goes on",
        r"""
        still|again|keeps? (?:\w+ing|on|saying|getting)|kept \w+ing|toujours|immer noch|wieder
        |encore et|anyway|all the same|regardless|nonetheless|persist\w*|comes? back
        """,
    ),
    Cue(
        "tried",
        "it says what was tried",
        r"""
        (?:i|we|already|i've|we've|i have|we have|i did|did)(?: already| also| even| then| now)?
        (?:tried|restarted|reinstalled|checked|cleaned|replaced|swapped|reset|rebooted|cleared
        |followed|verified|tested|redid|took it apart|descaled|changed the|turned|unplugged|bled
        |washed|rolled back|compared)|tried|swapped|reinstalled|restarted|restart|rebooted|new
        (?:battery|batteries|cable|pack|strap|filter|bulb)|did that|as you said|like you said|as
        told|to the letter|as the (?:docs|book|recipe|manual)|by the book|same (?:routine|code
        |machine|recipe|result|thing again|commit|file)|neustart\w*|ausprobiert|redemarr\w+|j'ai
        (?:essaye|change|verifie)|exactly as
        """,
    ),
    Cue(
        "when",
        "it says when it happens",
        r"""
        only (?:when|if|in|on|happens|after|at|with|for|from|inside|the left|the right)|whenever
        |every (?:single )?(?:time|evening|night|morning|few|day|hour|\d+|five|thirty|second)|each
        time|as soon as|no matter (?:what|how|which|where|when)|whatever i|whichever|random(?:ly)?
        |now and then|intermittent\w*|sometimes|half (?:of )?the time|over and over|again and again
        |the moment|the minute|about once|after (?:a while|ten|about)|beyond|at the same|halfway|in
        the middle|from the second|on first|on save|sobald|jedes mal|immer wenn|des que|a chaque
        fois|quand je|always|when(?:ever)? (?:i|we|it|you|someone|the)|if i (?:press|click|open|turn
        |close|run|zoom)
        """,
    ),
    Cue(
        "yet",
        "it sets what should be against what is",
        r"""
        but (?:it|the|nothing|no|not|still|then|now|when|in|on|if|only|i get|mine|every|there|they
        |that)|although|even though|yet|though|despite|supposed to|should (?:have|be|give|show)
        |shouldn't|expected|instead|plainly|in fact|while (?:the|it)|fine (?:on|in|alone|for|with)
        |works (?:on|in|for|when|fine|alone)|elsewhere|everywhere else|the rest is|is fine|are fine
        |aber|obwohl|pourtant|alors que|sauf|doch|mais
        """,
    ),
)
