"""English: what has to be or may not be, told as if it were so already, without a verb of duty."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

NORMS = (
    Pattern(
        "obligation",
        "full stop",
        r"""
            (?:full stop|period|end of (?:story|discussion|debate)|no discussion|no debate
            |no compromises?|no ifs?,? (?:and |or )?(?:no )?buts?|no ifs,? ands,? or buts|no excuses?
            |no second choice|no alternatives?|and that's (?:that|final|it|the lot|flat)|that's (?:that
            |final|the lot|flat|non-?negotiable|how it is|settled|a promise)|take it or leave it
            |without fail|non.?negotiable|i insist|i mean it|nothing doing|whatever it takes
            |come what may|rain or shine|no matter (?:who|how|when|where|which)|not for love n?or money
            |every last one|every single one|every one of them|all of them){end}
        """,
        unless=r"""
            (?:^|[.!?\n] ?)(?:period|full stop|end of (?:story|discussion|debate)|no discussion)|(?:a
            |the|with|question mark|comma|trial|notice|rest|grace|test|time|same|waiting
            |holding) (?:full stop|period)|(?:and|but) that's that\?
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "in all of it",
        r"""
            without fail|no two ways about it|by law|hard and fast|not for love n?or money
            |all the way through|from (?:start to finish|beginning to end|top to bottom|cover to cover
            |the first [a-z]+ to the last)|(?:in|for|with) (?:everything|anything|whatever
            |whatever else|all that) (?:you|we) (?:[a-z]+ )?(?:write|give|send|tell|make|show|do
            |suggest|build|produce|propose|draft|generate|plan)|(?:every|each
            |any) (?:[a-z]+ ){1,2}you (?:give|write|send|tell|show|suggest|propose|draft|make|name|add
            |build|pick) [a-z]+|(?:that|this|it|which)(?:'s| is)? (?:won't|not going to|isn't going to
            |never going to|will not|isn't about to|not about to) change|(?:is
            |are) always (?:in (?:[a-z]+ )?(?:bold|italics|english|german|french|case|caps|present|past
            |lower|upper|brackets)|[a-z]+_case|[a-z]+case|json|toml|yaml|xml|csv|utf-?8|utc|metric|bold
            |italic)|on before (?:anyone|anybody|you|we|i|the|any) [a-z]+|(?:lose|loses) (?:our|my|the
            |his|her|their) (?:licen[cs]e|permit|visa|insurance|deposit|job) (?:if|when|unless)
            |in every [a-z]+ from here on|from (?:here|this point|today|this day|tonight|tomorrow
            |monday)(?: on| onwards?| forward)? [a-z]+ (?:are|is|get|gets|go|goes|have|has) [a-z]+
            |(?:now|this time|today) (?:n?or|and) any other (?:time|day)|as long as (?:this
            |the) (?:project|chat|conversation|contract) (?:lasts|runs)|(?:i'm|we're|he's|she's|they're
            |boss is|client is|gc is|[a-z]+ (?:is|are)) (?:absolutely |very |completely |quite
            |totally )?(?:immovable|adamant|inflexible|unbending|firm|strict|uncompromising
            |unyielding) (?:on|about|with|that)|there(?:'s| is) no (?:second choice|alternative|plan b
            |way around|discussion|debate|two ways|third way|exception|room for (?:debate|discussion))
            |no (?:wiggle|leeway|slack|latitude)[a-z ]*|(?:won't|will not|wouldn't
            |not going to) (?:budge|bend|compromise|negotiate|discuss) (?:on|about|over)|(?:law|statute
            |act|regulations?|regulator|contract|licen[cs]e|lease|rule ?book|rules|policy|insurer
            |insurance|landlord|landlady|faculty|school|teacher|client|customer|boss|council|venue
            |airline|publisher|journal|supervisor|examiner|auditors?|doctor|surgeon|vet|factory
            |printer) (?:[a-z]+ )?(?:says?|said|only|demands?|insists?|wants?|takes?|accepts?|allows?
            |permits?|expects?|leaves? (?:us|me) no|won't|refuses?|rejects?|bans?|forbids?|caps?
            |limits?|stipulates?|prescribes?|dictates?) (?:that|on|us|me|only|no|nothing|not|any|all
            |every|at|to be)|(?:[a-z]+ )?(?:law|rules|act|policy|code) governs?|(?:doctor|surgeon
            |landlord|vet|client|boss|insurer|council|officer|school|midwife|physio|company
            |customer)(?:'s|s') (?:orders?|conditions?|rules?|verdict|instructions?|requirement|demand)
            |(?:is|are) (?:sacred|sacrosanct|gospel|the law|law|king|untouchable|locked in|locked down
            |carved in stone|written in stone|cast in concrete|iron|binding|a law|the one [a-z]+
            |part of the deal|a condition|the condition)
        """,
        unless=r"""
            (?:brother|sister|mother|father|son|daughter|in).(?:in.)?by law|what (?:the )?law says
            |teacher says hi|(?:boss|client|customer|doctor|teacher|school|supervisor) (?:says?
            |said|wants?) (?:hi|thanks|to know|to see|to meet|to talk|me to|us to)|(?:which|what)
             (?:law|rules) governs?|printer (?:says|said|takes)[^.!?\n]*(?:error|jam)|wants? all
            |(?:every|each|any) [a-z]+ you (?:give|show|send) (?:me )?(?:is|was|looks?|works?)
        """,
    ),
    Pattern(
        "obligation",
        "has no place",
        r"""
            (?:has|have|'ve|'s got|have got|had) (?:absolutely )?no (?:place|business|role|right) (?:in
            |on|at|being|near|there|here|to be|anywhere|whatsoever)|(?:is|are|'s|'re) (?:strictly
             |completely |absolutely |all |both |also |totally )*(?:banned|verboten|barred|ruled out
            |off (?:the )?(?:list|menu|table|limits|cards)|poison (?:to|for)|taboo|out of bounds
            |unwelcome|a no|no good to|useless to (?:me|us)|nobody's business|no one's business
            |none of (?:their|anyone's|anybody's) business|unacceptable|intolerable|blacklisted
            |excluded|disallowed|outlawed|vetoed)|(?:gets?|be|being|is|are|get) (?:bounced|rejected
            |thrown out|binned|sent back|ruled out|turned away|kicked out|sent home|struck out|refused
            |fired|fined|disqualified|marked down|deducted)|(?:refuses?|rejects?|bounces?|bins?|bin
            |spits? out|sends? back|throws? out|chops?|cuts?|ignores?|turns? away) (?:anything
            |everything|whatever|all|any|the rest|those|the others?)(?: else| other| others?| over
            | above| comes?)?|(?:everything|anything) else (?:is|gets|goes|will be|won't|fails) [a-z]+
            |(?:not|don't|never) (?:in|come into|on) (?:the picture|the question|the equation|the mix)
            |(?:don't|doesn't|does not|do not) (?:come into (?:it|this|question)|belong|fly(?: here
            | with)|wash with|make the cut|leave|cross|set foot|enter|sit together|share|mix|touch
            |overlap|meet|get (?:to )?[a-z]+ed|get (?:seen|shown|sent|said|told|put|read|cut|built|sold
            |given|written|shut|drawn))|(?:keys?|passwords?|tokens?|secrets?|credentials|names?
            |numbers?|addresses|details|data|faces|photos?|figures|salaries|prices|records|emails|logs
            |files|documents|dates) (?:[a-z]+ )?(?:don't|doesn't|do not|does not) (?:appear|show up
            |end up|go|travel|come|land|turn up|get|belong|stay|sit|live) (?:in|into|on|onto|near|to
            |out|outside|anywhere)|(?:keys?|passwords?|tokens?|secrets?|credentials) (?:only )?(?:come
            |comes|live|lives|belong|belongs|go|goes|stay|stays|sit|sits) (?:only )?(?:from|in|into
            |inside|behind|through)|(?:isn't|aren't|is not|are not|'s not|'re not
            |not) (?:getting (?:[a-z]+ed|a second|in|into|out|past|near|any|put|sent|seen|built|cut)
            |being [a-z]+(?:ed|en|t)|(?:going|coming|moving|making it|getting|travelling|traveling
            |ending up) (?:in|into|on|onto|out|outside|near|anywhere|through|past|to (?:the|any
            |any[a-z]+)|back in|under|over)|welcome|(?:available|open) to|for (?:sale|discussion
            |sharing|publication|public|outsiders|anyone)|up for (?:grabs|negotiation|change)|part of
            |ever [a-z]+|leaving|touching|entering|crossing|on the (?:menu|list|agenda|table)|in scope
            |(?:sanded|scraped|drilled|printed|shared|published|shown|sold|touched|moved|opened|deleted
            |used|painted|cut|removed|changed|logged|stored|copied|renamed|edited|mixed|mentioned|named
            |served|fed|given|let|left|lent|rented|posted|sent|told)\b)|(?:nobody|no one|none|nothing
            |neither) (?:of [^.,!?\n]{2,30} )?(?:is|are|gets?|goes|leaves?|enters?|touches|sees|drives
            |drinks?|eats?|walks?|climbs?|gets past|passes|comes? (?:in|near|out|into)|crosses|lifts?
            |runs?) [a-z]+|(?:no|not a single|not one) [`_a-z-]+ (?:gets?|goes|leaves?|crosses|enters?
            |passes|makes it|comes) (?:past|in|into|out|through|near|without|on|to|the|merged|shipped
            |published)|(?:would|'d) better not [a-z]+|if i (?:ever )?(?:see|catch|find) (?:one|a|an
            |any|that|it|another)|i (?:never|don't (?:ever )?) ?(?:want|wish) to (?:see|hear|read|find)
            |leave (?:them|that|it|those) (?:at the door|out|outside|alone)|i'm not (?:having|paying
            |spending|signing|taking|sprinting|accepting|giving|putting|sharing|touching|eating|buying
            |sleeping|flying|driving|carrying|risking|negotiating|wearing|running|losing|sending
            |doing (?:more|any|that|this)) [a-z0-9]+|we're not (?:having|paying|spending|signing|taking
            |accepting|giving|putting|sharing|touching|buying|flying|risking|negotiating
            |sending) [a-z0-9]+
        """,
        unless=r"""
            (?:it|this|that|which) (?:is|'s) (?:not|n't) (?:being|getting) [a-z]+|(?:build|page|request
            |mail|email|message|login|job|file|upload|app|site|server|data|code|plugin|query|button
            |image|images|changes|tests?|emails?|mails|style|styles|function|module|import|package|it
            |they|module|variable|hook|service|payment) (?:isn't|aren't|is not|are not|'s not
            |not) (?:being|getting|going|coming|available|used|shown|sent|stored|logged|changed|removed
            |updated) ?[a-z]*|(?:job|push|mail|request|email|commit|build|upload|payment|connection
            |login|page)s? (?:gets?|is|are|was|were|being|be) (?:rejected|bounced|refused|sent back)
            |nothing (?:is|gets|goes|comes|runs?) (?:up|on|wrong|happening|out|through|there|here|in
            |better|saved|logged|shown|printed|displayed|sent|changed|loaded|working|coming|fixed
            |cached|lost|perfect|certain|free|decided|settled|planned|done|listed|selected|written
            |stored)|(?:nobody|no one) (?:is|gets?|goes|sees|eats?|drinks?|runs?) (?:home|here|there|it
            |hurt|perfect|that|sure|me|why|how|answering|responding|replying|around|available|really
            |any|anymore|about)|(?:having|running) (?:a|an|the) (?:great|good|bad|nice|hard|easy|best
            |better|terrible) [a-z]+|none (?:of (?:it|this|that|them|these|those)|is|are) (?:is|are
            |gets?|runs?) [a-z]+|(?:she|he|they|we|it|train|bus|plane|flight) (?:isn't|aren't|is not
            |are not|'s not|'re not) (?:coming|going|moving|getting|travel+ing) [a-z]+
            |i'm not (?:having (?:much|any) (?:luck|fun|success))|not (?:being|getting) (?:able|paid
            |enough|funny|serious|clear|rude|mean|any|it)|if i (?:see|find) (?:that|it|one) i|(?:parts?
            |pieces|edges|colou?rs|lines|wires) (?:don't|doesn't) (?:touch|meet|overlap|mix)|(?:cuts?
            |ignores?) (?:all|everything|the rest) (?:of|my)|gets? fired (?:twice|when|before|after
            |again)|(?:event|handler|hook|trigger|callback)s? (?:gets?|is|are) fired
        """,
    ),
    Pattern(
        "obligation",
        "or nothing",
        r"""
            [a-z0-9]+,? or (?:nothing(?: at all)?|not at all|it (?:doesn't|won't|isn't|goes)
             [a-z]+|bust|i (?:walk|leave|cancel|quit)|(?:they|we|he|she|it) (?:stays?|goes?|waits?
            |doesn't|don't|can't) [a-z]+|the deal's off|no deal|else)|[a-z0-9]+ and (?:[a-z0-9]+
             alone|no others?|nothing (?:else|more|but)|by nothing else|only [a-z]+)|and nobody
             else|and no one else|(?:it's|use|with|for) [a-z0-9]+ all the way|at no other (?:time
            |place|price)|and nowhere else|not (?:in|on|to|with|for|at) (?:a single|any|anyone)
             [a-z]*|not a (?:single )?(?:drop|trace|crumb|hint|speck|ounce|sip|shred|whiff|soul
            |scrap|spoonful|pinch|grain|bite|word|syllable|comma|cent|penny|pixel|second|minute)
             [a-z]+|stick(?:s|ing)? (?:strictly |only |just )?(?:to|with) (?:what|whatever|[a-z]+
             and|the|our|my|this|these|plain|pure|vanilla)|(?:keep|leave|hold) [^.,!?\n]{1,40}
             (?:out|away|off|in.house|private|secret|confidential|between us|to yourself|locked
            |closed|shut|apart|separate|under wraps|offline|local)\b|(?:keep|stay|steer) (?:well |
            far |right )?(?:away|clear|off|out) (?:from|of)?
        """,
        unless=r"""
            (?:lives?|living|being|home|travels?|sleeps?|is|left|am|are|old) alone|(?:all|now|something
            |everything|it's|hit|win) or nothing|or else (?:the|it|we|i)|(?:i|we|they|he|she|you
            |it) (?:[a-z]+ )?sticks? (?:to|with)|(?:stuck|stick(?:s|ing)?) with (?:the|my
            |this) (?:problem|issue|bug|error)|(?:kept|keeps) [^.!?\n]{1,40}|or not at all\?|not (?:in
            |on|to|with|for|at) any (?:hurry|rush|case|of)|stick(?:s|ing)? to the (?:pan|bottom|wall
            |glass|tray|paper|surface|lid|plate)|(?:i|we|they|he|she|it|also|just)(?:'ll| can| will
            | could)? keep [^.!?\n]*
        """,
    ),
    Pattern(
        "obligation",
        "we don't do",
        r"""
            (?:we|you) (?:really |simply |just |also )?(?:don't|do not|never) (?:ever )?[a-z]{2,}
             [a-z0-9]+
        """,
        unless=r"""
            (?:we|you) (?:really |simply |just |also )?(?:don't|do not|never) (?:ever )?(?:have|know
            |need|want|wanna|get|like|understand|see (?:any|the|a|it|why|how|what|much|each)|think|care
            |remember|mind|believe|live|own|really|even|just|yet|usually|often|always|seem|feel|mean
            |expect|trust|speak|travel|plan|drive|reali[sz]e|recall|exist|agree|agreed|hear|come|belong
            |quite|fully|all|find|notice|bother|enjoy|love|matter|miss|look|work (?:well|there|here
            |much)|had|got|met|saw|did|were|was|been|heard|went|tried|talked|too|so|that|the|actually
            |necessarily|mention|say|tell me|happen|in|on|at|to|hurt|learn|worry|stop|fail|forget|owe
            |knew|thought|found|said|hate|watch|play|visit|fight|argue|talk|mess|seriously|finish
            |finished|[a-z]{2,}ed|sound|appear|strike|sleep|cook much|go out|(?:eat|go) out|deserve
            |realise|recognise|bite|judge)\b|(?:we|you) (?:don't|do not|never) [^.,!?\n]{0,40}(?:much
            |often|a lot|that well|yet|either|any ?more){end}|(?:if|when|since|because|why|that|what|as
            |whether|unless|until|where|which|how|says?|hope|assume|promise|so|think|thinks|see|means?
            |things?) (?:we|you) (?:[a-z]+ )?(?:don't|do not|never)
        """,
    ),
    Pattern(
        "obligation",
        "goes through",
        r"""
            (?:every|each|all|any|whatever|whoever|anyone|everyone|everybody|anything|everything
            |whatever's|what's) [^.,!?\n]{2,60} (?:gets? (?:a|an|the|its|their|[a-z]+ed|checked|seen
            |read|put)|goes? (?:through|to|into|via|in|out|on)|comes? with|carr(?:y|ies)|needs? (?:a|an
            |the|its|their|two|one|my|our|at)|stays?|starts? with|ends? with|begins? with|wears?
            |lands? in|runs? (?:through|on|under)|passes? (?:through|by)|assumes?|has to|is (?:out|off
            |seen|kept|left|written|signed|checked|reviewed|tested|logged|approved|encrypted|spelled
            |told|rounded|quoted|counted|deleted|handled|done|in)|are (?:out|off|kept|left|written
            |signed|checked|reviewed|tested|logged|approved|encrypted|spelled|rounded|quoted|deleted
            |handled|done|in))\b|(?:get|gets) (?:masked|pinned|encrypted|hashed|redacted|blurred
            |anonymi[sz]ed|reviewed|signed off|approved|logged|rounded|quoted|capitali[sz]ed|translated
            |shredded|blacked out|stripped|scrubbed|escaped|sterili[sz]ed|spelled out|locked|labelled
            |labeled|documented)|(?:is|are|'re) (?:only )?(?:spelled out|kept (?:for|at|in|under|out
            |away|off|apart|locked)|capitali[sz]ed|hand.?written|pur(?:e|ee)d|written out|held to
            |masked|encrypted|anonymi[sz]ed|peer.reviewed|signed off|reported by|locked (?:away|up))
            |(?:is|are|'s|'re|isn't|aren't) (?:not |never |only |always )?to (?:be|run|stay|remain|go
            |start|have|use|keep|come|get|stand|sit|sleep|finish|begin|contain|appear|include|wear
            |follow|land|arrive|leave|avoid|carry|bear)\b|stays? (?:exactly |strictly |well
             |all )?(?:as (?:it|they)|in.?house|put\b|closed|locked|shut|private|secret|anonymous
            |confidential|between us|the same|the way|untouched|unchanged|out of|away|where (?:it|they)
            |local|offline|internal|below|under|within|above|behind|inside|with us|at home|off (?:the
            |until|when|while|limits)|indoors|dry|vegan|on (?:the|our|my) (?:[a-z]+ ){0,2}(?:premises
            |servers?|hosts?|machines?|network|vault|building|device|lead|leash|list|side|schema
            |version|branch)|in (?:the|our|my) (?:[a-z]+ ){0,2}(?:vault|eu|country|building|house|safe
            |drawer|room|cage|crate|network|repo|bag|fridge|freezer|family|team|cupboard|office)
            |[a-z]+-free|vegetarian)|(?:go|goes) on before|(?:done|buckled|strapped|belted|zipped) up
        """,
        unless=r"""
            (?:goal|plan|idea|aim|task|job|point|trick|question|hope|step|way|purpose|intention
            |dream|challenge|exercise|assignment|solution|reason|thing|best|easiest|key|it|this|that
            |problem|wish|approach|option|advice|what [^.!?\n]{1,30}|left|about|next|first
            |going|happy|glad|sure|able|ready|free|due|here|hard|easy|used|how|what|where) (?:is
            |are|'s|'re) to|(?:every|each|all|any) (?:time|now and then|once in)|(?:every|each|all
            |any|everything|everyone|everybody) [^.!?\n]{0,40}(?:gets? (?:an? (?:error|timeout|[45]
            [0-9][0-9])|stuck|lost|rejected|dropped|slow|killed|cut|worse|better|confused)|goes? to
             (?:sleep|hell|bed|[a-z]+ing)|goes? (?:wrong|in circles|on)|stays? (?:black|red|grey
            |gray|blank|empty|up|white|dark))|(?:what|that's what|whatever) (?:is|are|happens|gets
            |goes|that|the|this|it|was|do|does|did|would|should|if|about|you|we|i|they)\b[^.!?\n]*
            |all (?:i|we|you|they|that|of a sudden|the (?:best|time|same|while))\b
            |(?:screen|page|light|lamp|led|display|field|column|it|panel|window|status|value|list)
             stays? [a-z]+|(?:he|she|i|we|they|who|grandma|aunt|uncle)(?:'ll)? stays? (?:at home
            |with us|inside|indoors|local|away|the way)|is left (?:to|of|for)|are left|(?:seem|is
            |are|was|were|am|'m) (?:all )?done up
        """,
    ),
)
