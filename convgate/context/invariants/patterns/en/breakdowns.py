"""English: what stands still, in other words than that it fails."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

BREAKDOWNS = (
    Pattern(
        "error",
        "it stands still",
        r"""
            (?:spits?|spat|throws?|threw|churns?|coughs?|pukes?|barfs?|pukes|kicks?
            |vomits?) (?:me |up |back )?(?:out|up|back) (?:a |an |the |some |only |nothing but )?(?:error
            |errors|#[a-z/0-9]+|garbage|gibberish|nonsense|warnings?|nans?|blank[a-z ]*|nothing|exceptions?
            |traceback|x{4,}|\"|[45][0-9][0-9])[^.!?\n]*|(?:div/0|ref|value|null|num|spill|calc)!|(?:closes
            |crashes|dies|freezes|quits|exits|vanishes|disappears|hangs|restarts|shuts|goes (?:blank|black
            |dark|off|white))[^.!?\n]{0,30} (?:every time|each time|whenever|as soon as|the moment
            |the second|when|if|once) (?:i|we|it|you|anyone|someone)\b[^.!?\n]*|(?:doesn't|won't|don't
            |does not|doesnt) (?:make a sound|do anything|do a thing|budge|move an inch|react|light up
            |register|take|let (?:me|us)|see|find|read|recogni[sz]e|want to)\b[^.!?\n]*|(?:throws|kicks
            |sends|redirects|takes|boots|logs|bounces|drops|dumps) (?:me|us|everyone|people|users
            |customers) (?:straight |right |always )?(?:back|out|off|into the login|to the (?:login
            |start))[^.!?\n]*|(?:prints?|shows?|plays?|outputs?|returns?|produces?|displays?|exports?
            |sends?) (?:only |just |nothing but |out )?(?:blank|empty|black|garbage|gibberish|nothing|noise
            |static|garbled|white|zeros|hieroglyphs)\b[^.!?\n]*|(?:coughs?|splutters?|sputters?|clicks?
            |beeps?|hums?|whirs?|groans?|blinks?|flashes|flickers?|turns|buzzes)(?: [a-z]+){0,2},? (?:and
            |but|then|yet)(?: then)? (?:dies|dead|goes out|goes dark|nothing|stops|quits|gives up|no [a-z]+
            |that's it|shuts|cuts)\b[^.!?\n]*|greyed out|grayed out|(?:and|then|it) (?:then )?(?:quits
            |closes|exits|dies|bails out|gives up|stops dead|locks up|blows up)\b[^.!?\n]*
            |bails? out[^.!?\n]*|chokes? on [^.!?\n]+|execution failed[^\n]*|(?:ends?|ended|ending
            |results?) (?:up )?(?:in|with) (?:a |an |the )?(?:time-?out|error|crash|404|500|failure|blank
            |exception)[^.!?\n]*|nothing (?:plays|matches|is (?:saved|sent|shown|printed|happening|found
            |loaded|working|coming)|gets (?:saved|sent|through|printed)|at all|arrives|reacts
            |else happens)\b[^.!?\n]*|err(?:or)? [0-9]{2,}|(?:zero|no|0) (?:rows|results|bytes|records|hits
            |items|entries|output) (?:all of a sudden|any ?more|back|though|even|although|since|at all|come
            |now)[^.!?\n]*|(?:runs|spins|hums|turns|works|on)[,]? (?:but|yet|though) (?:no|nothing
            |without) [^.!?\n]+|(?:broke|snapped|came|comes|fell|falls|slips?|pops?|jumps?) off\b[^.!?\n]*
            |tells me (?:\"|x{4,}|that (?:my|the|it))[^.!?\n]*|just (?:clicks|beeps|blinks|sits|hangs|spins
            |stares|stays|stands)\b[^.!?\n]*|never (?:comes (?:back|out|up)|gets (?:past|to|through
            |beyond))\b[^.!?\n]*|does (?:nothing|absolutely nothing)\b[^.!?\n]*|wall of red|(?:get|hear|see
            |have) (?:only |nothing but |just )?(?:silence|static|darkness|a black|a blank
            |a white)[^.!?\n]*|(?:spit|spits|spitting|spat) (?:out )?(?:only )?(?:blank|empty
            |garbage)[^.!?\n]*|(?:hasn't|haven't|has not|have not) (?:fired|run|started|synced|responded
            |answered|updated|booted|rung|loaded|worked|printed|been (?:getting|able|working
            |running))\b[^.!?\n]*|(?:stopped|quit|ceased|gave up) (?:answering|responding|working|running
            |charging|syncing|printing|sending|receiving|loading|heating|cooling|spinning|recording
            |updating|firing|ringing|turning)\b[^.!?\n]*|(?:nobody|no one|none of us|half the office
            |everyone|everybody)(?: in [a-z ]{2,20})? (?:has been |is |can |gets? |have been )?(?:not )?(?:g
            etting|get|log|logged out|locked out|reach|receiv[a-z]+|able|access|thrown|offline|cut off
            |without)\b[^.!?\n]*(?:mail|in|out|off|through|since|access|line|calls?|internet|power
            |anything)|(?:thrown|kicked|logged|sent|redirected|bounced) (?:back|out|off)[^.!?\n]*|(?:login
            |checkout|payment|search|site|build|sync|upload|printing|booking|everything|wifi|shop
            |ci) (?:is )?broken\b[^.!?\n]*|stays? (?:mute|silent|off|empty|at zero|greyed|grey|red
            |put)\b[^.!?\n]*|staring at[^.!?\n]*|(?:no|isn't any|not any) (?:other )?way (?:in|into
            |to (?:log|get|start|open|boot|save|reach|access))[^.!?\n]*|(?:won't|doesn't|wont
            |doesnt) (?:refresh|fire|trigger|answer|reload|advance|progress|sync|update|appear)\b[^.!?\n]*
            |not (?:getting|receiving) (?:the|any|a) (?:code|mail|email|sms|text|link|signal|power|response
            |picture|reply|confirmation)[^.!?\n]*|round and round\b[^.!?\n]*|isn't (?:detected
            |recogni[sz]ed|found|applied|showing|showing up|mounted|listed|reachable)[^.!?\n]*
            |no longer (?:shows up|appears|detected|responds|starts|boots|charges|connects|loads|works
            |opens|prints|reachable)[^.!?\n]*|(?:keeps?|kept|keep) (?:asking|prompting|redirecting
            |returning|reloading|buffering|spinning|loading|looping|retrying|dropping|losing|throwing
            |giving|saying|telling|cutting|shutting|dying|tripping|beeping|flashing|blinking|leaking
            |dripping|erroring|complaining|bouncing|rejecting|refusing|closing|quitting)\b[^.!?\n]*
            |leaves? (?:water|puddles?|streaks|stains|everything|clothes|dishes) [^.!?\n]*|(?:spinner|wheel
            |hourglass|beach ?ball|progress bar|loading bar|cursor) (?:just )?(?:spins|goes|turns|keeps
            |sits|stays|hangs|never|is stuck)[^.!?\n]*|(?:steering|brakes?|clutch|power|heating|hot water
            |sound|picture|internet|wifi|signal)[a-z ]{0,12}(?:'s| is| has
            | are)? (?:just |suddenly |completely )?gone|(?:boots?|starts?|opens?|loads?|goes|went|turns?
            |comes up|lands?|drops me|dumps me) (?:up |straight |only |me |back |out )*(?:in|into|to|on
            |with)? ?(?:a |an |the |just )*(?:[a-z]+ )?(?:nothing|blank|black|grey|gray|white|blue|nan|dark
            |dead|silent|magenta|pink|purple|red|void|error page|login page|grub|bios|emergency mode
            |recovery mode|safe mode|boot loop|rescue shell|loop)\b[^.!?\n]*|(?:one|a|two|three|just a
            |only a) (?:click|beep|beeps|blink|blinks|flash|clicks)[, ]+(?:and )?(?:then )?nothing|(?:and
            |but|then)[, ]+(?:then )?(?:nothing|silence|it dies|dead|darkness|goes dark|goes silent){end}
            |nothing (?:but|except) (?:noise|static|snow|zeros?|errors?|garbage|silence)|(?:stone|ice
            |freezing|completely|stays?|stone-) ?cold(?:,| and| though| even| despite|{end})|(?:can't
            |cannot|couldn't|can not|unable to|no way to
            |not able to) (?:even |so much as )?(?:[a-z]+ ){1,4}(?:a single|a stroke|anything|any of
            |any more|anymore|at all|a thing|any work|properly)\b[^.!?\n]*|(?:can't|cannot|couldn't
            |nobody can|no one can|none of us can|i can't|we can't
            |unable to) (?:even |seem to |actually )?(?:get (?:in|into|on|onto|past|through|it (?:to|going
            |started|working|open|running)|the [a-z ]{2,25} to|any further|anywhere)|log|sign|access|reach
            |enter|submit|upload|download|save|export|check out|print|install|compile|build|connect|boot
            |deploy|push|pull|merge|clone|open|load|send|scan|pair|sew|reproduce any|move on|proceed
            |continue|work like (?:this|that)|use (?:it|the))\b[^.!?\n]*|(?:i'm|we're|i am|we are|am
            |are) (?:completely |totally |now |well and truly |kind of |really |still |currently )*(?:stuck
            |blocked|stranded|dead in the water|locked out|at a standstill|going nowhere|unable to
            |cut off)\b[^.!?\n]*|stops me (?:from|in|dead|cold)|holding (?:me|us|everything) up|(?:is|are
            |'s|was|were|gone|went|been|stays?|remains?|seems?
            |looks?) (?:basically |simply |just |completely |totally |practically |now |utterly |all |sudden
            ly |literally |still |as good as )*(?:unusable|useless|unresponsive|unplayable|kaput|knackered
            |busted|borked|bricked|fried|hosed|toast|out of order|out of service|not responding|unreachable
            |inaccessible|haywire|gone haywire|bust|dead|belly up|on strike|on the blink|on the fritz
            |playing up|acting up|seized(?: up)?|jammed|clogged|blocked|flooded|garbled|scrambled
            |all over the place|kaputt|shot|conked out|out cold|wedged|timing out|erroring out|looping
            |spinning forever|not coming on|not going on|messed up|all wrong)\b[^.!?\n]*|(?:acts?|acting
            |plays?|playing) up|conks? out|conked out|gives? up the ghost|(?:gave|given) up the ghost
            |packed (?:up|it in)|goes? haywire|gone haywire|went haywire|on the fritz|(?:goes?|went|gone
            |becomes?|turns?|returns?|is|are|all|only|just) (?:all |only |just |to )?nans?\b[^.!?\n]*
            |(?:times?|timed|timing) out|runs? out of memory|ran out of memory|out of disk|disk(?: is
            |'s)? full|(?:falls?|fell|falling) (?:straight |right )?(?:through|apart|off|over
            |out)\b[^.!?\n]*|(?:curls?|warps?|peels?|rips?|tears?|jams?|smears?|streaks?|stutters?|lags?
            |flickers?|glitches|judders?|squeals?|grinds?|stalls?|misfires?|sputters?|splutters?|wobbles?
            |vibrates?|sparks?|smokes?|drips?|leaks?|floods?|overflows?|backs up|clogs?|bounces?|loops?
            |spins?|hums?|beeps?|buzzes|clicks|rattles?|squeaks?|swallows?|eats?|chews?|loses|drops|skips
            |duplicates|garbles|ignores|rejects|refuses|logs|kicks|throws|boots
            |signs) (?:up |off |out |me |us |and |but |then |everyone |everybody |people |every |all |my |th
            e |half |at |on |each |forever|constantly|endlessly|randomly)+[^.!?\n]*(?:every (?:time|print
            |job|few|minute|hour|single|[0-9]+|one|day|night)|each time|without (?:a trace|warning|any)
            |nothing|no water|forever|constantly|all the time|off|again|out|fabric|paper|jobs?|connection
            |session)|(?:pilot|light|flame|engine|motor|screen|picture|power|fuse|breaker|heating|boiler
            |heater|radiator|sound|audio|wifi|internet|network|signal|display|server|site|vpn|database
            |cluster|pods?|steering|brakes?|mic|camera|keyboard|mouse|fan|oven|fridge|freezer|pump
            |dishwasher|washing machine|dryer|toilet|sink|tap|lift|app|page|login|phone|laptop|printer
            |battery)(?:'s| is| are| has| have| just| keeps?| suddenly| randomly| now)* (?:gone|dead|out
            |off|down|lost|goes? (?:out|off|dark|black|silent)|cuts? (?:out|off)|drops? (?:out|off)|died
            |tripped|trips|blown|blew|went (?:out|off|dark|black|dead|silent)|quit|won't|doesn't
            |stays? (?:off|dark|black|cold|red|shut|locked|silent|blank)|shuts? (?:again|off|down|itself
            |straight)|closes? (?:again|straight|itself|immediately|on me|right)|freezes?|not (?:cooling
            |heating|responding|working|turning|charging|starting|draining|lighting|coming
            |loading))\b[^.!?\n]*|(?:no|lost|there's no|without) (?:internet|power|signal|sound|hot water
            |water|heating|electricity|picture|connection|network|wifi|dial tone|ink|image|audio|video
            |response|output|light|pressure|gas) (?:in the|at all|any ?more|since|here|whatsoever|again
            |comes?|from|on|anywhere|to|all)\b[^.!?\n]*|no (?:water|sound|air|light|power|image|picture
            |data|output|ink|heat|gas|signal|rows?|pages?|mails?|emails?|requests?|packets?) (?:comes?
            |gets?|arrives?|goes|reach|flows?|is coming|are coming|shows?|appears?)\b[^.!?\n]*
            |won't (?:light|ignite|drain|spin|budge|boot|power|wake|respond|sync|pair|fit|latch|shut|lock
            |unlock|accept|take|let (?:me|us|anyone)|recogni[sz]e|read|see|find|stay|stop|rise|set|turn
            |go)\b[^.!?\n]*|(?:second|moment|minute|instant|as soon as|every time|each time|whenever
            |the moment|the second) (?:that )?i (?:put|press|click|open|hit|save|start|turn|let|run|try
            |plug|log|type|touch|connect|submit|select|scroll|launch|switch|push|pull|deploy|build|print
            |load|call|use|move)\b[^.!?\n]*(?:closes|crashes|dies|freezes|goes|gone|turns|out|off|nothing
            |error|fails|stops|hangs|shuts|black|blank|restarts|vanishes|disappears|jumps)|(?:goes|spins
            |loads|buffers|loops|runs|hangs) (?:round )?(?:and round )?(?:forever|endlessly|for ever
            |for ages|on and on)|never (?:finishes|finish|comes back|returns|completes|loads|ends|arrives)
            |(?:keeps?|kept|keep on) [a-z]+ing (?:[a-z]+ ){0,5}(?:off|out|down|up|away|me|us|everyone|every
            |again|back|over|itself|on me|randomly|forever)\b[^.!?\n]*|(?:refuses?|refused|refusing) (?:me
            |us|to|my|the|all|every)|(?:bounces?|bounced|bouncing|rejects?|rejected
            |rejecting)(?: back)?(?:{end}|:| with| my| all| every| the)|(?:push|mails?|emails?|payment|card
            |pr|upload|requests?|order|login|parcel) (?:is |are |was |got |gets |keeps )?(?:bounc[a-z]+
            |reject[a-z]+|declined|refused)|[a-z]+ (?:is|'s|keeps|are) (?:moaning|complaining|whining
            |yelling|screaming|nagging|shouting) (?:about|at|that)[^.!?\n]*|(?:like
            |as if) (?:it's |it is |they're )?(?:wading|treacle|molasses|concrete|a slideshow|glue|a brick
            |honey)\b[^.!?\n]*|(?:gives?|shows?|leaves?|get|got) (?:me |us |only |just )*(?:an? )?(?:empty
            |blank|black|white|corrupted|garbled|broken|zero.byte) (?:[a-z]+)[^.!?\n]*|(?:file|page|screen
            |output|result|response|pdf|image|table|list|export) (?:comes|came|is|stays
            |turns) (?:out |up |back )?(?:empty|blank|garbled|corrupted|black|white)|(?:comes?
            |came) (?:back|up) (?:with|as) (?:a |an |the )?(?:error|403|404|500|502|503|nothing|empty|null
            |blank|denied)[^.!?\n]*|(?:has|have|'s|'ve) (?:split|curdled|collapsed|seized|burst|cracked
            |come (?:loose|off|apart)|packed up|snapped|lost (?:the )?connection|blown)\b[^.!?\n]*
            |lost the (?:connection|signal|network|link)|(?:not |isn't |is not )recogni[sz]ed (?:as
            |by)[^.!?\n]*|stays? (?:shut|locked|dark|black|blank|frozen|silent)|(?:stopped|stops|died|dies
            |quits|froze|freezes) (?:mid|half|part|dead|in the middle|after|at|during
            |without)[- ]?[^.!?\n]*|unhandled [a-z]+|(?:been|turned|all) red (?:all|since|for)
            |smells? (?:of )?(?:burnt|burning|gas)
        """,
        unless=r"""
            (?:can't|cannot|can not|won't) (?:run|go|work|come|last|take) (?:past|over|longer|beyond|on
            |before|after|mornings?|evenings?|weekends?|nights|afternoons?)|stuck with [a-z]+ [0-9][0-9.]*
            |(?:anything|whatever|recipes?|rooms?) [^.!?\n]{0,40} (?:is out|are useless)|(?:if|when|in case
            |what if|what happens|should|unless|must|so that|until|how|make sure|ensure|once|could|would
            |might|may|never|nobody|before|where|while|to|whether|why|anything|whatever
            |that) (?:[a-z']+ ){0,5}(?:fall|falls|goes|fails|stops|crash|crashes|hangs|breaks|times out
            |dies|leaks?|drips?|is (?:down|blocked|dead|stuck|useless|unusable)|can't|jams?|won't|loses
            |freezes)\b[^.!?\n]*|(?:i'm|we're|i am|we are) (?:[a-z]+ )?(?:stuck|blocked|torn) (?:between
            |for (?:ideas|inspiration|words|a)|on (?:the|a) (?:title|name|wording|intro)|with (?:him|her
            |them|you|it))|(?:must|may|should|can|could|might|has to|have to|not|never|nothing|no|cannot
            |can't) (?:ever |also )?(?:fall|spill|leak|drip|time|go|drop|jam|hit|touch)|(?:last (?:year
            |week|month|winter|summer)|years ago|back then|once|used to|as a (?:kid|child))\b[^.!?\n]*|(?:i
            |we|you|they|he|she|people|children|kids|everyone|cats?|dogs?|birds?|horses?|baby|son|daughter
            |boy|girl|who) (?:only |just |never |always |usually |often |still )*(?:eats?|falls?|fell
            |skips?|drops|loses|ignores?|hums?|spins?|swallows?|chews?|goes|went|logs|throws|boots|refuses?
            |refused|can't (?:wait|eat|have|come|make|swim|stand|help|say|thank|take|drink|believe|be|sit
            |stop|decide|remember|think))\b|falls? (?:on|under|in|asleep|out of love|off the (?:bike
            |horse))|(?:dead|drop.?dead) (?:simple|easy|right|serious|good|end|line|sure|tired|funny)
            |(?:chain|button|label|key|paint|tile|wheel|arm) (?:must|may|should|can) [^.!?\n]*
            |tells me (?:that )?(?:the (?:story|truth)|it's (?:fine|ok|great))|typo in the error[^.!?\n]*
            |(?:show|display|print|log|return|write|render|put|raise|throw) (?:the |an? )?(?:error
            |exception)[^.!?\n]*|(?:was|were|is|are) on strike[^.!?\n]*|(?:lamp|picture|poster|painting
            |coat|jacket) hangs?[^.!?\n]*|blood sugar crashes[^.!?\n]*
            |ran out of [a-z ]+ (?:back )?in [a-z]+|ice cold (?:beer|drinks?|water)|(?:is|are|'s
            |was) (?:shot|toast|dead|off) (?:in|on|with|of|for|at|to|by|from|-)|out (?:in|on|with|for|at|to
            |by|from)\b|(?:case|test|scenario|article|story|page|message|banner|book|film)s? (?:that|where
            |when|in which|for|about|on|saying) [^.!?\n]*|flooded with|(?:can't|cannot) (?:use (?:it
            |the) (?:for|as|on|before|after)|open (?:on|at|before))
        """,
        asked=True,
    ),
    Pattern(
        "trace",
        "a program's words",
        r"""
            [a-z][^"\n]{2,40}[:,] ?"(?:[a-z]+: )?(?:[^"\n]{0,60})(?:error|denied|not (?:defined|found
            |permitted|allowed|recogni[sz]ed|supported|exist)|unable|cannot|can't|could not|couldn't|failed
            |fatal|refused|invalid|expired|closed|timed? ?out|full|missing|unknown|unexpected|locked
            |rejected|abort|exceed|no such|unavailable|unreachable|corrupt)[^"\n]*"|"[^"\n]{0,60}(?:error
            |not defined|not found|denied|refused|unexpectedly|failed|unable to|could not|cannot (?:find
            |open|read|import|connect|load)|invalid|permission|format error|no such file|unreachable
            |failing)[^"\n]{0,80}"(?: and| again| every| when| on| in|{end})[^.!?\n]*
            |\[[a-z0-9_:./-]+\]:? (?:unable|failed|cannot|could not|error|fatal|aborting|no |invalid
            |timeout)[^\n]*|`?[a-z]{2,4}[0-9]{3,5}: [^\n]{8,}|[a-z0-9_./-]+: (?:command not found
            |no such file or directory|permission denied|not found|cannot [a-z]+|undefined [a-z]+
            |symbol\(s\) not found)[^\n]*|(?:is|are) not recogni[sz]ed as[^\n]*|not a git repository[^\n]*
            |conflict \([a-z/ ]+\):[^\n]*|merge conflict in[^\n]*|uncaught [^\n]*|unhandled [a-z]+[^\n]*
            |panicked at[^\n]*|\*\*\* \[[^\n]*|(?:warning|notice): [a-z_]+\(\):[^\n]*
            |access denied for user[^\n]*|port is already allocated[^\n]*|is not a (?:function|constructor
            |valid [a-z0-9 ]+|module)[^\n]*|error [a-z]+ing [^\n]*|certificate (?:problem|signed by|verify
            |has expired|expired)[^\n]*|curl: \([0-9]+\)[^\n]*|undefined control sequence
            |context deadline exceeded|invalid (?:license|key|token|credentials|certificate|argument|syntax
            |password)[^\n]*|[45][0-9][0-9] [45]\.[0-9]\.[0-9]+|outofmemory[a-z]*|java heap space
            |is not defined|unexpected token[^\n]*|index out of (?:range|bounds)[^\n]*|null ?pointer[^\n]*
            |(?:reading|of) (?:undefined|null|none)\b[^\n]*|(?:object|type) has no attribute[^\n]*
            |no module named[^\n]*|lock (?:wait )?timeout[^\n]*|deadlock (?:found|detected)[^\n]*
            |unable to (?:sample|resolve|find|locate|connect|open|load|access|acquire)[^\n]*
            |could not (?:resolve|connect|find|read|open|load|acquire|translate)[^\n]*|failed to (?:connect
            |load|fetch|start|open|resolve|compile|build|mount|pull|push|bind|create|parse)[^\n]*
            |exec format error|broken pipe|connection (?:unexpectedly )?closed[^\n]*
            |host (?:is )?unreachable|bad gateway|internal server error|service unavailable
            |gateway time-?out|disk full[^\n]*|read-only file system
        """,
        unless=r"""
            (?:if|when|whenever|handle|handles|catch|avoid|prevent|log|logs|return|returns|means?|show
            |shows a|such as|like|whether|unless|in case|should|must|what does|what is|what's|explain
            |instead of|rather than|never|not
            |without) (?:a |an |the |it |it's |there's |there is )?(?:[a-z]+ ){0,3}(?:bad gateway
            |internal server error|service unavailable|deadlock|broken pipe|uncaught|unhandled
            |null ?pointer|index out|merge conflict|failed to|could not|is not defined|unable to
            |permission denied|disk full|unreachable)[^\n]*|(?:i|we|he|she|they
            |you) (?:was |were |am |are |have |had )?(?:unable to|could not|failed to)[^\n]*|(?:i'm
            |we're) unable to[^\n]*
        """,
        asked=True,
    ),
)
