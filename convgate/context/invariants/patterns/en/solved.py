"""English: that it works again, in other words than that it does."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SOLVED = (
    Pattern(
        "resolved",
        "all well",
        r"""
            (?:is|are|'s|'re|was|were|all) (?:now |finally |officially |totally |all |ancient )*(?:history
            |a thing of the past|behind (?:me|us)|ancient history|no more)|(?:works?|working|worked|runs?
            |running|boots?|starts?|prints?|loads?|goes|going|flies|scrolls?|opens?) (?:a treat|a dream
            |like (?:a (?:charm|dream|treat|bomb)|clockwork|magic|new|silk|butter|it should|day one
            |the first day|before|never before)|smooth as [a-z]+|as it should|as intended|beautifully
            |nicely|flawlessly|a charm|sweetly|without (?:a hitch|fuss|complaint))|(?:been|has been
            |have been|'s been|is|are|'re|'s|stays?|staying|remains?|stayed|holding
            |running) (?:rock |totally |nice and |perfectly |up and )?(?:solid|stable|steady|quiet|happy|up
            |logged in|connected|online|green|warm|cool|dry|lit|on) (?:for|since|now|again|ever since
            |all (?:day|night|morning)|the whole|in |at last)[^.!?\n]*|(?:stays?|stayed
            |remains?) (?:logged in|connected|on|up|lit|online|open|dry|warm|cold|green|put)(?: now
            | again)?{end}|solid (?:for|since)[^.!?\n]*|(?:we're|i'm|it's|we are|i am|it is|they're|she's
            |he's) (?:back|back (?:online|up|in business|in|on track|on)|in business|up and running
            |good to go|good again|alive(?: again)?|purring|flying|humming|cooking|rolling|sorted|unblocked
            |unstuck|out of the woods|good now|all set now|over (?:it|that))\b|(?:back|up) (?:in business
            |online|in action|on (?:its|my|our) feet|from the dead|on track)|(?:it's|it is|she's|they're
            |everything's|everything is|that's) (?:printing|booting|running|working|compiling|loading
            |charging|heating|connecting|syncing|deploying|building|responding|through|passing)(?: now
            | again| nicely| fine)?{end}|(?:everything|everything's|it's|all|all's|it|that's|she's
            |things)(?: is| are| looks| runs)? (?:fine|good|okay|ok|well|normal) again|(?:normal|stable
            |quiet|warm) again|nailed it|lift.?off|purrs?(?: like)?|(?:seems?|appears?
            |looks?) (?:to be |to have |like it's )?(?:working|worked|fine|ok|okay|good|happy|solved|fixed
            |fixed itself|stable|gone|resolved|running)(?: now| again|{end})|behaves? (?:now|itself|again)
            |behaving(?: now| itself| again)|(?:comes?|came|coming|turns? out
            |went) (?:out |up |through |back )+(?:fine|ok|okay|clean|cleanly|perfectly|well|nicely|perfect
            |green|great|without|again|correctly|at last|properly|crisp|sharp)|(?:that|this|it|which
            |the [a-z ]{2,30}) (?:has |just |finally |totally |really |actually )*(?:cleared|sorted
            |unblocked|unstuck|cured|mended|repaired|healed|freed|unjammed|did) (?:it|that|me|us|everything
            |things|the [a-z]+|them)(?: out| up)?|(?:sorted|cleared|unblocked|cured|mended|patched)(?: it
            | that| now| at last| out)?{end}|(?:got|have got|get) (?:it|that|this|them|everything
            |me) (?:going|running|working|started|up|back|sorted|fixed|to (?:work|run|boot|start|compile
            |print|connect))(?: again| now)?|made (?:it|that|the [a-z]+) (?:work|go|run|boot|start|compile)
            |it lives|(?:it's|and it's|she's) alive|(?:hasn't|haven't|has not|didn't
            |did not) (?:[a-z]+ )?(?:crashed|dropped|failed|hung|frozen|died|complained|happened|tripped
            |leaked|restarted|logged me out|come back|errored|gone (?:off|down|out)) (?:since|once|again
            |any ?more|all|for|so far|today|yet|at all)|not (?:a single|one) (?:error|crash|warning|failure
            |drop|complaint|hiccup|timeout|problem|leak)[^.!?\n]*|(?:no|zero) (?:errors?|crash(?:es)?
            |drops?|timeouts?|warnings?|hiccups?|complaints?|failures?|leaks?|alarms?|issues?)(?: this time
            | now| any ?more| since| so far| at all| today|{end})|(?:accepts?|takes|recogni[sz]es|finds
            |sees|reads|talks? to|reaches|connects? to|lets me|lets us) [^.!?,\n]{1,30} (?:now|again
            |at last|fine|just fine)|(?:now|at last|finally) (?:accepts?|takes|recogni[sz]es|finds|sees
            |reads|talks? to|reaches|connects?|lets (?:me|us)|boots?|starts?|prints?|loads?|compiles?
            |builds?|passes|works?|runs?|opens?|heats?|cools?|spins?|drains?|flushes|rises|rings?
            |responds?)\b|(?:app|service|client|server|backend|frontend|site|page) (?:now )?(?:talks? to
            |reaches|finds|sees|answers|is reachable|responds)[^.!?\n]*|(?:containers?|pods?|servers?
            |services?|sites?|engines?|lights?|heating|pages?|tests?|builds?|everything|all|it|both|they
            |machine|app|laptop|phone|motor|cluster|replicas?|queue|sound|picture|image|wifi|internet|power
            |signal|water|steering|pilot|jobs?) (?:all |both |now |finally |just )*(?:(?:come|came|comes
            |went|are|is|'s|'re) (?:back up|up|back on|back|alive|lit|through|healthy|running|on again)
            |(?:drains?|flows?|fires?|lights?) (?:again|now|fine)|starts? first time|turns over|caught
            |kicked in|starts? up)\b|(?:next|another|new|different|second|other) (?:one|error|problem
            |hurdle|issue|bug|message|failure|up|stop|complaint|snag|trouble)(?: is| now)?[:,.-]
            |now (?:it's|its|it is|i get|i've got|it says|it complains|there's) (?:a |an )?(?:new|different
            |another|x{4,}|\"|the next)|(?:churning|printing|chugging|ticking|humming|whirring|purring
            |spinning|running|going) (?:out|along|away|over|nicely|happily|again)\b[^.!?\n]*|(?:that
            |this) (?:was|is) (?:the )?(?:fix|solution|answer|culprit|trick|ticket|one|key
            |missing piece){end}|(?:did|does|done) the (?:trick|job)|(?:problem|mystery|crisis|disaster
            |panic) (?:solved|over|averted|gone|sorted)|(?:crisis|panic|drama|outage
            |incident) (?:is )?(?:over|averted|resolved|closed)|all (?:clear|well|fine|sorted|good|quiet
            |back)(?: now| again| here)?{end}|alert (?:is )?(?:cleared|gone|closed)|(?:sound|picture|image
            |power|internet|wifi|signal|connection|network|heating|hot water|water|light|audio|video|screen
            |steering)(?:'s| is| are) (?:back|on|up|there|fine|good|stable|restored)(?: again| now|,| too
            |{end})|(?:restored|unbricked|unlocked|unclogged|unjammed|thawed|reconnected) (?:it|and|now
            |fine)|(?:i|we) can (?:[a-z]+ ){1,4}(?:again|now|at last|once more)|(?:fixed|solved|cured
            |healed|repaired|resolved) itself|(?:pass(?:es|ing)?|green|compiles?|builds?
            |deployed) (?:cleanly|again|at last|locally and|first time|everywhere|across the board)
            |all (?:the )?tests (?:are )?(?:pass[a-z]*|green)|right as rain|good as new|never better
            |peace at last|finally (?:works?|working|running|some|boots|in|through|got in|done)
        """,
        unless=r"""
            (?:doesn't|does not|don't|didn't|isn't|is not|not|won't|never|hardly|no longer|wasn't|aren't
            |until|once|when|if|after|before|how|why|make it|so that|should|can't|could|would|will|needs to
            |has to|have to|must|may|to (?:get|make|have|see|be able)|want it to|as long as|unless|whether
            |only when|is it|are we|hope|hopefully|want|ensure) (?:[a-z']+ ){0,4}(?:works?|runs?|solid
            |stable|stays?|connected|up|back|online|going|running|working|fixed|solved|resolved|sorted
            |cleared|behaves?|alive|fine|boots?|starts?|prints?|loads?|history|behind|purrs?|green|can
            |passes|accepts?)\b[^.!?\n]*|(?:good|okay|fine|up|back|online|works?|solid|running) (?:until
            |for (?:a|two|ten|one|[0-9]+) (?:seconds?|minutes?|moment)[,]? (?:then|and then|before
            |but))[^.!?\n]*|(?:in|on) (?:the )?history|history of|(?:next|another|other) (?:question|thing
            |topic)|i'm back (?:on|from|at|to)|(?:is|are) (?:up|on|back|warm|cool|quiet|steady|dry) (?:for
            |in) (?:sale|grabs|the (?:list|menu|table)|june|july|may)
        """,
    ),
)
