"""English: how much at most, told by a number and what it is: where somebody stops, all that there is."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CEILINGS = (
    Pattern(
        "obligation",
        "is where I stop",
        r"""
            {num}(?: [a-z'%-]+){0,6}?(?: is| are|'s|'re| remains?| stays?) (?:(?:absolutely|really|also
            |now|about|just|still|already|simply|quite|currently) )*(?:(?:the|my|our|her|his|its|their
            |a|an) (?:(?:absolute|new|hard|upper|outer|very|outside|strict|firm|daily|weekly|monthly
            |total|official|legal) )*(?:max|maximum|limit|cap|ceiling|roof|line|top|most|bound
            |threshold|extent|end of it|budget|deadline|cut.?off|minimum|floor|least|strongest|highest
            |longest|biggest|rule|lot)|where (?:i|we|it|he|she|they|the|my|our) (?:[a-z]+ )?(?:stops?
            |draws?|ends?|walks?|cuts?|gets? off|bails?|quits?)|as (?:much|far|high|long|many|late|low
            |big|early|deep|good) as [a-z']+|all (?:i|we|the|it|they|that|there|you|she|he|my|our)
            |what (?:i|we|they|it|he|she|the|my|our|each|fits|you)[a-z' ]{0,40}(?:authori[sz]ed|allowed
            |held|fits?|got|have|can|may|pay|afford|budget|manage|carry|take|takes|allows?|agreed
            |approved|works? with|signed|limited)|what fits|(?:plenty|enough) for (?:us|me|him|her
            |them)|the lot|the end|max(?:ed)?|tops|when (?:we're|i'm|they're|it's|it all|the) (?:back
            |out|over|done|closed|ends|shut)|(?:the )?(?:furthest|latest|earliest|farthest) [a-z]+)
        """,
        unless=r"""
            {num}(?: [a-z'%-]+){0,6}? (?:is|are) (?:enough (?:for (?:now|today|me)|to|,? thanks|\?)
            |all (?:right|good|fine|gone|the same|it says|you|that happens))|(?:one
            |an?) (?:[a-z]+ ){0,5}(?:is|are|'s) (?:the|my|our|a) (?:[a-z]+ )?(?:top|rule|line|end|floor
            |lot|budget|highest|longest|biggest|strongest)\b|(?:one|an?) [^.!?\n]{1,30} is (?:all
            |enough|plenty|what)\b|is (?:that|it|this) (?:all|enough)|(?:good|great|fair|close) enough
            |is all (?:it|i|we|they|he|she) (?:took|takes|did|said|wrote|know|remember|ask)
        """,
    ),
    Pattern(
        "obligation",
        "caps us at",
        r"""
            (?:caps?|capped|limits?|limited|restricts?|restricted|confined|maxe?[sd]? out|tops? out
            |topped out|runs? out|held|holds) (?:us |me |him |her |them |it |you |each [a-z]+
             |every [a-z]+ |this |everyone |everybody )?(?:at|to|with|after) {num}|(?:you're|we're|i'm
            |he's|she's|they're|is|are|am) (?:limited|restricted|confined|bound|tied|chained) to (?:the
            |our|what|using|an?|my|one|two|this) [a-z]+|(?:chained|tied|bound|locked|pinned|wedded
            |committed|restricted|limited|confined|stuck) (?:to|on|in|at|with
            |into) (?:[a-z.+#]+ )?[0-9][0-9.]*|(?:allows?|permits?|grants?|gives?|lets?) (?:him|her|me
            |us|them|you|everyone|each [a-z]+|[a-z]+) (?:have |only |just |no more than
             |up to )*{num}(?: [a-z]+){1,6} (?:per|a|each|every) (?:day|week|month|night|hour|meal|year
            |session|head|person)|(?:ends?|closes?|shuts?|is over|are over|is off|finish(?:es)?
            |goes? off|is out) (?:at|after|by) (?:{num}|midnight|noon|dusk|dark|sunset)|(?:has|have
            |needs?) to (?:stop|end|land|finish|be (?:off|over|out|quiet|down)) (?:at|by|before|under
            |below) [a-z0-9]+|{num} [a-z]* ?(?:at the outside|at a push|at the very (?:most|least)
            |at most|tops|max|maxi|or (?:less|fewer|under|below|sooner|earlier|lower)|and (?:no
            |not) (?:further|more|higher|longer|later|a)|and not one|and that's (?:it|that|all)|if that
            |apiece)|(?:not|no) (?:one |a [a-z]+ |any )?(?:past|over|beyond|further|higher|deeper
            |above) (?:that|{num})|no (?:further|higher|lower|later|longer|faster|slower|deeper|earlier
            |sooner){end}|(?:goes|go|going) no (?:higher|further|lower|deeper|faster)|(?:won't|will not
            |can't|cannot|doesn't|isn't going to|not going to) (?:stretch|go|extend|reach|rise|climb
            |be pushed) (?:any |to |much )?(?:further|higher|beyond|past|more|over|above|that far)
            |(?:pay|spend|paid|spending|paying|offer|budget(?:ed)?|go|going) (?:up to|as high as
            |as far as|to a maximum of|no more than) [a-z0-9]+|(?:got|have|there's|there are|'ve|only
            |just) {num}(?: [a-z]+){0,4} (?:to (?:spend|work with|play with|go round)|and that's (?:it
            |all|the lot|that)|in total|all told|, that's (?:it|all|the lot)|full stop)
            |{num} [a-z]+ per [a-z]+ per [a-z]+|{num} (?:words?|characters?|chars?|lines?|sentences?
            |pages?|slides?|bullets?|items?|questions?) (?:apiece|each|a piece|per|a)\b|(?:multiples of
            |always between|strictly between) {num} (?:and|to) {num}|multiples of {num}
            |every {num} (?:days?|hours?|minutes?|weeks?|months?)[, ]+(?:without|no|not|never|always)
            |breaks? at {num}|swallows {num}|(?:don't|do not) (?:schedule|plan|book|add|give|order|make
            |write|buy|send) (?:a |me a )?(?:second|third|fourth|fifth|sixth|more|another)|a (?:second
            |third|fourth|fifth|sixth|seventh|eleventh|fourteenth) (?:[a-z]+ )?(?:is|would be) (?:out
            |off|too|one too many|not)
        """,
        unless=r"""
            (?:i'm|im|am|i got|we're|we got|got|is|was|get|gets) stuck (?:on|at|in
            |with) (?:[a-z]+ )?[0-9.]+|stuck (?:on|at|in) (?:step|question|exercise|level|page|part
            |line|chapter|task|problem|problems?|[0-9]+ ?%|q)[ 0-9.]*|(?:process|memory|it|battery|app
            |server|download|progress|upload|disk|cpu|thread|job|build|request|car
            |engine)[a-z]* (?:runs? out|maxe?s? out|tops? out|shuts?|closes?|ends?) (?:at|after
            |with) [a-z0-9]+|(?:school|work|shift|lesson|class|it|course|film|movie|game|match|semester
            |flight|shop|store|train|concert) (?:ends?|closes?|is over|finish(?:es)?) (?:at|by
            |after) [a-z0-9]+|(?:have|has|got) {num} [a-z]+ in total|can't (?:go|be) (?:more wrong
            |beyond words)|(?:born|lived|died|aged) [^.!?\n]{0,20}between|(?:is|was|are|choose|pick
            |number|torn|difference|gap|distance|somewhere) between {num} and|limited to (?:that|this)
            |and (?:not|no) (?:one|a) [a-z ]*|(?:has|have|is|are|with|about|was|had|of) {num} (?:words?
            |characters?|lines?|sentences?|pages?|slides?|items?|questions?) (?:each|per|a)\b
            |(?:writes?|wrote|read|reads|type|types|typed|learn|learned) (?:about )?{num} [a-z]+
             (?:each|per|a)\b|(?:a|per) minute{end}
        """,
    ),
)
