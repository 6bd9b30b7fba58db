"""English: what the user says of what does not work."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

ERRORS = (
    Pattern(
        "error",
        "it fails",
        r"""
            (?:won't|wont|will not|doesn't|doesnt|does not|[a-z]+s don't|they don't|isn't|is not|aren't
            |can't|cannot|refuses? to|stopped|fails? to|failed to|no longer|unable to|didn't
            |hasn't) (?:even |really |actually |properly |seem to |want to |to )?(?:start|starts|boot|boots
            |compil[a-z]+|build|builds|load|loads|loading|run|runs|running|work|works|working|connect
            |connects|connecting|install|open|opens|charge|charging|charges|print|prints|printing|turn on
            |turns on|switch on|respond|responds|responding|deploy|deploys|launch|log in|login|sync|syncs
            |syncing|power on|heat|heats|heating|get (?:warm|hot|cold|any|past|through|power)|drain|drains
            |flush|come on|comes on|come up|render|renders|import|imports|play|plays|ring|spin|close|detect
            |detects|recogni[sz]e[sd]?|update|updates|display|rise|set|freeze|cool|cools|cooling|mount|fire
            |turn over|flow|save|saves|send|sends|accept|go (?:on|off|through|up))\b[^.!?\n]*|(?:keeps?
            |kept|it|app|site|server|page|build|script|service|pod|container|laptop|phone|program|game
            |machine|process|import|migration|pipeline|ci|job|container|deploy|deployment|upload|download
            |printer|car|router|pump|boiler|oven|which|then|always|still|and|now|just
            |tests?) (?:just |always |now |immediately |still |suddenly |randomly |constantly |then |again )
            *(?:crash(?:es|ed|ing)?|fail(?:s|ed|ing)?|hang(?:s|ing)?|hung|freez(?:es|ing)|froze|dies|died
            |dying|throws|threw|throwing|breaks|broke|exits|exited|aborts?|aborted|times? out|reboots?
            |rebooting|restart(?:s|ing)|blinks?|blinking|stops? (?:in|at|after|with|half|mid|working)
            |overheat(?:s|ing)|leak(?:s|ing)|disconnect(?:s|ing)|complains?|complaining|errors? out|trips?
            |tripping|shuts? (?:down|off))\b[^.!?\n]*|(?:is|are|'s|was|been|goes|went|have been
            |has been) (?:completely |totally |now |still |suddenly |just |all |again )*(?:broken|down|dead
            |stuck|frozen|bricked|corrupted|unresponsive|unreachable|offline|failing|crashing|red|blocked
            |hanging)\b|[a-z0-9_.]+ (?:crashes|fails|hangs)\b[^.!?\n]*|locked out|keeps (?:falling|dropping
            |jumping|resetting|popping|rebooting|turning|switching|coming|going|stopping|freezing|crashing
            |failing|restarting|slipping|logging)[^.!?\n]*|(?:has|have|got|get|there's
            |there is) no (?:sound|picture|image|signal|power|audio|video|hot water)|(?:shows|blinks
            |displays|flashes|with) [a-z]{1,2}[0-9]{1,4}\b[^.!?\n]*|(?:doesn't|don't|won't
            |does not) (?:[a-z]+ )?(?:rise|fit|stick|set|grow|bloom|hold|turn|move|stay|lock|unlock|click
            |scroll|match|appear|show|show up|arrive|trigger|fire|execute|return|finish|end|stop
            |stop (?:beeping|blinking|leaking)|download|upload|refresh|resolve|validate|parse|link|attach
            |apply|register)(?: at all| any ?more| properly| correctly)|(?:page|screen|site|display|window
            |app|monitor|result|output) (?:is|stays|remains|goes
            |was) (?:completely |just |still |always )?(?:blank|white|empty|black|frozen|dead|gone)
            |(?:tests?|build|pipeline|ci|light|led) (?:is|are|stays?|goes|went) (?:all |still )?red
            |[a-z0-9_.]+ (?:freezes|hangs|reboots)\b[^.!?\n]*|keeps? loading|(?:is|are|'s) (?:clogged
            |jammed|leaking|overheating|corrupted|cracked|stuck)|(?:payment|upload|download|login|build
            |install|installation|import|export|sync|deploy|deployment|update|migration|request|transaction
            |backup|test|tests|job|pipeline) (?:has |have |just )?failed|[a-z]+ times out|(?:ci|build
            |pipeline) is red|nothing (?:happens|works|starts|shows up|loads|comes out|prints|shows|appears
            |moves|opens|responds)|(?:blank|white|black|blue|empty) (?:screen|page)|(?:i|we|it|that|this
            |which|and|but|now|still|just|then|always|only|app|server|keeps?)(?:'m|'ve|'s| am| are| is
            | have| has)? (?:\w+ )?(?:get|gets|got|getting|gives?|gave|giving|see|sees|seeing|shows?
            |showing|says?|throw|throws|throwing|hit|hits|hitting|return|returns|returning|report|reports
            |receive|ends? (?:in|with)|print|prints|display|displays|facing|run into|running into|log
            |logs) (?:me |us |out )?(?:an? |the |this |these |that |following |same |weird |strange |anothe
            r |some |just |only |always |back |nothing but |new )*(?:error|errors|exception|stack ?trace
            |traceback|crash|segfault|timeout|time-?out|warning light|fault|panic|[45][0-9][0-9]s?|x{4,}
            |nothing|garbage|nans?|white screen|blank)\b[^.!?\n]*|[a-z]+ (?:returns|return|returned|throws
            |gives|gave|shows|reports|says|said|reads
            |displays) (?:me |us |a |an |the |only |just |me a )*(?:error|[45][0-9][0-9]s?|exception
            |#[a-z/0-9]+|"[^"\n]{4,})[^.!?\n]*|i (?:get|got|see) (?:a |an |the )?(?:#[a-z/0-9]+
            |"[^"\n]{4,}")|pending forever|stuck (?:at|on|in|with|here)|blocked by|blocks (?:me|us
            |everything|the (?:release|work|build))|(?:gone|went) (?:wrong|down|dark)
            |build (?:is )?(?:broken|fails|red)|broke (?:the|my|our|everything)|(?:error|fault) (?:light
            |code|message|says|in|on|when|at|saying|that)
        """,
        unless=r"""
            (?:can't|cannot|can not|won't) (?:run|go|work|come|last|take) (?:past|over|longer|beyond|on
            |before|after|mornings?|evenings?|weekends?|nights|afternoons?)
            |stuck with [a-z]+ [0-9][0-9.]*|(?:back|leg|arm|hip|ankle|wrist|rib|neck|heart) is broken
            |(?:code|feature) freeze[^.!?\n]*|(?:he|she|boss|sign|guide|article|book|mother|father|mum
            |dad|uncle|aunt|friend|teacher|coach|trainer|colleague|customer|client|chef|says? he|rule
            |poster|text|letter|contract|clause|line|keeper|title|card|who|they|people|policy|manual
            |recipe|label|paper|study|doctor|vet|everyone) (?:always |just )?(?:says|said|reads|shows
            |gives|gave|returns)|(?:could|can|may|might|should|must|would) never work|(?:i
            |we) (?:will not|won't|don't|didn't|never|no longer) (?:work|run|drain|open|send|play|save
            |close)|(?:if|when|in case|whenever|what happens if|what if|should|unless|must|so that
            |until|how|make sure|ensure|once|could|would|might|may|can|never|not|isn't|nobody|before
            |where|while|to|whether) (?:[a-z']+ ){0,4}(?:crash(?:es)?|fail(?:s)?|hang(?:s)?|breaks?
            |dies|throws|goes down|is down|doesn't (?:work|load|exist|respond|run|start)|times? out
            |stops|freezes|is broken|stuck|blocked)|(?:i|we|he|she|they|you|that|this|it|joke|plan
            |works?|color|colour|time|date|one|approach|idea|argument|tone|name|title) (?:really |just
             |still |also )?(?:doesn't|don't|won't|didn't) (?:work|run|rise|go|open|play|send|close
            |save) (?:for (?:me|us|him|her)|well|with (?:my|the|her|our)|on (?:mondays|tuesdays
            |wednesdays|thursdays|fridays|saturdays|sundays|weekends)|there|here any|so (?:well|hard)
            |that (?:much|often))|not (?:working|running) (?:on|at|in|as|today|tomorrow|full|from|for)
            |error (?:handling|bars?|messages? (?:should|must|have|need))|(?:is|are|was) (?:down
            |up) (?:to|by|from|[0-9]|the)|dead (?:simple|easy|right|serious|good|end|line|sure|tired
            |funny|straight|set)|(?:case|scenario|event) (?:that|where|in which|when) [^.!?\n]*
            |red (?:car|dress|wine|team|hat|line|button|hot|one|and|light district)|(?:is|are
            |was) red\b|(?:he|she|they|we|i) (?:broke|died|failed|crashed|stopped|froze)
            |heart (?:broken|is broken)|broke (?:up|down in tears|the news)|doesn't have to work
            |never (?:fails|run|start|open|save|send|play|update|install|load)|(?:no longer|never
            |not) (?:fails?|crash)|(?:are|is) broken down|plants? (?:dies|died|die)|stops? in|(?:bus
            |train|ferry|tram|shuttle) (?:stops|leaves|breaks)|went down well
        """,
        asked=True,
    ),
)
