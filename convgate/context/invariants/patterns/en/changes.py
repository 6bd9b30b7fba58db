"""English: what changes something that was said before."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"""
            (?:no|nope|nah|wrong|stop|wait|hold on|hang on|halt|sorry|oops|whoops|correction|hm+|ah|oh|argh
            |damn|uh+|ugh|well|ok|okay|thanks|hey|but|and|yes|yeah|right|good|nice|great
            |fine)?[,.!: -]*(?:(?:no|nope|nah|wrong|stop|halt|update|edit)(?:[,.!:;]+ ?| - ?)|(?:uh+|um+
            |er+m*|hm+)? ?(?:hang about|hold your horses|w[ho]+ah?(?: there)?|steady on|not so fast|back up
            |rewind|stop right there|one sec|wait|hold on|hang on|sorry|apologies|oops|whoops|correction
            |actually|my mistake|my bad|my fault|change of plans?|plans? (?:has |have )?changed|new plan
            |on second thoughts?|to correct myself|i misspoke|small correction|one correction
            |quick correction|small change|slight change|minor correction|turns out|it turns out
            |as it turns out)[,.!: -]+)[^.!?\n]{3,}
        """,
        unless=r"""
            (?:sorry|apologies|wait|hold on|oops|well|oh|actually|no|nope)[,.!: -]*(?:(?:no|nope
            |sorry)[,.!: -]*)?(?:(?:to (?:bother|ask|interrupt)|if|i'm late|my english|another|one more
            |again|typo there|what|how|why|can|could|would|do|does|did|is|are|should|where|when|who|which
            |one (?:more|other)|i (?:have|had|was (?:away|out|afk)|got|need|forgot to (?:say|mention|add
            |tell)|should (?:add|mention|say)|also|just|think|love|like|can|will|do|don't)|thanks|thank
            |that (?:works|worked|helps|helped|makes|did|sounds|looks|was (?:it|all|quick|easy))
            |it (?:works|worked|does)|also|please explain|let me (?:think|check|see|ask|read|look|try)
            |never ?mind|maybe|perhaps|that's (?:\w+ )?(?:clear|cool|neat|clever|interesting|helpful
            |useful)|another (?:question|thing)|(?:a |one )?(?:quick|small|last|other) (?:question|thing)
            |that's (?:all|fine|ok|okay|it|great|perfect|good|enough|a (?:good|great|nice))|not (?:yet
            |really|at all|sure|now|necessarily|so far|today)|never (?:heard|seen|been|had|tried)|he|she
            |everything|all good|nothing|we're (?:good|fine)|i'm (?:good|fine|done)|go ahead|no)\b)
            |(?:sorry|apologies)[,.!: -]*(?:for|about)|rather (?:than|not|a|the|good|nice|late|early|big
            |small|cold|well|long|short|soon)|instead of|(?:full|hard|bus|train|tram|dead) stop
            |stop (?:words?|watch|by|at|in)|update (?:the|my|it|our|all|to|your|from|on)|edit (?:the|my|it
            |this)
        """,
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        r"""
            my (?:mistake|bad|fault|error)|i (?:mixed|messed|confused|misread|misremembered|mistyped
            |miscounted|miscalculated|misspoke|mis-?stated|misheard|mislabel[a-z]*)\b|i (?:got|had|wrote
            |gave|told|said|put|typed|sent|have) (?:[a-z]+ ){0,5}(?:wrong|mixed up|backwards|the wrong
            |incorrectly|by mistake|swapped)|i was (?:wrong|mistaken|off) (?:about (?:the|that|this|my|it)
            |on|with|there|earlier|before|:)?|i should have (?:said|written|told)|let me (?:correct
            |rephrase|restate|fix that|clarify)|to correct (?:myself|that)|typo[:, ]
            |(?:small |one |quick |minor )?correction|i (?:have |'ve )?changed my mind|we(?:'ve
            | have)? changed our minds?|change of (?:plan|plans|mind|heart)|plans? (?:have |has )?changed
            |scratch that|strike that|take that back|forget what i (?:said|wrote)|ignore (?:what i said
            |my last|my previous)|disregard|on second thoughts?|i've thought (?:again|about it)
            |i (?:always |keep )(?:mess(?:ing)? (?:that|this|it) up|mix(?:ing)? (?:that|them|it|these) up)
            |i keep forgetting|[a-z0-9]+,? i (?:just )?(?:checked|looked it up|looked again|asked|measured
            |counted|verified|double.?checked){end}|just (?:asked|checked|looked|measured|counted|called
            |talked|spoke)[^.!?\n]{0,40}[,:;.] |(?:small|little|stupid|silly) mistake|got (?:it|that|this
            |them) (?:backwards|the wrong way|mixed up)|the other way a?round|other way a?round
            |forget [a-z0-9]+, (?:it's|we|i|it)|as mentioned|(?:put|change|turn) (?:it|that|them) back
            |you (?:left out|forgot|missed|skipped|ignored|dropped|misread|merged|swapped|miscounted
            |confused|renamed) (?:the|my|that|to|a|an|one|two|it)|(?:that's|that is|this is|you used
            |you took|you gave|you have) (?:the |an |my |our )?(?:old|wrong|previous|outdated|other) [a-z]+
            |[a-z0-9]+, i meant?{end}|i meant to say|(?:sry|soz)[,.! ]+[a-z0-9]+|make (?:that|it) (?:[0-9]+
            |mon|tues|wednes|thurs|fri|satur|sun)[a-z0-9]*|i never said|you(?:'re| are) (?:confusing
            |mixing)|(?:it|that|this) should (?:read|say)|[a-z0-9]+,? (?:sorry|my bad|oops){end}|(?:is
            |it's) spelled|you forgot (?:that|i|we|the|about|to)|you (?:missed|ignored|overlooked) (?:that
            |the|my)|(?:that|which) (?:was|is) (?:not|never) (?:true|what|the case)|i (?:gave|sent|showed
            |wrote|read) you|(?:the |that |my )?[a-z0-9.]+ was (?:[a-z0-9]+ (?:years?|months?|weeks?) ago
            |last (?:year|week|month|time)|the (?:old|other|previous)|from (?:the|my) (?:old|other)|a typo
            |wrong|before)|i'm so bad (?:at|with)|i can't count|called back|got back to me|as i (?:wrote
            |said)|it's [^.,!?\n]{1,30} that (?:i|we|he|she|they|it) [^.!?\n]{2,}
            |thinking about it (?:again|more)|having slept on it|i (?:just )?(?:checked|double.?checked
            |looked (?:it )?up|looked again|asked|talked to|spoke (?:to|with)|learned|found out
            |heard)(?:[^.!?\n]{0,40}[:,.;] ?|[^.!?\n]{0,30} and )(?:it's|its|it is|it was|they're|the|we|he
            |she|actually|there)
        """,
        unless="""
            (?:spelling|auto|tax|error|colou?r|grammar).?correction|(?:what|if|when|why|that
            |think) i (?:was wrong|changed|misread)|typos? (?:in|check|fix)|check (?:for )?typos?
        """,
    ),
    Pattern(
        "change",
        "not X but Y",
        r"""
            (?:it's|its|it is|is|are|was|were|should be|that's|i'm|we're|use|take|make it|put|has|have|by
            |on|in|at|to|for|from|with|the|a|an|want|need|wanted|needed|meant|call it|called|named|must be
            |has to be|needs to be|say|write
            |[a-z0-9]+) (?:[a-z0-9.'%-]+ ){0,6}[a-z0-9.'%-]+,? (?:and |but |- )?not (?:the |a |an |in |on |a
            t |by |for |from |with |to |my |our |as |just |about )?[a-z0-9]+
            |not (?:[a-z0-9.'%-]+ ){1,6}(?:but|rather) (?:[a-z0-9.'%-]+)|[a-z0-9]+, not [a-z0-9]+|(?:isn't
            |aren't|wasn't|is not|are not|was not) [^.,;!?\n]{2,40} but [a-z0-9]+|(?:isn't|aren't|wasn't
            |is not|are not|was not) [^.,;!?\n]{2,40}, (?:only |just )?(?:the |a |my |our )?[a-z]+(?: (?:is
            |are|was|were){end})?|(?:isn't|aren't|wasn't|'m not|'s not|is not|are not|am not
            |was not) [^.,;!?\n]{2,40}[,;:-]+ ?(?:but )?(?:he's|she's|it's|they're|i'm|that's|it was|it is
            |we're) [a-z0-9]+|(?:don't|doesn't|didn't) (?:live|work|have|need|use|want|mean|drive|own|study
            |speak|run|play|eat|sell|teach|write|read|take|travel|fly
            |go) [^.,;!?\n]{2,40}[,;:-]+ ?(?:but )?(?:i|we|he|she|they|it) (?:live|work|have|need|use|want
            |mean|drive|own|study|speak|run|play|eat|sell|teach|write|read|take|travel|fly|go)s?
            |not [a-z0-9.'% -]{2,30}[,;:-] ?(?:but |it's |they're |he's |she's |use |the |a )?[a-z0-9.'%-]+
            |[a-z0-9]+ (?:instead|rather) ?(?:[.!,;)]|$|please|then|now|of|than)|(?:instead of|rather than
            |in place of|as opposed to|no longer|not anymore|any ?more) [a-z0-9]+
        """,
        unless=r"""
            (?:if|whether|or|why|certainly|i'm|am|is|it's|that's|was|are|maybe|perhaps|of course|probably
            |surely) not(?: (?:sure|that|so|very|really|too|quite|bad|yet|clear|possible|necessarily
            |the (?:only|case|point|end|same|best)|a (?:problem|big|fan|lot)|an (?:option|issue)|allowed
            |working|only|even|much|great|good|ideal|enough|interested|happy|familiar|new|easy|hard|just
            |going|here|there))|(?:do|does|did|can|could|should|would|will|may|must|has|have|had|shall
            |might) (?:[a-z]+ )?not|not only|not sure|not that|(?:or|why|if|of course|certainly
            |hopefully) not|not (?:so|too|very|really|at all|yet|to mention|even|much|bad|long ago|only
            |sure|just yet|work|works|working|a cent|a (?:penny|word|single)|one|more|less|longer|later
            |earlier|over|above|[0-9]+ (?:more|less))\b|(?:rather|instead) (?:good|nice|big|late|well|long
            |than|of) [^.!?\n]*[?]|than not|and not (?:have|be|get|do|to|too|so)
        """,
    ),
    Pattern(
        "modifies",
        "make it",
        r"""
            (?:make|change|turn|raise|lower|increase|reduce|extend|cut|bump|drop|shift|push|move|switch|set
            |swap|rename|bring|shorten|lengthen|double|halve|postpone|put|use|go with
            |take) (?:[a-z]+ ){0,4}(?:that|it|this|to|by|into|from|with|instead|at)(?: (?:to|be|at|a|an
            |the))? [a-z0-9]+[^.!?\n]*|(?:is|are|has|have|been|was|were|got|gets|'s|'ve|have been|has been
            |will be|be) (?:now |just |been |all )*(?:moved|changed|switched|postponed|shifted|rescheduled
            |raised|lowered|increased|reduced|extended|cut|updated|renamed|replaced|cancel+ed|upgraded
            |downgraded|doubled|halved|brought forward|pushed back)|(?:is|are|it's|they're|we're|i'm
            |there's|there are|have|has) now [a-z0-9]+|(?:now|meanwhile|since then|as of (?:today|now
            |this week)) [^.!?\n]{0,50}(?:is|are|it's|has|have|use|must|can|will) [a-z0-9]+|(?:now
            |instead){end}|we (?:now|have now|just) (?:use|have|moved|switched|decided|agreed|changed
            |settled|need|deploy|run|are)|(?:is|are) (?:also |even |now )?(?:ok|okay|fine|alright)(?: too
            | as well)?{end}|[a-z]+ (?:is|are|got) (?:ok|okay|fine|allowed) (?:now|after|before|too|again)
        """,
    ),
    Pattern(
        "moved",
        "has changed",
        r"""
            (?:is|are|was|were|has been|have been|got|gets|'s been
            |will be) (?:now |just |been |also )*(?:moved|changed|postponed|shifted|rescheduled|renamed
            |brought forward|pushed back|delayed|replaced|extended|cut) (?:to|from|by|until|with)|(?:has
            |have) (?:now |just |been )*changed|(?:they|he|she|we|management|boss
            |client) (?:just |have |has |'ve )?(?:moved|changed|postponed|pushed|shifted|switched
            |renamed) (?:it|them|that|this|the [a-z]+) (?:to|from|by)|the new (?:one|date|time|address
            |number|name|plan|deadline) is|[a-z]+ (?:is|are) [^.!?\n]{1,40} now{end}
        """,
        unless=r"""
            (?:it|that|this|everything|i|we|all) (?:is|are) [^.!?\n]{1,40} now{end}|(?:good|fine|ok|okay
            |clear|done|ready|better|gone|working|fixed) now{end}
        """,
    ),
    Pattern(
        "objects",
        "should be",
        r"""
            (?:should|ought to|supposed to|meant to) (?:be|say|read|have been|have|use|go|start|end
            |come) [^.!?\n]+|(?:twelve|two|three|four|five|six|ten|[0-9]+|[a-z]+)\?+ ?(?:no|it|that|there
            |they|we|i|he|she)(?:'s|'re| was| were| is| are| had| said) [a-z0-9]+|i (?:asked|said|wrote
            |wanted|told) [^.!?\n]{2,}|you (?:merged|forgot|missed|dropped|ignored|mixed up|swapped
            |left out|skipped|misread|counted|put|wrote|used|changed|turned) [^.!?\n]{2,}
        """,
        unless=r"""
            (?:what|which|how|who|where|when|why|it|that|this|there|should|could
            |would) (?:it |i |we |they |that )?(?:should|ought|supposed)|should be (?:ok|okay|fine|enough
            |good|possible|easy|able|here|there|nice|done|ready|fun)|can you [^.!?\n]*|you (?:used to
            |put (?:it|that) (?:well|nicely)|changed my)
        """,
    ),
)
