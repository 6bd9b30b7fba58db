"""English: what has to be."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        "must(?:n't|nt| not| never| always)?|shall not|shan't|mustnt",
        unless=r"""
            (?:i|we|one) must (?:say|admit|confess|tell|be (?:going|off|honest|dreaming|missing|doing
            |stupid|blind|getting)|have|ask|know|run|go|add|thank|sound|seem|look)\b
            |must (?:have (?:been|had|missed|lost|forgotten|gone|done|made|left|seen|got|gotten|taken
            |happened|changed|broken|said|come|put|thought|felt|cost|hurt|hit|cut|set|let|paid|met|won
            |fallen|slept|[a-z]+ed)|feel|seem|sound|look|know|mean|see|read|watch|visit|try)\b|(?:that
            |it|this|there|you|he|she|they) must be (?:why|it|the (?:reason|one|problem|cause|colou?rs
            |weather|heat|coffee|air|stress|season|moon)|so|because|some|something|a (?:bug|mistake
            |typo|joke|better|way)|kidding|joking|late|early|very|really|nearly|about|around|quite|old
            |cold|amazing|awesome|boring|busy|tired|hard|nice|fun|great|lovely|exhausted|wrong|right
            |another|an? (?:easier|error))|(?:that|this|it) must be the (?:third|second|first|last|best
            |worst|same|only)|(?:what|how|why) must|a must.(?:see|read|visit)|must be (?:nice|great|fun
            |lovely|hard|tough|awful|strange|weird|a (?:hundred|thousand|million|dozen)|hundreds|dozens
            |thousands)|between must|(?:they|he|she|you|it) must (?:really |all |just )?(?:enjoy|love
            |like|think|hate|want|wonder|smell|taste)\b|must have (?:drunk|eaten|stolen|spoken|written
            |chosen|given|known|grown|thrown|slipped|sunk|run|begun|fallen|risen|driven|caught|bought
            |brought|taught|sold|told|held|kept|slept|meant|sent|spent|built|understood|stood|found
            |fled|worn)\b|must be the (?:colou?rs|weather|heat|coffee|air|stress|season|moon)
            |you must be (?:an?|so|very|new|busy|proud|tired|kidding|joking|bored|crazy|mad)
        """,
    ),
    Pattern(
        "obligation",
        "has to",
        r"""
            (?:has|have|needs|need|had better|'s got|has got|have got|got) to (?:always |never |also
             |still|really |absolutely |all |only )*(?:be|stay|remain|keep|work|run|fit|support
            |go through|go|use|match|end|start|begin|contain|include|handle|pass|come|cost|finish
            |arrive|look|read|sound|have|hold|stick|comply|follow|conform|avoid|last|take|happen|leave
            |build|compile|respect|accept|return|cover|mention|survive|answer|stop|say|show|speak|live
            |write|send|do|understand|sign|sit|stand|accommodate|exclude|cite|name|wear|eat|rest|ask
            |approve|get|check|see|wait|pay|appear|drive|walk|travel|play|serve|meet|sleep|bring|listen
            |load|talk|wash)\b|(?:it|this|that|everything|they|he|she|[a-z]{3,}[a-rt-z]
            |[a-z]{3,}s) (?:all )?(?:has|have|needs|need) to [a-z]+|(?:every|each|all|any|an?
            |the) [a-z]+ needs {num} [a-z]+|(?:i|we) need (?:it all|the whole [a-z]+|all [a-z]+
            |every [a-z]+|both|the|our|my|his|her)(?: [a-z]+){0,3} to (?:be|fit|run|stay|keep|work with
            |come|look|match|support|handle|include|contain|sound|read|last|end|start)|need(?:s)? (?:it
            |this|that|them|everything|the [a-z]+) (?:to be|under|below|within|by|before|in under
            |done by|no later)
        """,
        unless=r"""
            (?:i|you|we|they|he|she) (?:just |really |only )?(?:don't|dont|doesn't|do not|does not
            |didn't|won't|never)(?: really)? (?:have|need) to|(?:don't|doesn't|not|no|didn't|won't
            |wouldn't|nothing|without) (?:\w+ )?(?:have|need|has|needs) to|(?:i|we)(?:'ve| have|'ll
            | will| would|'d)? (?:\w+ )?(?:have|need|has|got|has got|have got|had) to (?:say|admit|ask
            |go|run|write|find|know|understand|learn|prepare|give|present|paint|drop|build|make|plan
            |explain|sort|decide|do|get|buy|leave|think|figure|check|show|tell|talk|see|meet|catch|cook
            |clean|fix|send|read|move|replace|install|create|set up|draft|show|look|start|travel|drive
            |come|take|bring|pay|wait|call|answer|sleep|pick|host|finish|use the (?:bathroom|toilet
            |loo)|stop|study|translate|return|submit|sell|have (?:a|the)|fly|change|wash)\b|(?:^
            |[.!?\n,] ?)need to [a-z]+|(?:what (?:do|does|did|would|should|will|else)|how|why|which
            |where|when|do|does|did|would|will|if) [^.!?\n]{0,40}(?:have|need|has|needs) to|(?:all|what
            |the first thing|everything) (?:i|we|you) (?:have|need) to|has to do with|have to do with
            |(?:i|you) have to (?:love|laugh|be honest|be quick)|(?:i|we|you|people|nobody
            |anyone) (?:\w+ )?need to (?:know|be (?:told|asked))
        """,
    ),
    Pattern(
        "obligation",
        "make sure",
        r"""
            (?:make sure|makes sure|be sure|ensure|see to it|take care) (?:that |to |not |you |it |
            the |we |all |no |nothing |never|nobody |every |they |this |there |our |my |he |she |
            everything |only )[^.!?\n]+|(?:keep in mind|bear in mind|remember|note|important
            |please note|mind you|be aware|careful)(?: that|:|,)? (?:[a-z']+ ){0,4}(?:must|never
            |always|can't|cannot|not allowed|only|no|has to|have to|may not|needs to)|(?:it is|it's
            |very|really|that's) (?:important|essential|crucial|vital|critical|imperative) (?:that
            |to|for)
        """,
        unless="""
            (?:i|we|i just|we just|to|and|want to|wanted to|how to|how do i|can i|should i|i'll|i'd like to
            |helps?) (?:make sure|be sure|ensure)|can't be sure|not (?:quite )?sure|(?:i|we)(?:'m
            | am| are) (?:not )?sure|remember (?:that|the) (?:time|day|no)|can(?:not|'t) remember
            |i (?:don't |do )?remember|(?:is|why is) it (?:important|essential|crucial)|it's (?:not
            |less) (?:very |that |so )?important
        """,
    ),
)
