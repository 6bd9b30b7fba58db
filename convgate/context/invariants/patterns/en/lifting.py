"""English: that a rule is gone, in other words than that it is forgotten."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

LIFTING = (
    Pattern(
        "lifted",
        "as you like",
        r"""
            (?:what|where|how|which|who|when)ever(?: [a-z]+)? (?:you|we|they|he|she|works?|suits?|reads
            |fits|looks|is (?:best|easiest|simplest|nicer?|cheapest))\b[^.!?\n]*|(?:any|all
            |either) [a-z]+ (?:is|are|will|would be|'s|'ll) (?:fine|ok|okay|good|alright|welcome|allowed|do
            |possible|great|go)\b[^.!?\n]*|(?:as|however|where) you (?:like|want|see fit|wish|please|prefer
            |need)|anything goes|(?:do|pick|take|use|choose|write) (?:whatever|what(?:'s| is) (?:best
            |easiest|simplest)|any [a-z]+ you)[^.!?\n]*|(?:i|we)(?:'m|'re| am| are|'ve| have|'ll
            | will)? (?:just |hereby |now |officially |gladly |happily )*(?:take|taking|taken|took|drop
            |dropping|dropped|lift|lifting|lifted|waive|waiving|waived|withdraw|withdrawing|withdrew|scrap
            |scrapping|scrapped|retire|retiring|retired|relax|relaxing|relaxed|abandon|abandoning|abandoned
            |retract|retracting|cancel|cancelling|cancelled|abolish|abolished|ditch|ditching|ditched|revoke
            |revoking|revoked|loosen|loosening|loosened) (?:back |off )?(?:what|the|that|my|our|this|those
            |all|any)\b[^.!?\n]*|(?:the|that|this|my|our|your|their|his|her|those
            |these) (?:[a-z0-9'-]+ ){1,6}(?:is|are|was|were|has|have|'s|no longer|doesn't|don't|need not
            |needn't|can)(?: been| now| just| finally| officially| all)* (?:gone|lifted|dropped|history
            |over|off the (?:table|books|list)|dead|void|moot|scrapped|abolished|repealed|withdrawn|relaxed
            |retired|expired|no more|out of the window|out the window|behind us|obsolete|apply|applies|hold
            |holds|stand|stands|count|counts|matter|matters|exist|exists|bind|binds|go|be ignored
            |be dropped|removed|revoked|cancelled|overturned|ended|superseded|sunset|passe|a thing|in force
            |in place|needed|waived|unlimited|open)(?: now| any ?more| any longer|{end})[^.!?\n]*|(?:have
            |has) (?:made up|buried the hatchet|come round|come around|changed (?:its|their|her|his) mind
            |given in|relented|agreed to drop)\b[^.!?\n]*|(?:was|were|got|has been|is|are
            |been) (?:switched off|decommissioned|phased out|shut down|turned off|retired|ripped out
            |thrown out|replaced|upgraded|migrated|lifted|sold|given away|rehomed|settled|paid off|cleared
            |called off)[^.!?\n]{0,60}\bso\b[^.!?\n]*|no (?:longer|more) (?:any )?(?:need|reason|point|ban
            |cap|ceiling|limit|rule|restriction|deadline|hurry|budget|quota)[^.!?\n]*|(?:ban|cap|ceiling
            |lid|limit|embargo|restriction|rule|quota|freeze|curfew|moratorium|block)s? (?:came|comes
            |is coming|has come|went|goes|got) (?:off|down|away)[^.!?\n]*|(?:off|lifted) the (?:leash|hook)
            |free rein|carte blanche|gloves (?:are )?off|green light|go (?:wild|all out|ahead with)
            |no holds barred|(?:you|we|they|he|she|it|i) (?:needn't|need not|don't (?:have|need) to
            |doesn't (?:have|need) to|no longer (?:have|has|need|needs) to) (?:stick|keep|hold|worry|bother
            |care|stay|limit|avoid|restrict|respect|follow|count|watch|mind|obey|observe|fit|support|run
            |speak|be|use|work|comply|cater|steer)[^.!?\n]*|(?:so|and|now) (?:you|we) can (?:change|use|go
            |do|have|put|add|take|mix|include|pick|seat|serve|write|spend)[^.!?\n]*|(?:turns out|test|tests
            |results?|biopsy|doctor|clinic|allergist)[^.!?\n]{0,50}(?:isn't|is not|aren't|not|no|never was
            |clear of|cleared|outgrew|outgrown|grown out of) (?:[a-z]+ ){0,4}(?:allergic|allergy|allergies
            |coeliac|celiac|intolerant|intolerance|diabetic|diabetes|pregnant|asthma)[^.!?\n]*|(?:outgrew
            |outgrown|has grown out of|grew out of) [^.!?\n]*|(?:eats?|drinks?|handles?
            |tolerates?) [a-z ]{2,25} (?:again|now|fine now)
        """,
        unless=r"""
            (?:must|never|always|only|not|don't|can't|cannot|nobody|no one|unless|if|until|once|make sure
            |whether|do not|when)\b[^.!?,;\n]*(?:what|where|how|which|who|when)ever[^.!?\n]*|(?:what|who
            |when|how|where)ever (?:you|we|they|he|she|it|happens|else|the)(?:'re|'s)? (?:do|are|is
            |happens?|change|say|says|write|touch|cook|buy|suggest|decide|plan|propose|choose|pick|use|come
            |build|send|the)[^.!?\n]*[,:;] [^.!?\n]*|(?:so|and|now) (?:you|we) can (?:only|never|not
            |at most)|(?:turns out|test|tests|doctor)[^.!?\n]{0,50}not only
        """,
    ),
)
