"""English: what changes something said before; what takes a rule away; what holds once, or not at all."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"""
            (?:no|nope|nah|wrong|stop|wait|hold on|hang on|halt|sorry|oops|whoops|correction|hm+|ah|oh|argh|damn|uh+|ugh|well|ok|okay|thanks|hey|but|and|yes|yeah|right|good|nice|great|fine)?[,.!: -]*
            (?:(?:no|nope|nah|wrong|stop|halt|update|edit)(?:[,.!:;]+ ?| - ?)|(?:uh+|um+|er+m*|hm+)? ?(?:wait|hold on|hang on|sorry|apologies|oops|whoops|correction|actually|my mistake|my bad|my fault|change of plans?|plans? (?:has |have )?changed|new plan
            |on second thoughts?|to correct myself|i misspoke|small correction|one correction|quick correction|small change|slight change|minor correction|turns out|it turns out|as it turns out)[,.!: -]+)[^.!?\n]{3,}
        """,
        unless=r"""
            (?:sorry|apologies|wait|hold on|oops|well|oh|actually|no|nope)[,.!: -]*(?:(?:no|nope|sorry)[,.!: -]*)?(?:(?:for|about|to (?:bother|ask|interrupt)|if|i'm late|my english|another|one more|again|typo there|what|how|why|can|could|would|do|does|did|is|are|should|where|when|who|which|one (?:more|other)
            |i (?:have|had|was (?:away|out|afk)|got|need|forgot to (?:say|mention|add|tell)|should (?:add|mention|say)|also|just|think|love|like|can|will|do|don't)|thanks|thank|that (?:works|worked|helps|helped|makes|did|sounds|looks|was (?:it|all|quick|easy))|it (?:works|worked|does)|also|please explain|let me (?:think|check|see|ask|read|look|try)|never ?mind
            |maybe|perhaps|that's (?:\w+ )?(?:clear|cool|neat|clever|interesting|helpful|useful)|another (?:question|thing)|(?:a |one )?(?:quick|small|last|other) (?:question|thing)|that's (?:all|fine|ok|okay|it|great|perfect|good|enough|a (?:good|great|nice))|not (?:yet|really|at all|sure|now|necessarily|so far|today)|never (?:heard|seen|been|had|tried)|he|she|everything|all good|nothing|we're (?:good|fine)|i'm (?:good|fine|done)|go ahead|no)\b)
            |rather (?:than|not|a|the|good|nice|late|early|big|small|cold|well|long|short|soon)|instead of|(?:full|hard|bus|train|tram|dead) stop|stop (?:words?|watch|by|at|in)|update (?:the|my|it|our|all|to|your|from|on)|edit (?:the|my|it|this)
        """,
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        r"""
            my (?:mistake|bad|fault|error)|i (?:mixed|messed|confused|misread|misremembered|mistyped|miscounted|miscalculated|misspoke|mis-?stated|misheard|mislabel[a-z]*)\b
            |i (?:got|had|wrote|gave|told|said|put|typed|sent|have) (?:[a-z]+ ){0,5}(?:wrong|mixed up|backwards|the wrong|incorrectly|by mistake|swapped)
            |i was (?:wrong|mistaken|off) (?:about (?:the|that|this|my|it)|on|with|there|earlier|before|:)?|i should have (?:said|written|told)|let me (?:correct|rephrase|restate|fix that|clarify)|to correct (?:myself|that)|typo[:, ]
            |(?:small |one |quick |minor )?correction|i (?:have |'ve )?changed my mind|we(?:'ve| have)? changed our minds?|change of (?:plan|plans|mind|heart)|plans? (?:have |has )?changed|scratch that|strike that|take that back|forget what i (?:said|wrote)|ignore (?:what i said|my last|my previous)
            |disregard|on second thoughts?|i've thought (?:again|about it)|i (?:always |keep )(?:mess(?:ing)? (?:that|this|it) up|mix(?:ing)? (?:that|them|it|these) up)|i keep forgetting|(?:that's|that is|this is|you used|you took|you gave|you have) (?:the |an |my |our )?(?:old|wrong|previous|outdated|other) [a-z]+|[a-z0-9]+, i meant?{end}|i meant to say|(?:sry|soz)[,.! ]+[a-z0-9]+|make (?:that|it) (?:[0-9]+|mon|tues|wednes|thurs|fri|satur|sun)[a-z0-9]*|i never said|you(?:'re| are) (?:confusing|mixing)|(?:it|that|this) should (?:read|say)|[a-z0-9]+,? (?:sorry|my bad|oops){end}|(?:is|it's) spelled|you forgot (?:that|i|we|the|about|to)|you (?:missed|ignored|overlooked) (?:that|the|my)|(?:that|which) (?:was|is) (?:not|never) (?:true|what|the case)|i (?:gave|sent|showed|wrote|read) you|(?:the |that |my )?[a-z0-9.]+ was (?:[a-z0-9]+ (?:years?|months?|weeks?) ago|last (?:year|week|month|time)|the (?:old|other|previous)|from (?:the|my) (?:old|other)|a typo|wrong|before)|i'm so bad (?:at|with)|i can't count|called back|got back to me|as i (?:wrote|said)|it's [^.,!?\n]{1,30} that (?:i|we|he|she|they|it) [^.!?\n]{2,}|thinking about it (?:again|more)|having slept on it|i (?:just )?(?:checked|double.?checked|looked (?:it )?up|looked again|asked|talked to|spoke (?:to|with)|learned|found out|heard)(?:[^.!?\n]{0,40}[:,.;] ?|[^.!?\n]{0,30} and )
            (?:it's|its|it is|it was|they're|the|we|he|she|actually|there)
        """,
        unless=r"(?:spelling|auto|tax|error|colou?r|grammar).?correction|(?:what|if|when|why|that|think) i (?:was wrong|changed|misread)|typos? (?:in|check|fix)|check (?:for )?typos?",
    ),
    Pattern(
        "change",
        "not X but Y",
        r"""
            (?:it's|its|it is|is|are|was|were|should be|that's|i'm|we're|use|take|make it|put|has|have|by|on|in|at|to|for|from|with|the|a|an|want|need|wanted|needed|meant|call it|called|named|must be|has to be|needs to be|say|write|[a-z0-9]+) (?:[a-z0-9.'%-]+ ){0,6}[a-z0-9.'%-]+,? (?:and |but |- )?not (?:the |a |an |in |on |at |by |for |from |with |to |my |our |as |just |about )?[a-z0-9]+
            |not (?:[a-z0-9.'%-]+ ){1,6}(?:but|rather) (?:[a-z0-9.'%-]+)|[a-z0-9]+, not [a-z0-9]+|(?:isn't|aren't|wasn't|'m not|'s not|is not|are not|am not|was not) [^.,;!?\n]{2,40}[,;:-]+ ?(?:but )?(?:he's|she's|it's|they're|i'm|that's|it was|it is|we're) [a-z0-9]+|(?:don't|doesn't|didn't) (?:live|work|have|need|use|want|mean|drive|own|study|speak|run|play|eat|sell|teach|write|read|take|travel|fly|go) [^.,;!?\n]{2,40}[,;:-]+ ?(?:but )?(?:i|we|he|she|they|it) (?:live|work|have|need|use|want|mean|drive|own|study|speak|run|play|eat|sell|teach|write|read|take|travel|fly|go)s?|not [a-z0-9.'% -]{2,30}[,;:-] ?(?:but |it's |they're |he's |she's |use |the |a )?[a-z0-9.'%-]+
            |[a-z0-9]+ (?:instead|rather) ?(?:[.!,;)]|$|please|then|now|of|than)|(?:instead of|rather than|in place of|as opposed to|no longer|not anymore|any ?more) [a-z0-9]+
        """,
        unless=r"""
            (?:if|whether|or|why|certainly|i'm|am|is|it's|that's|was|are|maybe|perhaps|of course|probably|surely) not(?: (?:sure|that|so|very|really|too|quite|bad|yet|clear|possible|necessarily|the (?:only|case|point|end|same|best)|a (?:problem|big|fan|lot)|an (?:option|issue)|allowed|working|only|even|much|great|good|ideal|enough|interested|happy|familiar|new|easy|hard|just|going|here|there))
            |(?:do|does|did|can|could|should|would|will|may|must|has|have|had|shall|might) (?:[a-z]+ )?not|not only|not sure|not that|(?:or|why|if|of course|certainly|hopefully) not|not (?:so|too|very|really|at all|yet|to mention|even|much|bad|long ago|only|sure|just yet|work|works|working|a cent|a (?:penny|word|single)|one|more|less|longer|later|earlier|over|above|[0-9]+ (?:more|less))\b
            |(?:rather|instead) (?:good|nice|big|late|well|long|than|of) [^.!?\n]*[?]|than not|and not (?:have|be|get|do|to|too|so)
        """,
    ),
    Pattern(
        "modifies",
        "make it",
        r"""
            (?:make|change|turn|raise|lower|increase|reduce|extend|cut|bump|drop|shift|push|move|switch|set|swap|rename|bring|shorten|lengthen|double|halve|postpone|put|use|go with|take) (?:[a-z]+ ){0,4}(?:that|it|this|to|by|into|from|with|instead|at)(?: (?:to|be|at|a|an|the))? [a-z0-9]+[^.!?\n]*
            |(?:is|are|has|have|been|was|were|got|gets|'s|'ve|have been|has been|will be|be) (?:now |just |been |all )*(?:moved|changed|switched|postponed|shifted|rescheduled|raised|lowered|increased|reduced|extended|cut|updated|renamed|replaced|cancel+ed|upgraded|downgraded|doubled|halved|brought forward|pushed back)
            |(?:is|are|it's|they're|we're|i'm|there's|there are|have|has) now [a-z0-9]+|(?:now|meanwhile|since then|as of (?:today|now|this week)) [^.!?\n]{0,50}(?:is|are|it's|has|have|use|must|can|will) [a-z0-9]+|(?:now|instead){end}
            |we (?:now|have now|just) (?:use|have|moved|switched|decided|agreed|changed|settled|need|deploy|run|are)|(?:is|are) (?:also |even |now )?(?:ok|okay|fine|alright)(?: too| as well)?{end}|[a-z]+ (?:is|are|got) (?:ok|okay|fine|allowed) (?:now|after|before|too|again)
        """,
    ),
    Pattern(
        "moved",
        "has changed",
        r"""
            (?:is|are|was|were|has been|have been|got|gets|'s been|will be) (?:now |just |been |also )*(?:moved|changed|postponed|shifted|rescheduled|renamed|brought forward|pushed back|delayed|replaced|extended|cut) (?:to|from|by|until|with)
            |(?:has|have) (?:now |just |been )*changed|(?:they|he|she|we|management|boss|client) (?:just |have |has |'ve )?(?:moved|changed|postponed|pushed|shifted|switched|renamed) (?:it|them|that|this|the [a-z]+) (?:to|from|by)|the new (?:one|date|time|address|number|name|plan|deadline) is|[a-z]+ (?:is|are) [^.!?\n]{1,40} now{end}
        """,
        unless=r"(?:it|that|this|everything|i|we|all) (?:is|are) [^.!?\n]{1,40} now{end}|(?:good|fine|ok|okay|clear|done|ready|better|gone|working|fixed) now{end}",
    ),
    Pattern(
        "objects",
        "should be",
        r"""
            (?:should|ought to|supposed to|meant to) (?:be|say|read|have been|have|use|go|start|end|come) [^.!?\n]+|(?:twelve|two|three|four|five|six|ten|[0-9]+|[a-z]+)\?+ ?(?:no|it|that|there|they|we|i|he|she)(?:'s|'re| was| were| is| are| had| said) [a-z0-9]+
            |i (?:asked|said|wrote|wanted|told) [^.!?\n]{2,}|you (?:merged|forgot|missed|dropped|ignored|mixed up|swapped|left out|skipped|misread|counted|put|wrote|used|changed|turned) [^.!?\n]{2,}
        """,
        unless=r"(?:what|which|how|who|where|when|why|it|that|this|there|should|could|would) (?:it |i |we |they |that )?(?:should|ought|supposed)|should be (?:ok|okay|fine|enough|good|possible|easy|able|here|there|nice|done|ready|fun)|can you [^.!?\n]*|you (?:used to|put (?:it|that) (?:well|nicely)|changed my)",
    ),
)

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"""
            (?:forget|ignore|drop|scrap|disregard|skip|lift|remove|cancel|discard|scratch|ditch|lose|relax|waive|never ?mind|no need (?:for|to (?:keep|stick|stay|follow|respect|avoid|worry about))) (?:about |what i said about |my |the |that |this |those |these |all |any |our |your |everything about |of |it )+[^.!?\n]{2,}
            |(?:you|we|i|it|they|he|she|everyone|people)(?:'re| are| is|'s)? (?:may|can|could|are allowed to|is allowed to|allowed to|free to|are free to|welcome to)(?: now| again| also)? [^.!?\n]{2,}(?: now| again| after all| if you (?:like|want)| freely)
            |(?:you|we|i|it|they|he|she|everyone)(?:'re| are| is|'s)? now (?:may|can|could|allowed to|free to) [^.!?\n]{2,}|(?:you|we|i|they|it|he|she) (?:may|can) (?:now|again) [^.!?\n]{2,}|now (?:you|we|i|they) (?:may|can) [^.!?\n]{2,}
            |(?:no longer|not|doesn't|don't|isn't|aren't|need not|needn't|won't) (?:\w+ )?(?:appl(?:y|ies)|holds?|needed|necessary|required|valid|relevant|matters?|a (?:must|requirement|problem|constraint|limit|concern|rule|condition|thing|restriction)|in force|restricted|limited|count|counts|binding|mandatory|have to|has to|need to|must|bound|important|forbidden|banned|off.limits|allergic|pregnant)(?: any ?more| any longer| now)?
            |(?:no longer|not) (?:[a-z]+ ){0,3}any ?more|(?:is|are|was|were|'s|has been|have been|got) (?:now |just |finally |officially |all )*(?:lifted|dropped|waived|scrapped|gone|off|cancel+ed|removed|relaxed|over|history|obsolete|void|abolished|moot|outdated|fine now|ok now|okay now|allowed now|allowed again|possible again|fine again|ok again|okay again|fine after all|ok after all|okay after all|allowed|permitted|back on the table)
            |(?:is|are|'s|would be|'re) (?:totally |perfectly |absolutely |completely |now )*(?:fine|ok|okay|allowed|permitted|possible|welcome|alright|no problem|good|in) (?:now|again|after all|from now on|too now)
            |(?:now|again) (?:fine|ok|okay|allowed|permitted)|(?:the |that |this |my )?(?:rule|limit|restriction|constraint|ban|cap|condition|requirement|deadline|budget|embargo|freeze)[^.!?\n]{0,40}(?:is|was|has been) (?:gone|lifted|over|off|dropped|history|no more|cancel+ed)
            |there(?:'s| is) no (?:limit|restriction|budget|deadline|cap|rule)[^.!?\n]*(?:any ?more|now|any longer)|no more [a-z]+ (?:limit|restriction|rule)s?|(?:without|lift) (?:the|that|any) (?:limit|restriction|rule)s?
            |feel free to [^.!?\n]+ (?:now|again|after all)|go ahead and [^.!?\n]+ (?:now|again|after all)|as (?:long|short|many|much) as you (?:like|want)
        """,
        unless=r"""
            don't (?:forget|ignore|drop|skip)|(?:never|not) (?:forget|ignore|drop|skip|remove)|must(?:n't| not| never) [^.!?\n]*|(?:doesn't|does not|don't|do not) matter (?:if|whether|how|which|what)
            |can you [^.!?\n]*|(?:how|what|why|if|when|whether) [^.!?,\n]*|(?:skip|drop|remove) (?:it|this|that) (?:this time|for now|today)|it's (?:over|off|gone)|error is gone|(?:problem|error|issue|bug|warning|noise|leak|message|that one) (?:is |'s )?gone
        """,
    ),
    Pattern(
        "resolved",
        "works now",
        r"""
            (?:it |that |this |now |all |everything |build |deploy |the [a-z]+ |they |which )?(?:now )?(?:works?|runs?|worked|builds?|starts?|passes|loads?|boots?|compiles?|connects?|charges|prints?|deploys?|is (?:up|running|working|back|fine|alive)|responds?|goes through|went through|sync(?:s|ed)|heats?|installs?|installed|imports?) (?:[a-z]+ )?(?:now|again|fine|perfectly|smoothly|like a charm|as expected|without (?:errors?|problems?|issues?|a hitch|complaints?)|through|well|great|ok|okay|properly|correctly|cleanly|normally|at last|finally)
            |(?:that|this|it|which|yes|yep|great|perfect|thanks|yeah|ok|you)[,!. ]+(?:that |this |it |has |really |just |totally )*(?:worked|did it|did the trick|fixed (?:it|that|everything|this|the)|solved (?:it|that|the|this|everything)|was it|helped|nailed it|got it (?:working|running)|were right|was the (?:problem|issue|cause|culprit|reason)|cured it)
            |(?:works|worked|fixed|solved|running|sorted|green){end}|green (?:now|again)|[a-z0-9]+ (?:is|are|'s) gone|(?:is|was|got|are|it's|that's|'s|all|been|now|finally) (?:now |all |finally |been |already )*(?:fixed|solved|resolved|sorted|working|running|back up|up again|back online|green|done with|healthy|passing|up and running)(?: now| again)?
            |(?:fixed|solved|resolved|sorted)(?: it)?[!,. ]|(?:fixed|solved|resolved|sorted)(?: it)?$|(?:i |we )(?:just |finally |now )?(?:fixed|solved|resolved|got rid of|found) (?:it|that|this|the (?:bug|error|problem|issue|culprit|cause|leak|fault))
            |(?:no|without) (?:more |further )?(?:errors?|crash(?:es)?|warnings?|complaints?|problems?)(?: any ?more| now| since| so far| this time)|(?:it|that|this)(?:'s| is) gone(?: now)?|went through|(?:'s|is|are|all) (?:fine|ok|okay|good|back|alive) now|it's back|(?:i'm|we're) (?:in|back in|in again|online|connected|back)|(?:error|problem|issue|exception|crash|message|leak|noise|warning|bug|that one)(?:'s| is| are| has|s are|s have)? (?:now )?(?:gone|disappeared|vanished|fixed|solved|resolved|history|away)
            |tests? (?:pass|are green|all pass|pass now)|all (?:green|good now|tests? pass|working|fine now)|(?:build|ci|pipeline|tests?|deployment|everything)(?:'s| is| are)? (?:all )?(?:green|passing|through|up)|deployed|(?:done|ok|okay|yes)[,.! ]+(?:pushed|installed|published|merged|updated)|back to normal|up again|online again|problem solved|case closed|that's (?:it )?(?:fixed|solved)
            |(?:is |are |'s |'re )?(?:charging|printing|working|running|building|compiling|starting|connecting|loading|responding|heating|cooling|syncing|booting|humming|spinning|flowing) (?:again|now|fine|nicely)|(?:runs|works|boots|starts|prints|builds|drains|flushes) (?:through|again|now|like new)|no longer (?:crashes|fails|hangs|happens|leaks|blinks|complains|stops|freezes|drips|shows|appears|beeps|errors|throws|occurs)|(?:doesn't|does not|don't|hasn't|stopped) (?:crash|fail|hang|happen|leak|blink|freeze|crashing|failing|hanging|leaking|blinking|complaining|freezing|beeping|dripping|throwing|happened)(?: any ?more| again| since| now)?
        """,
        unless=r"""
            (?:doesn't|does not|don't|didn't|did not|isn't|is not|not|won't|never|nothing|hardly|still no|no longer|wasn't|aren't|haven't|hasn't|until|once|when|if|after|before|how|why|make it|so that|should|can|could|would|will|needs to|has to|must|to) (?:\w+ ){0,3}(?:works?|runs?|worked|fixed|solved|resolved|starts?|builds?|working|running|helped|passes|gone|loads?|connect[a-z]*|compiles?|boots?|deployed|help)
            |(?:it |that |everything )?(?:works?|worked|runs?|builds?|passes|starts?) (?:fine |well |ok |perfectly )?(?:locally|on my (?:machine|laptop|mac)|in (?:dev|staging|chrome|debug|the (?:browser|ide|simulator|emulator))|before|until|yesterday|last week|with (?:the )?old|for (?:everyone|others|my))
            |(?:works?|worked|runs?|ran|running|up) (?:again |fine |well |ok )?(?:until|before|yesterday|last|for (?:a|ten|[0-9]+|one|two|an|years|months|weeks)|but)|(?:almost|nearly|partly|half) (?:fixed|solved|works|working)
            |but (?:[a-z]+ ){0,3}(?:still|same)|(?:is|are) (?:it|this|that|they) (?:fixed|solved|working)|used to work|fixed (?:width|price|size|rate|costs?|point|length|term|number|seed|at|on|amount|deadline|position|header)|(?:is|are|be) deployed (?:on|to|in|with|by|via|as|every)|deployed (?:on|to|with|via|as|every)|how [^.!?\n]{1,30} works?|what worked|nothing worked|(?:no|nope)[,. ]+(?:didn't|not) [a-z]+
        """,
    ),
)

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        r"""
            this (?:one )?time|just (?:this|that) once|(?:only )?(?:this|just) once|for (?:right )?now|for the (?:moment|time being)|(?:just|only) (?:for )?(?:now|today|tonight|this (?:one|time|week|morning|evening|afternoon))|for (?:just )?this one(?: time)?|today only|for today|for tonight|tonight only|for (?:just )?this [a-z]+ only|only for this [a-z]+|for (?:just )?this (?:once|run|commit|reply|answer|message|email|mail|paragraph|version only|occasion|call|question|example)
            |for once|as a one.?off|one.?off|exceptionally|as an exception|in this (?:one )?(?:case|instance)(?: only)?|this particular (?:one|time|case)|not yet|don't [a-z]+ (?:[a-z]+ ){0,4}yet|temporar(?:y|ily)|until (?:i'm back|lunch|tomorrow)|right now|just here|in this one|on this one|with this one|the first one only|this week only|this once|for this (?:first |quick )?(?:demo|draft|test|try|round|step|part|line)(?: only)?
        """,
        unless=r"(?:not|isn't|never) (?:just|only) (?:this|for|now|today)|(?:for this and|today and|now and) (?:all|the|every|later|onwards|always|in)|this one (?:and|is)|from (?:right )?now|for (?:right )?now on|starting right now",
    ),
    Pattern(
        "supposed",
        "what if",
        r"""
            (?:what if|suppose|supposing|imagine|hypothetically|in theory|theoretically|let's (?:say|assume|pretend|imagine)|say (?:we|i|you|that|the)|assume|assuming|pretend|just thinking|if (?:we|i|it|they|you|there|one) (?:had to|were to|could|were|ever had|ever|would|couldn't|wanted|did)|if i were|if it were|what would|would it|wouldn't it|as a thought experiment|thought experiment|in an ideal world|ideally|maybe|perhaps|i wonder|wondering|i'm (?:just )?(?:thinking|wondering|not sure|curious)|not sure (?:if|whether)|if [a-z ]{2,30} could (?:never|not|only|ever)) [^.!?\n]+
        """,
        unless=r"""
            assume (?:nothing|no|that (?:the )?(?:reader|user)|the (?:reader|user|worst))|imagine (?:that|how)|(?:when|where|what|which|how|why) (?:you|we|i|the|it|they|a|an|someone|anyone|writing|answering|in doubt|giving)[^.!?\n]{0,80}(?:must|never|always|only|has to|have to|may not|not allowed|don't|no )|(?:whatever|whenever|wherever)
            |(?:can|could|would) you (?:please |also )?(?:make sure|always|never|only|ensure|keep|stick)[^.!?\n]*|what (?:matters|i need|counts|must|has to|is (?:important|essential|not))|when(?:ever)? (?:you|in|we) [^.!?\n]*|if (?:you|it|we|they) (?:ever|did|could) [^.!?\n]*(?:must|never|always)|how(?:ever|: )
        """,
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        r"""
            (?:i'd|i would|we'd|we would|she'd|he'd|they'd) (?:\w+ )?(?:prefer|like|love|rather|appreciate|be (?:happy|glad|nice))|i (?:\w+ )?(?:prefer|like|love|enjoy|hope|wish|want)|if (?:at all )?possible|if you can|if you could|preferably|ideally|would be (?:nice|great|good|cool|lovely|helpful|ideal|best|perfect)|nice to have|wherever possible|where possible|when possible|as far as possible|optional|a bonus|no (?:strong|hard) (?:preference|feelings)|i'm (?:not )?a fan|favou?rite|would be a plus|a plus|if it (?:fits|works|isn't too)|not (?:that )?important|wouldn't mind|might be nice|could be nice|if it's not too much
        """,
    ),
    Pattern(
        "told of",
        "he always",
        r"""
            (?:(?:my|a|an|his|her|the|some) (?:old |former |best |friendly )?(?:uncle|aunt|friend|friends|colleague|colleagues|neighbou?r|neighbou?rs|mother|father|mum|mom|dad|brother|sister|grandm[a-z]+|grandf[a-z]+|grandpa|cousin|trainer|coach|teacher|professor|guy|article|book|blog|blogger|post|tutorial|film|movie|author|guide|influencer|magazine|ex|roommate|buddy|granny|in-laws|people|video|youtuber|docs|documentation|manual)|people|some|they|everyone|he|she|others|many) (?:always |once |often |usually |just |also |never |had |has |have )*(?:says?|said|told (?:me|us)|claims?|claimed|thinks?|swears?|recommends?|insists?|wrote|states?|suggests?|believes?|tells? (?:me|us|everyone)|used to say|keeps? (?:saying|telling me)) [^.!?\n]+
            |(?:i read|i heard|i've (?:read|heard)|some say|apparently|according to|in the (?:book|film|movie|article|story|novel)) [^.!?\n]+|[a-z]+ (?:says?|said|reads?|states?|wrote|goes)[:,]? x{4,}[^.!?\n]*
            |(?:he|she|my [a-z]+|our [a-z]+|his [a-z]+|her [a-z]+|the [a-z]+|they|people|everyone|everybody|nobody|someone|it|that|this|i|kids|users) (?:once |had |has |have |'s |'ve )?(?:always|never|often|usually|sometimes|once|hardly ever|rarely) (?:[a-z]+s|[a-z]+ed|has|had|was|is|got|came|went|said|told|be|been|know|knew|see|saw|get|want|wants|like|likes|drove|burns|forget|forgets|did|took|made|felt|do|ask|asks|have|had|go|goes|say|thought|understood|tried|heard|think|love|loved|complains?|eat|eats|use|used|end|ends|work|worked|run|ran)
        """,
        unless=r"(?:phone|display|screen|printer|app|console|terminal|logs?|page|browser|message|git|server|machine|dashboard|it|car|tv|router|compiler|laptop|software|site|website|popup|window|dialog) (?:just |only |now |always )?(?:says?|said|reads?|states?|shows?)[^.!?\n]*",
    ),
    Pattern(
        "past",
        "last year",
        r"""
            (?:used to|back then|in those days|when i was|years ago|last (?:year|month|week|time|summer|winter)|remember (?:in|when|last)|once had|we also had|we had) [^.!?\n]+
        """,
    ),
    Pattern(
        "same",
        "still",
        r"still|same (?:thing|error|message|problem|result|story|issue|crash|again|as before)|no (?:luck|difference|change|success)|nope|didn't (?:help|work|change)|again",
    ),
    Pattern(
        "again",
        "I said",
        r"""
            (?:i|we) (?:just |already |clearly |explicitly |specifically |did |repeatedly )?(?:said|told you|asked|wrote|mentioned|specified|say|repeat)|as (?:i )?(?:said|told|mentioned|agreed|before|stated|asked|written above)|like i said|again[,:]|once again|once more|remember|reminder|don't forget|i repeat|still (?:holds|applies|valid|counts)|to repeat|(?:same|the) rules? (?:as (?:before|above)|still)
        """,
    ),
    Pattern(
        "adds",
        "also",
        r"also|as well|too|additionally|in addition|besides|on top of that|plus|furthermore|moreover|another (?:rule|thing|constraint|requirement|condition)|one more (?:rule|thing|constraint|requirement|condition)|and one more",
        unless="too (?:much|many|long|short|big|small|late|early|expensive|cheap|hard|easy|[a-z]+)|as well as",
    ),
)
