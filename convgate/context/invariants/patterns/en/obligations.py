"""English: what has to be, may not be, or may be only so."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        r"must(?:n't|nt| not| never| always)?|shall not|shan't|mustnt",
        unless=r"""
            (?:i|we|one) must (?:say|admit|confess|tell|be (?:going|off|honest|dreaming|missing|doing|stupid|blind|getting)|have|ask|know|run|go|add|thank|sound|seem|look)\b
            |must (?:have (?:been|had|missed|lost|forgotten|gone|done|made|left|seen|got|gotten|taken
            |happened|changed|broken|said|come|put|thought|felt|cost|hurt|hit|cut|set|let|paid|met|won|fallen|slept|[a-z]+ed)|feel|seem|sound|look|know
            |mean|see|read|watch|visit|try)\b
            |(?:that|it|this|there|you|he|she|they) must be (?:why|it|the (?:reason|one|problem|cause|colou?rs|weather|heat|coffee|air|stress|season|moon)|so
            |because|some|something|a (?:bug|mistake|typo|joke|better|way)|kidding|joking|late|early|very|really|nearly|about|around|quite|old|cold|amazing|awesome|boring|busy|tired|hard|nice
            |fun|great|lovely|exhausted|wrong|right|another|an? (?:easier|error))
            |(?:that|this|it) must be the (?:third|second|first|last|best|worst|same|only)|(?:what|how|why) must|a must.(?:see|read|visit)|must be the (?:colou?rs|weather|heat|coffee|air|stress|season|moon)|you must be (?:an?|so|very|new|busy|proud|tired|kidding|joking|bored|crazy|mad)
        """,
    ),
    Pattern(
        "obligation",
        "has to",
        r"""
            (?:has|have|needs|need|had better|'s got|has got|have got|got) to (?:always |never |also |still
            |really |absolutely |all |only )*(?:be|stay|remain|keep|work|run|fit|support|go through|go
            |use|match|end|start|begin|contain|include|handle|pass|come|cost|finish|arrive|look|read
            |sound|have|hold|stick|comply|follow|conform|avoid|last|take|happen|leave|build|compile
            |respect|accept|return|cover|mention|survive|answer|stop|say|show|speak|live|write|send|do
            |understand|sign|sit|stand|accommodate|exclude|cite|name|wear|eat|rest|ask|approve|get
            |check|see|wait|pay|appear|drive|walk|travel|play|serve|meet|sleep|bring|listen|load|talk|wash)\b
            |(?:it|this|that|everything|they|he|she|[a-z]{3,}[a-rt-z]|[a-z]{3,}s) (?:all )?(?:has|have|needs|need)
             to [a-z]+
            |need(?:s)? (?:it|this|that|them|everything|the [a-z]+) (?:to be|under|below|within|by|before
            |in under|done by|no later)
        """,
        unless=r"""
            (?:i|you|we|they|he|she) (?:just |really |only )?(?:don't|dont|doesn't|do not|does not|didn't|won't
            |never)(?: really)? (?:have|need) to
            |(?:don't|doesn't|not|no|didn't|won't|wouldn't|nothing|without) (?:\w+ )?(?:have|need|has|needs)
             to
            |(?:i|we)(?:'ve| have|'ll| will| would|'d)? (?:\w+ )?(?:have|need|has|got|has got|have got|had)
             to (?:say|admit|ask|go|run|write|find|know|understand|learn|prepare|give|present|paint|drop
            |build|make|plan|explain|sort|decide|do|get|buy|leave|think|figure|check|show|tell|talk|see
            |meet|catch|cook|clean|fix|send|read|move|replace|install|create|set up|draft|show|look|start
            |travel|drive|come|take|bring|pay|wait|call|answer|sleep|pick|host|finish|use the (?:bathroom
            |toilet|loo)|stop|study|translate|return|submit|sell|have (?:a|the)|fly|change|wash)\b
            |(?:what (?:do|does|did|would|should|will|else)|how|why|which|where|when|do|does|did|would|will|if) [^.!?\n]{0,40}(?:have|need|has
            |needs) to
            |(?:all|what|the first thing|everything) (?:i|we|you) (?:have|need) to
            |has to do with|have to do with|(?:i|you) have to (?:love|laugh|be honest|be quick)
            |(?:i|we|you|people|nobody|anyone) (?:\w+ )?need to (?:know|be (?:told|asked))
        """,
    ),
    Pattern(
        "obligation",
        "only",
        r"""
            only (?:an? |the )?[a-z]+ (?:may|can|is allowed|are allowed|gets to)|only (?:use|take|include|answer|write|deploy|reply|speak|buy|pick|choose|consider
            |suggest|recommend|send|merge|change|edit|touch|return|output|mention|cite|book|eat|cook|work
            |allow|accept|talk|plan|run|log|count|store|quote|add|keep|name|propose|ask|translate|print
            |(?:[a-z]+ )?(?:plain|cash|vegan|vegetarian|metric|free|public|official|local|organic|peer))\b
            |(?:may|can|could|must|should|shall|will|do|does|are|is|be|works?|happens?|allowed|available
            |permitted) only|(?:can|may|must|should|shall) [a-z]+ only|[a-z]+ only (?:allows?|accepts?
            |takes?|supports?|permits?|runs?|has|eats?|drinks?|reads?|speaks?|understands?)
            |(?:use|take|answer|reply|write|include|with|in|from|speak|cite|by|on|for
            |recommend|suggest|buy|for|sources?|using) (?:[a-z0-9'-]+ ){0,4}only
            |[a-z0-9]+ only(?:{end}| please)|only (?:our|my|your|these|those) [a-z0-9]+|only to (?:people|those|users?|customers?|members|subscribers|the|my|our|staff|adults|friends)|nothing else, ever|only (?:on|in|with|by|from|during|between|after|before
            |through|via|if|when|for|the [a-z]+) [a-z0-9]+
            |nothing (?:but|else|other than)|exclusively|solely
        """,
        unless=r"""
            (?:not|if|the|my|our|one|your|is|was|but) only (?:one|thing|problem|question|issue|way|thought
            |reason|if|wish|difference|time|option|[a-z]+ (?:i|we) (?:have|know|had|saw|found))
            |not only|if only|the only|my only|our only|only (?:just|one|a|an|now|then|wanted|thing|two
            |because|that|recently|slightly|got|hope|know|knew)\b|(?:i|we|he|she|it|they)(?:'ve|'d)?
             (?:have |has |had )?only (?:just|wanted|know|knew|found|got|saw|had|tried|noticed|see|started
            |ever|asked|read|did|was|were|heard|care|[a-z]+ed)\b|nothing (?:else|but) (?:to|trouble
            |problems|matters|works|changed|for now)|was only|were only|(?:only|but) when i
            |only (?:when|if|after|in|on|for|with) (?:i|it|the|we|my) [^.!?\n]{0,50}(?:fails?|crash|error|hangs?|slow
            |happens)|nothing else(?:[.!,]|$)|happens? only|only happens?|read.only
        """,
    ),
    Pattern(
        "obligation",
        "only …",
        r"only (?:[a-z-]+ ){0,2}[a-z0-9-]{3,}",
        unless=r"""
            only (?:if|when|problem|thing|one|because|that|just|a|an|then|now|wish|question|issue|the|this|i|we|it|you|he|she|they|downside|two|three|after|got|had|was|later|partly|half|slightly|recently|to find|for (?:now|today)|way|reason|difference|kidding|joking|halfway)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "at most",
        r"""
            at (?:the )?(?:very )?(?:most|max(?:imum)?)|max(?:imum)?\.? (?:of )?[0-9a-z$_]+
            |[0-9]+ ?[a-z%$]* (?:max|maximum|tops|or less|or fewer|or under|or more|minimum|or below)
            |(?:no|not) (?:more|longer|later|earlier|less|fewer|bigger|larger|higher|lower|older|heavier
            |shorter|wider|smaller|faster|slower|sooner|closer|further|greater|taller) than
            |never (?:more|less|longer|later|over|above|below|under|before|after) [a-z0-9]+
            |(?:a |one |single |an )?(?:cent|penny|dollar|euro|day|word|minute|gram|second|line|inch|hour
            |cm|mm|character|millimet(?:er|re)) (?:more|longer|later|less|over|extra|above|beyond)|not (?:a|one) (?:single )?(?:cent|penny|day|word|minute|euro|dollar)|(?:don't|do not) want (?:to )?(?:[a-z]+ ){0,2}(?:more than|over|anything|above|less than)|not [a-z]+ (?:more|over|above|less) than|not (?:paying|spending|going|willing) [^.!?\n]{0,20}(?:over|above|more)
            |(?:up to|under|below|within|less than|fewer than|not over|not above|not exceed|exceed|beyond
            |above|over) (?:[$] ?)?[0-9][0-9.,]*(?:k|m)? ?(?:words?|characters?|chars?|lines?|pages?
            |euros?|eur|dollars?|usd|pounds?|bucks|quid|minutes?|mins?|hours?|seconds?|ms|days?|kb|mb
            |gb|km|kg|g|grams?|calories|kcal|sentences?|bullets?|slides?|items|percent|%|tokens)?
            |(?:hard|strict|absolute|upper|lower|fixed) (?:limit|cap|deadline|maximum|minimum|ceiling|budget
            |requirement|rule|constraint)
            |(?:keep|stay|stays|limit|cap|capped|restrict|limited|cut) [^.!?\n]{0,40}(?:under|below|within|to
            |at|less than|shorter than|between) (?:[$] ?|about |around |the )?(?:[0-9]+|one|two|three
            |four|five|ten|budget)
            |(?:limit|cap|maximum|minimum|max|ceiling|budget|deadline|word count|word limit) (?:is|of|stays at|remains|=|:)
             ?(?:at |strictly |exactly |max )?(?:[$] ?)?[a-z0-9]+
            |(?:is|are|stays) (?:now )?(?:the|our|my) (?:new |absolute |hard )?(?:limit|maximum|cap|minimum|deadline|budget|max)|at the latest|at the earliest|(?:[a-z0-9]+ )?tops{end}|that's all (?:there is|we have|i have|i've got|we've got)|exactly (?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten
            |twelve)|by (?:\w+ )?(?:at the latest|latest)
        """,
        unless=r"""
            (?:was|were|took|takes|lasted|been|cost) (?:at most|no more than|not more than|at the most|maximum)|(?:is|was|are|were|costs?|took|takes|spent|weighs?|got|had|lasted|for|earns?|makes?|after|just
            |already|currently|now|grew|went) (?:\w+ )?(?:no |not )?(?:up to|under|below|within|less than
            |fewer than|more than|above|over|exactly|longer than|max|about) [0-9$]+
            |(?:over|above|under|below|within) (?:[0-9]+ )?(?:the )?(?:last|past|years?|time|here|there)
            |(?:over|under|above|below|within) [12][09][0-9][0-9]\b
            |not exactly|(?:what|how|why|whether|which|is there|is it|was) [^.!?\n]{0,40}(?:limit|budget|maximum
            |minimum|deadline)|exactly (?:one|two|the)? ?(?:what|how|that|like|year|month|week)|time limit (?:exceeded
            |error)|rate limit|memory limit|no (?:more|less|fewer) than (?:usual|before)|more days?
            |(?:one|a|another|few) more (?:day|word|minute|second|hour)|(?:a|one) (?:day|minute|second|hour)
             (?:later|earlier)
        """,
    ),
    Pattern(
        "obligation",
        "at least",
        r"(?:with|of|have|has|contain|contains|be|is|leave|keep|for|include|needs?|requires?|give) (?:\w+ )?at least (?:[0-9]+|one|two|three|four|five|ten)"
        r"|at least [0-9]+ [a-z]+ (?:each|per|every|between|apart|away|before|long|wide|of)"
        r"|(?:a )?minimum (?:of )?[0-9]+",
        unless=r"(?:has|have|had|been|was|were|there (?:is|are)|'s|is|took) (?:been )?at least [^.!?\n]{0,30}(?:years?|times|people|so far|since|ago)",
    ),
    Pattern(
        "obligation",
        "no …",
        r"""
            no (?:[a-z-]+ ){0,2}[a-z-]{2,}
        """,
        unless=r"""
            no (?:allergies|pets|siblings|plans|kids|car|idea|ideas|problem|problems|worries|luck|need|rush|hurry|thanks|thank|way|wonder|doubt|one
            |matter|clue|change|changes|difference|error|errors|reply|answer|response|news|offen[cs]e
            |pressure|questions?|further (?:questions?|ideas?)|big|biggie|chance|point|longer|kidding|joke
            |joking|result|results|output|such (?:file|thing|luck)|it|its|it's|i|i'm|that|that's|this|the|they|you
            |your|you're|we|he|she|there|these|those|not|but|and|because|what|sorry|actually|my|wait|please|just
            |use|make|only|let's|lets|don't|do|more (?:questions?|ideas?|time)|more than|later than|less than|fewer
            |earlier|sooner|longer|success|sign|trace|effect|progress|reason|sense|shame|harm|hard feelings
            |fun|good|joy|in|on|for|at|with|as|to|from|still|sadly|unfortunately|real|particular|special
            |specific|strong|experience|access to|internet (?:here|at|so)|time to|warnings?|crash(?:es)?)\b
            |(?:has|have|had|having|got|there's|there is|there are|there was|theres|is|are|was|were|see|saw|sees|see|get|gets
            |getting|with|find|found|know|makes?|made|shows?|of|'s|'ve|knows|finds|gives?|'re|in|at|say|says|said|takes|took|need|needs) no [^.!?\n]*
            |in no time|by no means|yes or no|or no\b|oh no\b|number no|(?:a|the|to|is a) no (?:brainer|go)
        """,
    ),
    Pattern(
        "obligation",
        "nothing …",
        r"""
            nothing (?:with|containing|that|which|from|over|above|under|below|spicy|sweet|raw|fried|heavy
            |fancy|expensive|in|on|on the|may|must|should|can|is to|goes|gets|to do with|made|more|after|before|too
            |beyond|outside|else than|older|bigger|that's|corrosive|[a-z]+y)
        """,
        unless=r"""
            nothing (?:that|which) (?:i|we|works?|worked|helps?|helped|would|special)|nothing (?:in|on|from|more|over|with)
             (?:the (?:logs?|console|terminal|output|screen|docs)|it|that|particular|mind|return|common|to)
            |nothing (?:can|in|that) (?:be done|beats|compares)|(?:is|was|has|have|had|there's|there is|see|saw|says?
            |does|do|did|got|find|found|know|eat|eats|shows?|change[sd]?|with) nothing|nothing (?:really|fancy planned|too bad)
        """,
    ),
    Pattern(
        "obligation",
        "nothing but …",
        r"""
            nothing [a-z-]{3,}|anything but [a-z]+|hands off [a-z]+|without (?:any |a |an |the )?[a-z-]{3,}|(?:leave|keep) [^.,!?\n]{2,40} (?:as (?:it is|they are|is)|alone|unchanged|untouched|intact)
        """,
        unless=r"""
            nothing (?:else{end}|else to|happens|happened|works|worked|changed|changes|new|special|much|really|yet|so far|helps|helped|can|could|there|here|wrong|left|prints|shows|appears|loads|moves|opens|comes|came|starts|responds|to (?:add|say|do|lose|worry)|serious|bad|yet|at all|will|would|was|is|has|beats|matters|important|urgent|in particular|on (?:the )?(?:screen|console)|[a-z]{2,}ed)\b
            |without (?:a )?(?:doubt|you|question|questions|further|that|it|luck|success|knowing|any (?:success|luck|problems?|trouble))|anything but (?:easy|clear|simple|fun|nice)|leave (?:me|us|him|her) alone
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "don't …",
        "(?:don't|dont|do not|never|not ever|and not|nor) [a-z]{2,}",
        unless=r"""
            (?:don't|dont|do not|never|not) (?:worry|hesitate|mind|be (?:shy|afraid|sorry|silly|so|sad)|get (?:it|me
            |why|how|what)|hate|laugh|judge|tell (?:him|her|them|anyone|my|me)|know|think|want|see|have|understand|fails?|stops?|feel|like|tell me|leave me
            |make me|cry|panic|need|care|remember|believe|ask me|say|seem|really|even|bother|you|we|they|i
            |do (?:that|it|this)?(?: yet| now)?$|get|works|yet|sure|quite|really|too|so|all|a|an|the|bad
            |that|necessarily|fully|much|only|just|currently|usually|often|always|exactly|mean|expect|run
            |exist|appear|trust|own|speak|drink|eat|live|plan|love|enjoy|thought|saw|knew|heard|had|been|was
            |were|once|again|in|on|at|to|would|could|did|is|[a-z]{2,}ed)\b
            |(?:i|we|they|you|people|that|which|who|it|users|kids|these|those|things|tests|some|many|most|and|but|still
            |why|if|because|really|also|just|[a-z]{3,}s) (?:really |just |still |also |usually |both )?(?:don't|dont|do not|never)
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        r"""
            (?:is|are|'s|'re|am|was|be|it's|that's|isn't|aren't|i'm) (?:strictly |absolutely |simply |definitely
            |also |generally |legally |completely |totally |all )*(?:not (?:allowed|permitted|acceptable|negotiable
            |optional|an option|up for (?:discussion|debate)|on the table|possible to change|to be)|forbidden
            |prohibited|mandatory|off.limits|off the table|banned|compulsory|required|non.negotiable|taboo
            |a (?:deal.?breaker|must|no.go|no|given|hard no)|out of the question|out|essential|obligatory
            |vital|crucial|fixed|imperative|critical|allowed|permitted)
            |(?:isn't|aren't|ain't|not) (?:allowed|permitted|acceptable|negotiable|optional|an option)
            |non.negotiable|deal.?breaker|must-haves?|(?:is|are|that's|it's) (?:a )?(?:illegal|crime|criminal|against the law|a no.no)|anything else is [a-z]+|no.go|hard requirement|requirements?(?::| is| are)
            |not up for (?:discussion|debate)|set in stone|(?:always|ever){end}|under no circumstances?|in no case
            |at all costs?|no matter what|whatever happens|whatever you do|on no account|by no means
            |not under any circumstances?|that's (?:set|final|fixed|settled|the rule|a given)|and that's it|(?:is|are) a given|and nothing else|(?:is|are) always (?:written|spelled|capitali[sz]ed|served|paid|signed|addressed|called|used|quoted|rounded|sorted|done|sent)|without exceptions?|no exceptions?|whatsoever|strictly
            |absolutely (?:no|not|never|must|nothing|have to)|zero tolerance
            |(?:is|are) (?:a |an )?(?:absolute|strict|hard|firm) (?:must|no|requirement|limit|rule|condition)
            |(?:requires?|insists?|demands?|forbids?|prohibits?|mandates?) (?:that|on|us|me|any|all|a|an|the|it|at
            |every|to)
        """,
        unless=r"""
            (?:error|exception|http|403|401|405|status)[^.!?\n]{0,40}(?:not allowed|forbidden|not permitted|required)
            |(?:method|operation|permission) not (?:allowed|permitted)|no.go zone|is out (?:of (?:stock|office)|now|there|today)|is out\b
            |(?:is|are|what's|what is|whats) (?:it |that |this )?(?:really |actually )?(?:required|allowed|mandatory) (?:by|for|to)[^.!?\n]*[?]
            |strictly speaking|(?:is|are|was|'s) (?:now |already |finally |long )?fixed(?: now|,| by|!|\.)
            |(?:bug|issue|error|problem) is fixed|critical (?:thinking|mass|error|bug|acclaim|illness)
            |who (?:is|are) allowed|is allowed|are allowed
        """,
    ),
    Pattern(
        "obligation",
        "may not",
        r"""
            (?:may|can|should|could|will|would) (?:never|not ever|under no)|may not
            |(?:i|we) (?:will not|won't|refuse to|will never) [a-z]+|not (?:one|a single) [^.,!?\n]{1,40}(?:may|must|can|should|is to|gets?)|(?:nobody|no one) [a-z]{3,}s\b|(?:keep|leave) [^.,!?\n]{1,50} out of|(?:nobody|no one|nothing|none|neither|no [a-z]+) (?:[a-z']+ ){0,8}(?:may|can|is allowed|should
            |gets to|is to|must|are to|goes|shall|will)
            |[a-z0-9]{2,} (?:can't|cannot|cant|can not|must not) (?:be|use|have|exceed|change|stay|cost|contain|leave|start before|share|handle|hold|carry|overlap|last|weigh|require|need)\b|(?:i|we) (?:can't|cannot|can not) (?:do|make|attend|come|meet|work) (?:[a-z]+ ){0,2}(?:mon|tues|wednes|thurs|fri|satur|sun)days?|we (?:can't|cannot|can not) [a-z]{3,}|i want (?:no|nothing)|(?:stick|keep|adhere) (?:strictly |only )?to (?:the|our|my|this|these)|without [a-z0-9]+[, ]+that's a|throughout{end}|not (?:on|before|after|during) [a-z0-9]+|[a-z]+ (?:is|are) (?:already )?fixed{end}|(?:we|you|i|it|they|she|he|one|that|which|[a-z]+s|[a-z]+er) (?:really |absolutely |simply |just
            |definitely |also )?(?:can't|cannot|cant|can not|couldn't|won't|mustn't) (?:really |ever |also |possibly )?
            (?:use|have (?:any|more|the|a|it)|exceed|go (?:over|above|below|past|beyond|near|up|on|to|outside)
            |spend|change|touch|contain|take (?:longer|more|on|any)|eat|drink|afford|be (?:more|longer|changed|later|moved|touched|over|larger|bigger|used|in|on|seen
            |shared|anywhere|any|near|there|left|away)|leave|install
            |add|share|upload|send|store|travel|fly|lift|drive|miss|lose|do (?:stairs|long|without)|tolerate
            |stand|move|accept|switch|break|cost|rely|depend|put|drill|modify|upgrade|last|start before|end
            |wear|sit|walk|climb|kneel|work (?:on|after|before|more)|risk|come (?:on|before|after)|mention|publish|show
            |reveal|go down)\b
        """,
        unless=r"""
            (?:may|might|can|could|would|will) (?:never|not) (?:be (?:sure|the same|enough|perfect|ideal|great|so|too|as)
            |know|understand|find out|have (?:been|seen)|even|really|seem|matter|remember|forget you)
            |(?:why|how|what|if|when|whether|so that|because|until) [^.!?,\n]{0,20}(?:can't|cannot|won't|couldn't)
            |can't (?:wait|stand it|believe|use it (?:yet|properly)|eat (?:any|another)|change (?:that|the past))
            |(?:it|this|that|they) (?:may|might) not (?:be )?(?:work|helpful|true|right|enough|possible)
            |(?:i|we) (?:may|might) not (?:be|have|know|need)
            |nobody can (?:tell|say|know|help)|no one can (?:tell|say)|(?:nobody|no one|none) (?:[a-z]+ )?(?:will|would)
             (?:notice|care|know|read|mind|come|believe|ever know|see)|can't (?:go|be) wrong|(?:bug|bugs|issue|issues|error|errors|problem|it|that|this|everything|all|build|leak|crash|which|now) (?:is|are) (?:already )?fixed|(?:we|i|it|that|this|they) (?:can't|cannot|can not) (?:find|wait|believe|decide|see|tell|remember|imagine|think|figure|understand|get|open|connect|log|reach|help|agree|say|know|seem|stop|start|sleep|hear|explain|complain|be (?:right|true|serious|that|it|sure|the)|have been|work|make (?:it|sense))|this can't be|that can't be|it can't be|not (?:before|after|on|during) (?:all|the|that|reading|my)|can't be (?:that|so|right|true|serious|too)|(?:nobody|no one) (?:knows|cares|likes|wants|has|is|comes|answers|replies|reads|works(?: here|{end})|looks|sees|uses|understands|believes|does|says|seems|minds|was|needs|loves|remembers|thinks|listens|buys|notices|complains|does|expects|asks|gets|told|always|finds)\b|(?:i|we) (?:won't|will not|will never) (?:be (?:here|there|home|back|able)|bother|need|forget|know|ask|lie|tell|mind|have time|bore|get|make it|finish|manage|see)\b|leave [^.,!?\n]{1,30} out of (?:it|this)
        """,
    ),
    Pattern(
        "obligation",
        "make sure",
        r"""
            (?:make sure|makes sure|be sure|ensure|see to it|take care) (?:that |to |not |you |it |the |we |all |no |nothing |never
            |nobody |every |they |this |there |our |my |he |she |everything |only )[^.!?\n]+
            |(?:keep in mind|bear in mind|remember|note|important|please note|mind you|be aware|careful)(?: that|:|,)?
             (?:[a-z']+ ){0,4}(?:must|never|always|can't|cannot|not allowed|only|no|has to|have to|may not|needs to)
            |(?:it is|it's|very|really|that's) (?:important|essential|crucial|vital|critical|imperative) (?:that|to|for)
        """,
        unless=r"""
            (?:i|we|to|and|just|want to|wanted to|how to|how do i|can i|should i|i'll|i'd like to|helps?) (?:make sure|be sure|ensure)
            |can't be sure|not (?:quite )?sure|(?:i|we)(?:'m| am| are)
             (?:not )?sure|remember (?:that|the) (?:time|day|no)|can(?:not|'t) remember|i (?:don't |do )?remember
            |(?:is|why is) it (?:important|essential|crucial)|it's (?:not|less) (?:very |that |so )?important
        """,
    ),
    Pattern(
        "obligation",
        "for everything",
        r"""
            from now on|from here on|from today(?: on)?|going forward|henceforth|for the rest of (?:this|the|our)
            |in (?:all|every|each) (?:of )?(?:your|the|my|our|future|further|following|later) [a-z]+
            |(?:at all times|every single time|each and every)
            |(?:any|every|each|all) (?:further |future |following )?(?:answers?|repl(?:y|ies)|mails?|emails?|texts?|snippets?|messages?) (?:you|in|from|with|should)
            |(?:always|never|ever) (?:has|have|needs?|need|be|to) [a-z]+
            |(?:you|the [a-z]+|it|they|all [a-z]+|every [a-z]+) (?:should|have to|need to|are to|is to|shall|will|needs to|has to) (?:always|never|only)
            |for everything you|whenever you|every time you|each time you
            |(?:this|that|it) (?:goes|holds|applies|counts|stands) for (?:all|every|everything|the|any)
        """,
        unless=r"""
            (?:used|looked|searched|tried|happens?|is|are|all over|consistently) (?:everywhere|throughout)
            |(?:again|error|message|crash|fails?|expired[a-z, x]*|[a-z]+)[, ]+every single time{end}|(?:errors?|crash[a-z]*|fails?) (?:at all times|consistently|everywhere)|everywhere (?:i|we)
        """,
    ),
)
