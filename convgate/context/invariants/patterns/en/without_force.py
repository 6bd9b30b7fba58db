"""English: what holds once, is supposed, wished or told of; and what says a thing again."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

WITHOUT_FORCE = (
    Pattern(
        "once",
        "this time",
        """
            this (?:one )?time|just (?:this|that) once|(?:only )?(?:this|just) once
            |for (?:right )?now|for the (?:moment|time being)|(?:just|only) (?:for )?(?:now|today
            |tonight|this (?:one|time|week|morning|evening|afternoon))
            |for (?:just )?this one(?: time)?|today only|for today|for tonight|tonight only
            |for (?:just )?this [a-z]+ only|only for this [a-z]+|for (?:just )?this (?:once|run
            |commit|reply|answer|message|email|mail|paragraph|version only|occasion|call|question
            |example)|for once|as a one.?off|one.?off|exceptionally|as an exception
            |in this (?:one )?(?:case|instance)(?: only)?|this particular (?:one|time|case)|not yet
            |don't [a-z]+ (?:[a-z]+ ){0,4}yet|temporar(?:y|ily)|until (?:i'm back|lunch|tomorrow)
            |right now|just here|in this one|on this one|with this one|the first one only
            |this week only|this once|for this (?:first |quick )?(?:demo|draft|test|try|round|step
            |part|line)(?: only)?
        """,
        unless="""
            (?:not|isn't|never) (?:just|only) (?:this|for|now|today)|(?:him|her|them|it|me|us|asked
            |called|checked
            |heard|noticed|saw|looked|again) just now|(?:for this and|today and
            |now and) (?:all|the|every|later|onwards|always|in)|this one (?:and|is)
            |from (?:right )?now|for (?:right )?now on|starting right now|this time (?:n?or|and) [a-z]+
        """,
    ),
    Pattern(
        "supposed",
        "what if",
        r"""
            (?:(?:it |that |this )?(?:would|'d) be (?:great|nice|cool|good|lovely|perfect|ideal|amazing
            |fantastic|helpful) (?:if|to|when)|what if|suppose|supposing|imagine|hypothetically
            |in theory|theoretically|let's (?:say (?:we|i|you|that|there|the|it|he|she|they|all|every
            |nobody)|assume|pretend|imagine)|say (?:we|i|you|that|the)|assume|assuming|pretend
            |just thinking|if (?:we|i|it|they|you|there|one) (?:had to|were to|could|were|ever had|ever
            |would|couldn't|wanted|did)|if i were|if it were|what would|would it|wouldn't it
            |as a thought experiment|thought experiment|in an ideal world|ideally|maybe|perhaps
            |i wonder|(?:i'm |i was |just )*wondering|i'm (?:just )?(?:thinking|wondering|not sure
            |curious)|not sure (?:if|whether)|if [a-z ]{2,30} could (?:never|not|only|ever)) [^.!?\n]+
        """,
        unless=r"""
            if (?:i|we|you) ever (?:see|catch|find|hear) [^.!?\n]*|assume (?:nothing|no
            |that (?:the )?(?:reader|user)|the (?:reader|user|worst))|imagine (?:that|how)|(?:when
            |where|what|which|how|why) (?:you|we|i|the|it|they|a|an|someone|anyone|writing|answering
            |in doubt|giving)[^.!?\n]{0,80}(?:must|never|always|only|has to|have to|may not|not allowed
            |don't|no )|(?:whatever|whenever|wherever)|(?:can|could|would) you (?:please
             |also )?(?:make sure|always|never|only|ensure|keep|stick)[^.!?\n]*|what (?:matters|i need
            |counts|must|has to|is (?:important|essential|not))|when(?:ever)? (?:you|in|we) [^.!?\n]*
            |if (?:you|it|we|they) (?:ever|did|could) [^.!?\n]*(?:must|never|always)|how(?:ever|: )
        """,
        opens_clause=True,
    ),
    Pattern(
        "wished",
        "I'd like",
        r"""
            (?:i'd|i would|we'd|we would|she'd|he'd|they'd) (?:\w+ )?(?:prefer|like|love|rather
            |appreciate|be (?:happy|glad|nice))|i (?:\w+ )?(?:prefer|like|love|enjoy|hope|wish|want)
            |if (?:at all )?possible|if you can|if you could|preferably|ideally|would be (?:nice|great
            |good|cool|lovely|helpful|ideal|best|perfect)|nice to have|wherever possible|where possible
            |if you can help it|when possible|as far as possible|optional|a bonus|no (?:strong
            |hard) (?:preference|feelings)|i'm (?:not )?a fan|favou?rite|would be a plus|a plus
            |if it (?:fits|works|isn't too)|not (?:that )?important|wouldn't mind|might be nice
            |could be nice|if it's not too much
        """,
    ),
    Pattern(
        "optional",
        "if you like",
        """
            if you (?:feel like it|like|want(?: to)?|fancy (?:it)?|have time|prefer)|(?:sure|fine|why not
            |go ahead|up to you|your call|no objections?|not required|not needed){end}|up to you|your call
            |fine by me|nice to have|optional(?:ly)?
        """,
        unless="(?:make|be|for|not) sure",
    ),
    Pattern(
        "told of",
        "he always",
        r"""
            (?:(?:my|a|an|his|her|the|some) (?:old |former |best |friendly )?(?:uncle|aunt|friend
            |friends|colleague|colleagues|neighbou?r|neighbou?rs|mother|father|mum|mom|dad|brother
            |sister|grandm[a-z]+|grandf[a-z]+|grandpa|cousin|trainer|coach|teacher|professor|guy
            |article|book|blog|blogger|post|tutorial|film|movie|author|guide|influencer|magazine|ex
            |roommate|buddy|granny|in-laws|people|video|youtuber|docs|documentation|manual)|people|some
            |somebody|someone|they|everyone|he|she|others|many) (?:always |once |often |usually |just
             |also |never |had |has |have )*(?:says?|said|told (?:me|us)|claims?|claimed|thinks?
            |swears?|recommends?|insists?|wrote|states?|suggests?|believes?|tells? (?:me|us|everyone)
            |used to say|keeps? (?:saying|telling me)) [^.!?\n]+|(?:i read|i heard|i've (?:read|heard)
            |some say|apparently|according to|in the (?:book|film|movie|article|story|novel)) [^.!?\n]+
            |[a-z]+ (?:says?|said|reads?|states?|wrote|goes)[:,]? x{4,}[^.!?\n]*|(?:he|she|my [a-z]+
            |our [a-z]+|his [a-z]+|her [a-z]+|the [a-z]+|they|people|everyone|everybody|nobody|someone
            |it|that|this|i|kids|users) (?:once |had |has |have |'s |'ve )?(?:always|never|often
            |usually|sometimes|once|hardly ever|rarely) (?:[a-z]+s|[a-z]+ed|has|had|was|is|got|came
            |went|said|told|be|been|know|knew|see|saw|get|want|wants|like|likes|drove|burns|forget
            |forgets|did|took|made|felt|do|ask|asks|have|had|go|goes|say|thought|understood|tried|heard
            |think|love|loved|complains?|eat|eats|use|used|end|ends|work|worked|run|ran)
        """,
        unless=r"""
            (?:phone|display|screen|printer|app|console|terminal|logs?|page|browser|message|git
            |server|machine|dashboard|it|car|tv|router|compiler|laptop|software|site|website|popup
            |window|dialog) (?:just |only |now |always )?(?:says?|said|reads?|states?
            |shows?)[^.!?\n]*
        """,
    ),
    Pattern(
        "past",
        "last year",
        r"""
            (?:used to|back then|in those days|when i was|years ago|last (?:year|month|week|time
            |summer|winter)|remember (?:in|when|last)|once had|we also had|we had) [^.!?\n]+
        """,
    ),
    Pattern(
        "same",
        "still",
        """
            still|same (?:thing|error|message|problem|result|story|issue|crash|again|as before)
            |no (?:luck|difference|change|success)|nope|didn't (?:help|work|change)|again
        """,
    ),
    Pattern(
        "again",
        "I said",
        """
            (?:i|we) (?:just |already |clearly |explicitly |specifically |did |repeatedly )?(?:said
            |told you|asked|wrote|mentioned|specified|say|repeat)|as (?:i )?(?:said|told|mentioned
            |agreed|before|stated|asked|written above)|like i said|again[,:]|once again|once more
            |remember|reminder|don't forget|i repeat|still (?:holds|applies|valid|counts)|to repeat
            |(?:same|the) rules? (?:as (?:before|above)|still)
        """,
    ),
    Pattern(
        "adds",
        "also",
        """
            also|as well|too|additionally|in addition|besides|on top of that|plus|furthermore
            |moreover|another (?:rule|thing|constraint|requirement|condition)|one more (?:rule|thing
            |constraint|requirement|condition)|and one more
        """,
        unless="""
            too (?:much|many|long|short|big|small|late|early|expensive|cheap|hard|easy|[a-z]+)
            |as well as
        """,
    ),
)
