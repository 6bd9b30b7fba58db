"""English: what takes a rule away, and what says that an error is solved."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"""
            (?:forget|ignore|drop|scrap|disregard|skip|lift|remove|cancel|discard|scratch|ditch|lose|relax
            |waive|never ?mind|no need (?:for|to (?:keep|stick|stay|follow|respect|avoid
            |worry about))) (?:about |what i said about |my |the |that |this |those |these |all |any |our |y
            our |everything about |of |it )+[^.!?\n]{2,}|(?:you|we|i|it|they|he|she|everyone|people)(?:'re
            | are| is|'s)? (?:may|can|could|are allowed to|is allowed to|allowed to|free to|are free to
            |welcome to)(?: now| again| also)? [^.!?\n]{2,}(?: now| again| after all| if you (?:like|want)
            | freely)|(?:you|we|i|it|they|he|she|everyone)(?:'re| are| is|'s)? now (?:may|can|could
            |allowed to|free to) [^.!?\n]{2,}|(?:you|we|i|they|it|he|she) (?:may|can) (?:now
            |again) [^.!?\n]{2,}|now (?:you|we|i|they) (?:may|can) [^.!?\n]{2,}|(?:no longer|not|doesn't
            |don't|isn't|aren't|need not|needn't|won't) (?:\w+ )?(?:appl(?:y|ies)|holds?|needed|necessary
            |required|valid|relevant|matters?|a (?:must|requirement|problem|constraint|limit|concern|rule
            |condition|thing|restriction)|in force|restricted|limited|count|counts|binding|mandatory
            |have to|has to|need to|must|bound|important|forbidden|banned|off.limits|allergic
            |pregnant)(?: any ?more| any longer| now)?|(?:no longer|not) (?:[a-z]+ ){0,3}any ?more|(?:is
            |are|was|were|'s|has been|have been|got) (?:now |just |finally |officially |all )*(?:lifted
            |dropped|waived|scrapped|gone|off|cancel+ed|removed|relaxed|over|history|obsolete|void
            |abolished|moot|outdated|fine now|ok now|okay now|allowed now|allowed again|possible again
            |fine again|ok again|okay again|fine after all|ok after all|okay after all|allowed|permitted
            |back on the table)|(?:is|are|'s|would be
            |'re) (?:totally |perfectly |absolutely |completely |now )*(?:fine|ok|okay|allowed|permitted
            |possible|welcome|alright|no problem|good|in) (?:now|again|after all|from now on|too now)
            |(?:now|again) (?:fine|ok|okay|allowed|permitted)|(?:the |that |this |my )?(?:rule|limit
            |restriction|constraint|ban|cap|condition|requirement|deadline|budget|embargo
            |freeze)[^.!?\n]{0,40}(?:is|was|has been) (?:gone|lifted|over|off|dropped|history|no more
            |cancel+ed)|there(?:'s| is) no (?:limit|restriction|budget|deadline|cap
            |rule)[^.!?\n]*(?:any ?more|now|any longer)|no more [a-z]+ (?:limit|restriction|rule)s?
            |(?:without|lift) (?:the|that|any) (?:limit|restriction|rule)s?|feel free to [^.!?\n]+ (?:now
            |again|after all)|go ahead and [^.!?\n]+ (?:now|again|after all)|as (?:long|short|many
            |much) as you (?:like|want)
        """,
        unless=r"""
            don't (?:forget|ignore|drop|skip)|(?:never|not) (?:forget|ignore|drop|skip|remove)|must(?:n't
            | not| never) [^.!?\n]*|(?:doesn't|does not|don't|do not) matter (?:if|whether|how|which|what)
            |can you [^.!?\n]*|(?:how|what|why|if|when|whether) [^.!?,\n]*|(?:skip|drop|remove) (?:it|this
            |that) (?:this time|for now|today)|it's (?:over|off|gone)|error is gone|(?:problem|error|issue
            |bug|warning|noise|leak|message|that one) (?:is |'s )?gone
        """,
    ),
    Pattern(
        "permits",
        "is fine",
        r"""
            (?:is|are|'s|'re|was|were|got|would be
            |will be) (?:now |again |also |all |totally |perfectly |absolutely |back |just |actually |finall
            y |even )*(?:ok|okay|fine|allowed|approved|welcome|possible|permitted|acceptable|alright
            |no problem|no issue|no longer a problem|fair game|back|public|in again|on again|available
            |unlimited|open|available again)\b|(?:works?|fits?|goes|fine|ok|okay|good|possible|allowed
            |welcome) (?:too|as well|now|again|after all|for (?:me|us) (?:too|now))|no problem (?:now
            |after all|any ?more|at all)|feel free to|go (?:wild|nuts|crazy)|no object|no limits? (?:now
            |any ?more)|changed (?:their|her|his|my|our) minds?|(?:ended|is over|was lifted|is lifted
            |has been lifted|expired|was dropped|is dropped)|(?:signed off|gave (?:us|me) (?:the )?(?:ok
            |okay|permission|green light|go)|got (?:the )?(?:ok|okay|permission|approval|green light))
            |(?:can|may|could) (?:also |now |even |again |actually )*(?:go|be|use|have|take|include|mention
            |do|add|eat|drink|come|stay|run|write|say|put|go up|name|sit|work|play)|(?:isn't|aren't|is not
            |are not|not) (?:needed|necessary|required|important|relevant)|no need (?:for|to)
        """,
        unless=r"""
            (?:isn't|aren't|wasn't|not|never|no longer|hardly|only|if|whether|when|until|unless|once|before
            |so that|nobody|no one|nothing|neither) (?:[a-z]+ ){0,3}(?:ok|okay|fine|allowed|approved
            |welcome|possible|permitted|acceptable|back|available|can|may|could)\b|(?:can|may|could) (?:not
            |never|only|at most|nobody)|(?:can|could|may|would) (?:you|we|i) [^.!?\n]*[?]|(?:you|it|we
            |i) (?:can|could) (?:be|say|see|imagine|tell)
        """,
    ),
    Pattern(
        "resolved",
        "works now",
        """
            (?:it |that |this |now |all |everything |build |deploy |the [a-z]+ |they |which )?(?:now )?(?:wo
            rks?|runs?|worked|builds?|starts?|passes|loads?|boots?|compiles?|connects?|charges|prints?
            |deploys?|is (?:up|running|working|back|fine|alive)|responds?|goes through|went through
            |sync(?:s|ed)|heats?|installs?|installed|imports?) (?:[a-z]+ )?(?:now|again|fine|perfectly
            |smoothly|like a charm|as expected|without (?:errors?|problems?|issues?|a hitch|complaints?)
            |through|well|great|ok|okay|properly|correctly|cleanly|normally|at last|finally)|(?:that|this
            |it|which|yes|yep|great|perfect|thanks|yeah|ok
            |you)[,!. ]+(?:that |this |it |has |really |just |totally )*(?:worked|did it|did the (?:trick
            |job)|fixed (?:it|that|everything|this|the)|solved (?:it|that|the|this|everything)|was it
            |helped|nailed it|got it (?:working|running)|were right|was the (?:problem|issue|cause|culprit
            |reason)|cured it)|(?:works|worked|fixed|solved|running|sorted|passes|builds|compiles
            |boots){end}|we're good|(?:all|now|is|are|everything|ci|build|tests?|pipeline) green
            |green (?:now|again)|[a-z0-9]+ (?:is|are|'s) gone|(?:is|was|got|are|it's|that's|'s|all|been|now
            |finally) (?:now |all |finally |been |already )*(?:fixed|solved|resolved|sorted|working|running
            |back up|up again|back online|green|done with|healthy|passing|up and running)(?: now| again)?
            |(?:fixed|solved|resolved|sorted)(?: it)?[!,. ]|(?:fixed|solved|resolved|sorted)(?: it)?$
            |(?:i |we )(?:just |finally |now )?(?:fixed|solved|resolved|got rid of|found) (?:it|that|this
            |the (?:bug|error|problem|issue|culprit|cause|leak|fault))|(?:no
            |without) (?:more |further )?(?:errors?|crash(?:es)?|warnings?|complaints?
            |problems?)(?: any ?more| now| since| so far| this time)|(?:it|that|this)(?:'s
            | is) gone(?: now)?|went (?:through|smoothly|well|fine)|did the (?:job|trick)
            |no more (?:[a-z]+ing|errors?|crash(?:es)?|warnings?|noise|smoke|leaks?|problems?|issues?
            |drops?)|no [a-z0-9]+ (?:since|in (?:[0-9]+|the last)|any ?more)|like (?:new|a charm)
            |it's (?:there|alive|up|green|clean|dry|all there)|[a-z]+(?:'s| is| are) (?:back|back up
            |there again|up again)|found it|can [a-z ]{2,30} again|starts? right up|[a-z]+ (?:rows|results
            |data|pictures?|values) (?:now|again)|[a-z]+s (?:fine |ok |okay |rows |up |in )?(?:again|now)
            |wow{end}|phew|yay|hooray|hurray|woohoo|hallelujah|(?:it|that|this) (?:doubled|worked|helped)
            |[a-z]+ (?:worked|helped|solved it|sorted it)|now it (?:only )?takes|(?:takes|loads in
            |runs in) [0-9.]+ ?(?:ms|s|sec|seconds|minutes?)|(?:'s|is|are|all) (?:fine|ok|okay|good|back
            |alive) now|it's back|(?:i'm|we're) (?:in|back in|in again|online|connected|back)|(?:error
            |problem|issue|exception|crash|message|leak|noise|warning|bug|that one)(?:'s| is| are| has
            |s are|s have)? (?:now )?(?:gone|disappeared|vanished|fixed|solved|resolved|history|away)
            |tests? (?:pass|are green|all pass|pass now)|all (?:green|good now|tests? pass|working
            |fine now)|(?:build|ci|pipeline|tests?|deployment|everything)(?:'s| is| are)? (?:all )?(?:green
            |passing|through|up)|deployed|(?:done|ok|okay|yes)[,.! ]+(?:pushed|installed|published|merged
            |updated)|back to normal|up again|online again|problem solved|case closed
            |that's (?:it )?(?:fixed|solved)|(?:is |are |'s |'re )?(?:charging|printing|working|running
            |building|compiling|starting|connecting|loading|responding|heating|cooling|syncing|booting
            |humming|spinning|flowing) (?:again|now|fine|nicely)|(?:runs|works|boots|starts|prints|builds
            |drains|flushes) (?:through|again|now|like new)|no longer (?:crashes|fails|hangs|happens|leaks
            |blinks|complains|stops|freezes|drips|shows|appears|beeps|errors|throws|occurs)|(?:doesn't
            |does not|don't|hasn't|stopped) (?:crash|fail|hang|happen|leak|blink|freeze|crashing|failing
            |hanging|leaking|blinking|complaining|freezing|beeping|dripping|throwing|happened)(?: any ?more
            | again| since| now)?
        """,
        unless=r"""
            (?:job|jobs|menu|file|files|data|power|steering|sound|picture|image|signal|internet|wifi
            |container|containers|button|tab|folder|money|session|work|everything|all|changes|pages?|key
            |tables?|rows|emails?|photos?|backup|connection|network|heat|water|time|brakes?)(?: is| are
            |'s) (?:now |all |just |simply |completely )?gone|(?:doesn't|does not|don't|didn't|did not
            |isn't|is not|not|won't|never|nothing|hardly|still no|no longer|wasn't|aren't|haven't|hasn't
            |until|once|when|if|after|before|how|why|make it|so that|should|can|could|would|will|needs to
            |has to|must|to) (?:\w+ ){0,3}(?:works?|runs?|worked|fixed|solved|resolved|starts?|builds?
            |working|running|helped|passes|gone|loads?|connect[a-z]*|compiles?|boots?|deployed|help)
            |(?:it |that |everything )?(?:works?|worked|runs?|builds?|passes
            |starts?) (?:fine |well |ok |perfectly )?(?:locally|on my (?:machine|laptop|mac)|in (?:dev
            |staging|chrome|debug|the (?:browser|ide|simulator|emulator))|before|until|yesterday|last week
            |with (?:the )?old|for (?:everyone|others|my))|(?:works?|worked|runs?|ran|running
            |up) (?:again |fine |well |ok )?(?:until|before|yesterday|last|for (?:a|ten|[0-9]+|one|two|an
            |years|months|weeks)|but)|(?:almost|nearly|partly|half) (?:fixed|solved|works|working)
            |but (?:[a-z]+ ){0,3}(?:still|same)|(?:is|are) (?:it|this|that|they) (?:fixed|solved|working)
            |used to work|fixed (?:width|price|size|rate|costs?|point|length|term|number|seed|at|on|amount
            |deadline|position|header)|(?:is|are|be) deployed (?:on|to|in|with|by|via|as|every)
            |deployed (?:on|to|with|via|as|every)|how [^.!?\n]{1,30} works?|what worked|nothing worked
            |(?:no|nope)[,. ]+(?:didn't|not) [a-z]+
        """,
    ),
)
