"""English: what binds by itself, as an allergy does."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

FACTS = (
    Pattern(
        "fact",
        "allergy",
        r"""
            allerg(?:y|ies|ic|en|ens)|anaphyla[a-z]*|epi.?pens?|intoleran(?:t|ce|ces)|c(?:o
            |oe)liacs?|celiacs?|(?:can't|cannot|can not|mustn't|not allowed to) (?:have|eat|tolerate
            |touch|digest|drink) (?:[a-z]+ ){0,3}(?:nuts?|peanuts?|gluten|dairy|lactose|milk|eggs?
            |shellfish|fish|soy|wheat|alcohol|sugar|anything)|can't swallow[a-z ]*
            |trouble swallowing|(?:i|he|she) (?:faints?|passes out|collapses)|(?:back|leg|arm|hip
            |ankle|wrist|rib|neck) is broken|(?:can't|cannot|mustn't|must not) (?:take
            |have) (?:ibuprofen|aspirin|paracetamol|penicillin|antibiotics|nsaids?)|in recovery
            |(?:lawyer|attorney|notary|accountant|auditor|tax advis[eo]r|insurance) (?:says?|said
            |insists?|told)[^.!?\n]*(?:no|not|never|must|only|don't)|peanut.free|nut.free|allergic
            |g6pd|phenylketonuri[a-z]*
        """,
        unless=r"""
            allergic to (?:meetings|work|mornings|mondays|small talk|drama|boilerplate|effort
            |exercise|xml|javascript|java|jargon|buzzwords|bullshit|stupidity|[a-z]*scrum)|(?:no|not
            |isn't|aren't|any|without|hasn't any|zero) (?:known |food |have |got )?(?:allerg[a-z]*
            |intoleran[a-z]*)|(?:about|film|movie|book|novel|story|character|play
            |series)[^.!?\n]{0,60}allerg[a-z]*|(?:hay fever|allergy) season|fault.intoleran
        """,
    ),
    Pattern(
        "fact",
        "allergy to less",
        r"""
            allergic [^.!?\n]{0,60}[, ](?:but|only|just) (?:only )?to [a-z]+
            |it's [a-z ]{1,40} (?:that )?(?:i'm|he's|she's|they're|is) allergic to
        """,
    ),
    Pattern(
        "fact",
        "pregnancy",
        """
            (?:i'm|im|i am|is|she's|shes|being|'s|currently|am|are) (?:also |now |currently |about |
            already |[0-9]+ (?:weeks?|months?) )*(?:pregnant|breast.?feeding|nursing (?:a|my|our
            |her))|[0-9]+ (?:weeks|months) pregnant|c-section|caesarean|trimester
            |expecting (?:a baby|our|twins|in)|pregnant (?:wife|woman|women|girlfriend|sister
            |daughter|colleague|guests?|friend)
        """,
    ),
    Pattern(
        "fact",
        "illness",
        """
            (?:have|has|had|having|got|with|is|am|i'm|are|he's|she's|suffers? from|diagnosed with
            |history of|a|an|severe|my|his|her|'s|being|their|type [12]) (?:[a-z0-9'-]+
             ){0,3}(?:diabet(?:es|ic)|epilep(?:sy|tic)|asthma(?:tic)?|h(?:a?e)mophilia[a-z]*|pacemaker
            |kidney (?:disease|failure|problems?|stones?|transplant|trouble)|liver (?:disease|failure
            |problems?)|heart (?:disease|failure|condition|problems?|attacks?|transplant|arrhythmia
            |murmur)|high blood pressure|hypertension|hypertensive|strokes|heart attacks|dementia
            |alzheimer'?s|arrhythmia|aneurysm|immuno?.?compromised|immuno?.?suppressed|cancer
            |chemo(?:therapy)?|seizures?|stroke|stomach ulcers?|ulcers?|copd|glaucoma|slipped discs?
            |herniated disc|osteoporosis|brittle bones|lupus|crohn'?s|hypoglyc[a-z]+|anorexi[ac]
            |eating disorders?|bulimi[ac]|dialysis|gallstones?|hernia|migraines? with aura|tachycardia
            |transplant|favism|gout|sleep apn(?:o)?ea|recovering alcoholic|alcoholic|suicidal|vertigo
            |concussion|blood clots?|thrombosis|broken (?:leg|arm|wrist|foot|ankle|hip|rib)|torn (?:acl
            |meniscus|ligament)|sickle cell|multiple sclerosis|parkinson'?s|hiv|weak heart|angina
            |pre.?eclampsia|deaf|blind|visually impaired)
        """,
        unless=r"""
            (?:story|novel|poem|film|movie|essay|article|script|character|protagonist|hero|heroine
            |scene|chapter|lecture|exam|homework|thesis|documentary)[^.!?\n]{0,60} (?:with|has|have
            |having|is|on|about|a) [^.!?\n]{0,30}|alcoholic (?:drinks?|beverages?)|stroke of
            |do a stroke|blind (?:spot|test|date|taste|study)|deaf ear|heart attack (?:when
            |from laughing)|double.blind|color blind|colour.?blind|cancer (?:charity|research|fund
            |society|run)|stroke (?:width|color|colour|order)|(?:back|breast) ?stroke|is blind(?:ly)?\b
            |(?:no|not|without|book|paper|essay|article|talk|study|novel|thesis) (?:about |on |of
             |any )?(?:diabetes|asthma|epilepsy|heart|cancer|dementia)
        """,
    ),
    Pattern(
        "fact",
        "medicine",
        r"""
            (?:take|takes|taking|on|prescribed|uses?) (?:[a-z0-9'-]+ ){0,3}(?:warfarin
            |blood thinners?|anticoagulants?|insulin|lithium|ssris?|antidepressants?|maois?
            |metformin|statins?|beta.?blockers?|immunosuppressants?|methotrexate|prednisone
            |cortisone|levothyroxine|xarelto|eliquis|apixaban|rivaroxaban|heparin|ramipril
            |lisinopril|metoprolol|sertraline|fluoxetine|citalopram|antibiotics|amoxicillin
            |medication|medications|meds|opioids?|oxycodone|morphine|digoxin|amiodarone|clopidogrel
            |marcumar|phenprocoumon|isotretinoin|accutane|antihistamines?|ritalin|benzos?
            |benzodiazepines?|valproate|tamoxifen)|(?:doctor|vet|dentist|surgeon|midwife
            |physio) (?:has |just )?(?:forbade|forbids|forbidden|banned|warned)|doc (?:says?|said)
            |sends? (?:him|her|me|them) to (?:the )?hospital|(?:is|are|be|remains?|stays?|strictly
            |kept|keep) (?:strictly |absolutely |all |it |this )?confidential|(?:my|his|her|the|our
            |their) (?:doctor|pharmacist|nurse|allergist|dermatologist|psychiatrist|therapist
            |orthopaedist|cardiologist|physician|paediatrician|pediatrician|surgeon|midwife|vet
            |physio|gp|oncologist|dentist|physiotherapist) (?:has |strictly |explicitly )*(?:said
            |says|forbade|forbids|told|warned|insists?|insisted|wants|banned|ordered) [^.!?\n]*(?:no
            |not|never|avoid|must|only|at most|don't|off|without|limit|max)
        """,
    ),
    Pattern(
        "fact",
        "danger to life",
        """
            (?:could|can|would|might|will|may|be|is|are) (?:[a-z]+ )?(?:kill|lethal|deadly|fatal
            |life.threatening|electrocute[a-z]*|poison(?:ous)?)|(?:he|she|child|kids?|children|dog
            |cat|someone|people|patients?|i|we|they|baby|son|daughter) (?:could|can|would|might|will
            |may|nearly|almost) (?:[a-z]+ )?(?:die|died|choked?|drown(?:ed)?|suffocated?|be killed
            |go blind|faint)|goes into shock|anaphylactic shock|ends? up in (?:hospital|the er|a&e)
            |(?:is|are) (?:poisonous|toxic|lethal|deadly|flammable|explosive)|(?:can't|cannot
            |can not) swim|(?:toddler|baby) puts
        """,
        unless="""
            (?:could|would|might|will|can) (?:kill|die) (?:for|time|to|two birds|the (?:mood|process
            |job))|die (?:of laughter|laughing|for)|(?:is|are) live (?:now|on|at|since|in)
            |kill (?:the )?(?:process|job|server|pod|time|it)|(?:process|server|pod|battery|phone
            |connection|container|job|app|program|thread|screen|laptop|engine)s? (?:[a-z]+ )?dies
            |(?:it|build|deploy|script|service|pipeline|container) dies|plants? die[sd]?|(?:plants?
            |leaves|flowers|lettuce|tomatoes) (?:[a-z]+ )?dies?|die cut|toxic (?:masculinity|culture
            |boss|relationship)|fatal error
        """,
    ),
)
