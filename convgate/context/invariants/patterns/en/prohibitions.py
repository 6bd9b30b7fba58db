"""English: what may not be."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

PROHIBITIONS = (
    Pattern(
        "obligation",
        "no …",
        "no (?:[a-z-]+ ){0,2}[a-z-]{2,}",
        unless=r"""
            no real (?:plan|plans|idea|reason|preference|problem|hurry|need|rush|change)
            |no (?:allergies|pets|siblings|plans|kids|car|idea|ideas|problem|problems|worries|luck|need
            |rush|hurry|thanks|thank|way|wonder|doubt|one|matter|clue|change|changes|difference|error
            |errors|reply|answer|response|news|offen[cs]e|pressure|questions?|further (?:questions?
            |ideas?)|big|biggie|chance|point|longer|kidding|joke|joking|result|results|output
            |such (?:file|thing|luck)|it|its|it's|i|i'm|that|that's|this|the|they|you|your|you're|we|he
            |she|there|these|those|not|but|and|because|what|sorry|actually|my|wait|please|just|use|make
            |only|let's|lets|don't|do|more (?:questions?|ideas?|time)|more than|later than|less than
            |fewer|earlier|sooner|longer|success|sign|trace|effect|progress|reason|sense|shame|harm
            |hard feelings|fun|good|joy|in|on|for|at|with|as|to|from|still|sadly|unfortunately
            |particular|special|specific|strong|experience|access to|internet (?:here|at|so)|time to
            |warnings?|crash(?:es)?|better|message|sound|signal|light|picture|power|hot water|water
            |heating|heat|internet|wifi|connection|network|dial tone)\b|(?:has|have|had|having|got
            |there's|there is|there are|there was|theres|is|are|was|were|see|saw|sees|see|get|gets
            |getting|with|find|found|know|makes?|made|shows?|of|'s|'ve|knows|finds|gives?|'re|in|at|say
            |says|said|takes|took|need|needs) no [^.!?\n]*|in no time|by no means|yes or no|or no\b
            |oh no\b|number no|(?:a|the|to|is a) no (?:brainer|go)
        """,
    ),
    Pattern(
        "obligation",
        "nothing …",
        """
            nothing (?:with|containing|that|which|from|over|above|under|below|spicy|sweet|raw|fried
            |heavy|expensive|in|on|on the|may|must|should|can|is to|goes|gets|made
            |more|after|before|beyond|outside|else than|older|bigger|that's|corrosive|[a-z]+y
            |[a-z]{3,}(?:ous|ive|ish|ic|able|ible|ful|ent|ant))
        """,
        unless="""
            nothing (?:that|which) (?:i|we|works?|worked|helps?|helped|would|special)|nothing (?:in
            |on|from|more|over|with) (?:the (?:logs?|console|terminal|output|screen|docs)|it|that
            |particular|mind|return|common|to)|nothing (?:can|in|that) (?:be done|beats|compares)
            |(?:is|was|has|have|had|there's|there is|see|saw|says?|does|do|did|got|find|found|know
            |eat|eats|shows?|change[sd]?|with) nothing|nothing (?:really|fancy|too bad|serious|obvious
            |unusual|suspicious|dramatic|visible|noticeable|sensible|goes (?:up|on|through|wrong|in|out)
            |gets (?:done|through|saved|printed)|urgent|important|relevant|different|tragic|terrible
            |horrible|catastrophic|available|significant)
        """,
    ),
    Pattern(
        "obligation",
        "nothing but …",
        r"""
            nothing [a-z-]{3,}|anything but [a-z]+|hands off [a-z]+|without (?:any |a |an |
            the )?[a-z-]{3,}|(?:leave|keep) [^.,!?\n]{2,40} (?:as (?:it is|they are|is)|alone
            |unchanged|untouched|intact)
        """,
        unless=r"""
            nothing (?:else{end}|else to|happens|happened|works|worked|changed|changes|new|special|much
            |really|yet|so far|helps|helped|can|could|there|here|wrong|left|prints|shows|appears|loads
            |moves|opens|comes|came|starts|responds|to (?:add|say|do|lose|worry)|serious|fancy|too
            |major|crazy|wild|obvious|much|to do with|bad|yet|at all|will|would|was|is|has|beats
            |matters|important|urgent|in particular|on (?:the )?(?:screen|console)|[a-z]{2,}ed)\b
            |without (?:a )?(?:doubt|you|question|questions|further|that|it|luck|success|knowing
            |any (?:success|luck|problems?|trouble))|anything but (?:easy|clear|simple|fun|nice)
            |leave (?:me|us|him|her) alone
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "don't …",
        "(?:don't|dont|do not|never|not ever|and not|nor) [a-z]{2,}",
        unless=r"""
            (?:don't|dont|do not|never|not) (?:worry|hurry|rush|forget to (?:smile|breathe|have fun)
            |hesitate|mind|be (?:shy|afraid|sorry|silly|so|sad)|get (?:it|me|why|how|what)|hate
            |laugh|judge|tell (?:him|her|them|anyone|my|me)|know|think|want|see|have|understand
            |fails?|stops?|feel|like|tell me|leave me|make me|cry|panic|need|care|remember|believe
            |ask me|say|seem|really|even|bother|you|we|they|i|do (?:that|it|this)?(?: yet| now)?$
            |get|works|yet|sure|quite|really|too|so|all|a|an|the|bad|that|necessarily|fully|much
            |only|just|currently|usually|often|always|exactly|mean|expect|run|exist|appear|trust|own
            |speak|drink|eat|live|plan|love|enjoy|thought|saw|knew|heard|had|been|done|was|were|once
            |again|in|on|at|to|would|could|did|is|[a-z]{2,}ed)\b|(?:i|we|they|you|people|that|which
            |who|it|users|kids|these|those|things|tests|some|many|most|and|but|still|why|if|because
            |really|also|just|[a-z]{3,}s) (?:really |just |still |also |usually |both )?(?:don't
            |dont|do not|never)
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        """
            (?:is|are|'s|'re|am|was|be|it's|that's|isn't|aren't|i'm) (?:strictly |absolutely |simply
             |definitely|also |generally |legally |completely |totally |all )*(?:not (?:allowed
            |permitted|acceptable|negotiable|optional|an option|up for (?:discussion|debate)
            |on the table|possible to change|to be)|forbidden|prohibited|mandatory|off.limits
            |off the table|banned|compulsory|required|non.negotiable|taboo|a (?:deal.?breaker|must
            |no.go|no|given|hard no)|out of the question|out|essential|obligatory|vital|crucial|fixed
            |imperative|critical|allowed|permitted)|(?:isn't|aren't|ain't|not) (?:allowed|permitted
            |acceptable|negotiable|optional|an option)|non.negotiable|deal.?breaker|must-haves?|(?:is
            |are|that's|it's) (?:a )?(?:illegal|crime|criminal|against the law|a no.no)
            |anything else is [a-z]+|no.go|hard requirement|requirements?(?::| is| are)
            |not up for (?:discussion|debate)|set in stone|(?:always|ever){end}
            |[a-z]+ [a-z]+, never{end}|(?:is|'s|are|'re|am|'m) never (?:allowed|permitted|to)
            |under no circumstances?|in no case|at all costs?|no matter what|whatever happens
            |whatever you do|on no account|by no means|not under any circumstances?|that's (?:set|final
            |fixed|settled|the rule|a given)|and that's it|(?:is|are) a given|and nothing else|(?:is
            |are) always (?:written|spelled|capitali[sz]ed|served|paid|signed|addressed|called|used
            |quoted|rounded|sorted|done|sent)|without exceptions?|no exceptions?|whatsoever|strictly
            |absolutely (?:no|not|never|must|nothing|have to)|zero tolerance|(?:is|are) (?:a
             |an )?(?:absolute|strict|hard|firm) (?:must|no|requirement|limit|rule|condition)
            |requires? (?:that|us|me|any|all|a|an|the|it|at|every|to)|insists? (?:that|on)|(?:demands?
            |forbids?|prohibits?|mandates?|disallows?|bans|caps|stipulates?|dictates|rules out) [a-z]+
        """,
        unless=r"""
            (?:error|exception|http|403|401|405|status)[^.!?\n]{0,40}(?:not allowed|forbidden
            |not permitted|required)|(?:method|operation|permission) not (?:allowed|permitted)
            |no.go zone|is out (?:of (?:stock|office)|now|there|today)|is out\b|(?:is|are|what's
            |what is|whats) (?:it |that |this )?(?:really |actually )?(?:required|allowed
            |mandatory) (?:by|for|to)[^.!?\n]*[?]|strictly speaking|(?:is|are|was|'s) (?:now |already
             |finally |long )?fixed(?: now|,| by|!|\.)|(?:bug|issue|error|problem) is fixed
            |critical (?:thinking|mass|error|bug|acclaim|illness)|who (?:is|are) allowed|is allowed
            |are allowed|caps lock|all caps|in caps|supply and demands?|demands? (?:for|of|is|are)
            |bans (?:are|on)
        """,
    ),
    Pattern(
        "obligation",
        "may not",
        r"""
            (?:may|can|should|could|will|would) (?:never|not ever|under no)|may not|(?:i
            |we) (?:will not|won't|refuse to|will never) [a-z]+|not (?:one
            |a single) [^.,!?\n]{1,40}(?:may|must|can|should|is to|gets?)|(?:nobody
            |no one) [a-z]{3,}s\b|(?:keep|leave) [^.,!?\n]{1,50} out of|(?:nobody|no one|nothing|none
            |neither|no [a-z]+) (?:[a-z']+ ){0,8}(?:may|can|is allowed|should|gets to|is to|must|are to
            |goes|shall|will)|[a-z0-9]{2,} (?:can't|cannot|cant|can not|must not) (?:be|use|have|exceed
            |change|stay|cost|contain|leave|start before|share|handle|hold|carry|overlap|last|sit|weigh
            |require|need|run (?:past|over|longer|beyond|on)|go (?:past|over|beyond|above|below|into|in
            |near|on|up)|happen|appear|show up|end up|touch|leave)\b|(?:can't|cannot|can not) (?:work
            |do|make|come|meet|attend|train|travel) (?:on )?(?:mornings?|evenings?|afternoons?
            |weekends?|nights|weekdays|before|after|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)|(?:i
            |we) (?:don't|do not) want (?:any|anyone|anybody|people|it to|them to|the [a-z]+ to|to see
            |to read|to hear|to find)|not a single [a-z]+|(?:i|we) (?:don't|do not) (?:eat|drink|fly
            |wear|do|buy|accept|touch|work (?:on|after|before|weekends)) [a-z]+|(?:i|we) only (?:eat
            |fly|drink|buy|accept|wear|cook|travel|use|work (?:on|with|from|until|till|in)) [a-z]+
            |i expect (?:every|all|each|no|any|nothing|you to|it to)|keep (?:all|every|everything
            |it all|each) [a-z]+|(?:boss|client|customer|teacher|editor|landlord|manager|supervisor|he
            |she|they) (?:was|were|is|are|made it) (?:very |quite |absolutely |crystal
             |pretty )?clear[:,]? [a-z]+|[a-z]+ never (?:touch(?:es)?|leaves?|cross(?:es)?|enters?
            |exceeds?|appears?|mix(?:es)?|gets? [a-z]+(?:ed|en|t)|go(?:es)? (?:in|into|out|on|near|to
            |below|above|over|under|past|there)|come(?:s)? (?:in|near|into|after|before))
            |[a-z]+, never (?:in|on|to|with|by|from|at|without|the|a|an) [a-z]+|(?:i|we) (?:can't
            |cannot|can not) (?:do|make|attend|come|meet|work) (?:[a-z]+ ){0,2}(?:mon|tues|wednes|thurs
            |fri|satur|sun)days?|we (?:can't|cannot|can not) [a-z]{3,}|i want (?:no|nothing|every|all
            |each)|(?:[a-z]+ )?(?:doesn't|don't|won't|does not|do not|will not|didn't) (?:allow|permit
            |accept|tolerate|let)|(?:skip|leave out|omit) (?:anything|everything|all|any|my|our|his|her
            |their)|(?:not one|no|not a single one) more{end}|should(?:n't| not) (?:be|take|cost|last
            |go|have|weigh|contain|exceed|mention|include|use) [^.!?\n]*(?:than|over|above|more|longer
            |any)|should(?:n't| not) (?:contain|exceed|mention|include)|anything [a-z]+er than
            |everything in [a-z ]+{end}|don't you (?:dare|ever)|[a-z]+ can't [a-z]+ (?:before|after
            |until|without|unless)|(?:narrator|hero|heroine|villain|protagonist|character|characters
            |magic|detective|bot|app|system|service|function|api|script|program|report
            |assistant) (?:always|never) [a-z]+s|(?:have|has) an? [a-z-]+ policy|never the other way
            |that's a condition|(?:stick|keep|adhere) (?:strictly |only )?to (?:the|our|my|this|these)
            |without [a-z0-9]+[, ]+that's a|throughout{end}|not (?:on|before|after|during) [a-z0-9]+
            |[a-z]+ (?:is|are) (?:already )?fixed{end}|(?:we|you|i|it|they|she|he|one|that|which
            |[a-z]+s|[a-z]+er) (?:really |absolutely |simply |just|definitely |also )?(?:can't|cannot
            |cant|can not|couldn't|won't|mustn't) (?:really |ever |also |possibly )?(?:use|have (?:any
            |more|the|a|it)|exceed|go (?:over|above|below|past|beyond|near|up|on|to|outside)|spend
            |change|touch|contain|take (?:longer|more|on|any)|eat|drink|afford|be (?:more|longer
            |changed|later|moved|touched|over|larger|bigger|used|in|on|seen|shared|anywhere|any|near
            |there|left|away)|leave|install|add|share|upload|send|store|travel|fly|lift|drive|miss|lose
            |do (?:stairs|long|without)|tolerate|stand|move|accept|switch|break|cost|rely|depend|put
            |drill|modify|upgrade|last|start before|end|wear|sit|walk|climb|kneel|work (?:on|after
            |before|more)|risk|come (?:on|before|after)|mention|publish|show|reveal|go down)\b
        """,
        unless=r"""
            (?:may|might|can|could|would|will) (?:never|not) (?:be (?:sure|the same|enough|perfect
            |ideal|great|so|too|as)|know|understand|find out|have (?:been|seen)|even|really|seem|matter
            |remember|forget you)|(?:i|we|they|he|she) (?:[a-z]+ )?keep (?:all|every|everything|it all
            |each) [a-z]+|no [a-z]+ (?:[a-z']+ ){0,6}if (?:you|we|i|they) (?:can|may)|(?:i|we) (?:don't
            |do not) (?:eat|drink|fly|do|buy|work) (?:out|much|often|so|too|it|that|this|well|anything
            |a lot|enough)\b|(?:you|one|we|i) (?:can|could) never|would never (?:budge|know|guess|dream
            |admit|forgive|have)|(?:nobody|no one) (?:owns|bothers|reads|noticed)|(?:why|how|what|if
            |when|whether|so that|because|until) [^.!?,\n]{0,20}(?:can't|cannot|won't|couldn't)
            |can't (?:wait|stand it|believe|use it (?:yet|properly)|eat (?:any|another)|change (?:that
            |the past))|(?:it|this|that|they) (?:may|might) not (?:be )?(?:work|helpful|true|right
            |enough|possible)|(?:i|we) (?:may|might) not (?:be|have|know|need)|nobody can (?:tell|say
            |know|help)|no one can (?:tell|say)|(?:nobody|no one|none) (?:[a-z]+ )?(?:will
            |would) (?:notice|care|know|read|mind|come|believe|ever know|see)|can't (?:go|be) wrong
            |(?:bug|bugs|issue|issues|error|errors|problem|it|that|this|everything|all|build|leak|crash
            |which|now) (?:is|are) (?:already )?fixed|(?:we|i|it|that|this|they) (?:can't|cannot
            |can not) (?:find|wait|believe|decide|see|tell|remember|imagine|think|figure|understand|get
            |open|connect|log|reach|help|agree|say|know|seem|stop|start|sleep|hear|explain|complain
            |be (?:right|true|serious|that|it|sure|the)|have been|work{end}|work (?:it|this|that|out
            |like|with|properly|at all|here|any)|make (?:it|sense))|this can't be|that can't be
            |it can't be|not (?:before|after|on|during) (?:all|the|that|reading|my)|can't be (?:that|so
            |right|true|serious|too)|(?:nobody|no one) (?:knows|cares|likes|wants|has|is|comes|answers
            |replies|reads|works(?: here|{end})|looks|sees|uses|understands|believes|does|says|seems
            |minds|was|needs|loves|remembers|thinks|listens|buys|notices|complains|does|expects|asks
            |gets|told|always|finds)\b|(?:i|we) (?:won't|will not|will never) (?:be (?:here|there|home
            |back|able)|bother|need|forget|know|ask|lie|tell|mind|have time|bore|get|make it|finish
            |manage|see)\b|leave [^.,!?\n]{1,30} out of (?:it|this)|(?:i|he|she|they|we|it|who|that|bus
            |train|brother|sister|husband|wife|mother|father|postman|neighbou?r|neighbou?rs|friend
            |people|kids|boss|cat|dog|mum|mom|dad|he'd|she'd|which) never (?:touch|leave|cross|enter
            |exceed|appear|mix|get|go|come)[a-z ]*|never (?:in my|in the history|on time|with me
            |the same|a dull|a problem|at home)
        """,
    ),
)
