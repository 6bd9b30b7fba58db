"""English: what binds by itself because of what it does to somebody, without the name of an illness."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SYMPTOMS = (
    Pattern(
        "fact",
        "reaction",
        r"""
            (?:[a-z]+ (?:always |usually |badly |once |nearly |almost )*(?:swells? up|swelled up
            |comes? out in (?:hives|a rash|spots|blisters|welts)|came out in (?:hives|a rash|spots)
            |breaks? out in (?:hives|a rash|blisters)|gets? hives|goes? into (?:shock|anaphyla[a-z]*)
            |went into (?:shock|anaphyla[a-z]*)|stops? breathing|stopped breathing|turns? blue
            |(?:has|gets|had|have) (?:seizures?|fits|an asthma attack|asthma attacks|panic attacks?
            |blackouts|a reaction|trouble breathing|difficulty breathing|breathing (?:problems?
            |difficult[a-z]+))|chokes? on|choked on|faints (?:at|when|above|if|from|on|in)
            |passes out (?:at|when|above|if|from|on|in)|collapses (?:when|if|after) (?:he|she|they)
            |bleeds? (?:easily|heavily|badly)|vomits?|throws? up (?:from|after|if|when)))
            |(?:he|she|they|i|we|son|daughter|skin|wife|husband|mum|mom|dad|mother|father|boy|girl
            |child|dog|cat|who) (?:[a-z]+ )?(?:reacts?|reacted) (?:really |very |so )?(?:badly
            |violently|severely|strongly|terribly)?(?: to| from) [a-z]+|it's [a-z]+ (?:he|she|they)
             reacts? to|(?:severe|bad|allergic|violent|nasty|serious|strong) reactions? (?:to|from)
            |(?:throat|tongue|airway|airways|face|lips|lungs) (?:closes?|closed|swells?|swelled|shuts
            |tightens?|depend|seizes?)|(?:put|puts|land|lands|landed|send|sends|sent|ends?|ended
            |got) (?:him|her|me|them|us|up|straight)(?: [a-z]+){0,2} (?:in|to|at) (?:the |a )?
            (?:hospital|er\b|a&e|emergency|icu|intensive care|vet|vet's|clinic|ambulance|casualty)
            |(?:calling|call) an ambulance|rushed (?:him|her|me|them)? ?to|(?:can't|cannot|can not
            |couldn't|doesn't|don't) (?:metaboli[sz]e|digest|absorb|process (?:sugar|gluten|protein
            |lactose|fructose|fat|iron|alcohol))|(?:is|are|was|'s) (?:pure |sheer |basically |
            literally )?poison (?:to|for) (?:me|him|her|us|them|dogs|cats|kids|horses)|(?:makes?
            |made) (?:me|him|her|them) (?:very |really |violently |so |seriously )?(?:ill|sick|faint
            |vomit|pass out|bleed|dizzy)|(?:one|a single|the (?:smallest|slightest|tiniest)) (?:sting
            |bite|crumb|trace|drop|nut|peanut|sip) (?:and|can|could|will|would|is|of)|botulism
            |listeria|salmonella|toxoplasm[a-z]*|legionella|e\.? ?coli|choking (?:thing|hazard|risk
            |danger)|set off by (?:strobes?|flicker[a-z]*|flash[a-z]*|light|stress|smoke|dust|noise
            |cold)|(?:can't|cannot|can not|doesn't|don't) (?:take|tolerate|stand|handle) (?:rapid |
            any |the )?(?:flicker[a-z]*|strobes?|flashing|flashes|anaesthe[a-z]+|anesthe[a-z]+
            |opioids?|steroids?|codeine|morphine|contrast|latex|perfume|scents?|fragrances?|dust
            |pollen|heights?|smoke|altitude)
        """,
        unless=r"""
            (?:it|this|that|code|app|server|page|component|system|market|reader|readers|customers?
            |users?|people|audience|react|process|program|script|build|compiler|parser|printer
            |machine|engine|pump|tool|model|query|job|pod|database|team|wood|door|drawer|file
            |browser|laptop|computer|router|phone) (?:[a-z]+ )?(?:reacts?|reacted|chokes?|choked
            |vomits?|throws? up|stops? breathing|has seizures|has fits|had a reaction|swells? up
            |turns? blue)|throws? up an? (?:error|exception|warning|message)|(?:mixed|initial|first
            |good|audience) reactions? to|(?:makes?|made) me sick (?:of|that|how)|(?:text|screen
            |led|button|lamp|light|litmus|cell|cells|links?|solution) turns? blue
        """,
    ),
    Pattern(
        "fact",
        "condition",
        r"""
            (?:have|has|had|having|got|with|is|am|i'm|are|he's|she's|i've|suffers? from|'s|'ve
            |diagnosed with|history of|a|an|severe|my|his|her|their|our|bad|chronic|acute
            |mild) (?:[a-z0-9'-]+ ){0,2}(?:[a-z]{3,}(?:itis|aemia|emia|opathy|plegia|paresis|uria|algia
            |ectomy|philiac)|bleeding (?:ulcer|disorder)|blood disorder|nebuli[sz]er|inhaler
            |insulin pump|feeding tube|catheter|stoma|oxygen (?:tank|at home|bottle)|weak (?:lungs
            |bladder|immune system|knees?)|bad (?:back|hip|heart|knees?|lungs|shoulder)|ptsd
            |schizophreni[ac]|bipolar|psychosis|panic disorder|long covid|ms\b|als\b|ibs\b|pots\b
            |endometriosis|fibromyalgia|preemie|premature|prem\b|miscarriages?|ivf|hysterectomy
            |mastectomy|stents?|bypass|artificial (?:hip|knee|heart)|hip replacement|knee replacement
            |heart (?:valve|surgery|bypass)|cochlear implants?|titanium plate|metal plate
            |retinal detachment|detached retina|cataracts?|scoliosis|muscular dystrophy|cystic fibrosis
            |spina bifida|cerebral palsy|down'?s syndrome|sober (?:for|since)|recovering [a-z]+|addict
            |addiction|narcolep[a-z]+|insomniac|photosensitiv[a-z]+|light.?sensitiv[a-z]+|g6pd|pku
            |malignant hyperthermia|thyroid (?:condition|problem|disease|cancer)|kidney (?:graft
            |stones?|infection)|heart (?:rhythm|arrest|stent))|(?:[0-9]+|[a-z]+) (?:weeks
            |months) (?:along|gone|pregnant|into the pregnancy)|told to (?:stay off|keep off|avoid|rest
            |lie down|stop taking|take it easy|not (?:lift|drive|run|eat|fly|climb))|(?:stay|keep|keeps
            |stays) off (?:his|her|my|their) (?:feet|foot|leg|ankle)|(?:since|after|following) (?:my
            |his|her|the|their) (?:last )?(?:surgery|operation|accident|stroke|heart attack|c.section
            |transplant|fall|injury|diagnosis|miscarriage|concussion)|sober (?:since|for) [a-z0-9]+
            |(?:years?|months?|days?) sober|on dialysis|on (?:a )?(?:low.(?:sodium|potassium|fodmap)
            |renal|diabetic|blood.thinning|fluid) (?:diet|restriction)|(?:litres?|liters?
            |ml) of fluids? (?:per|a|each) day|broken (?:that|her|his|my|a) (?:hip|leg|arm|back|neck)
        """,
        unless=r"""
            (?:no|not|without|book|paper|essay|article|talk|study|novel|thesis|lecture|course
            |exam) (?:about |on |of |any |the )?[a-z]{3,}(?:itis|aemia|emia|opathy|plegia|uria|algia)
            |(?:story|novel|poem|film|movie|essay|article|script|character|protagonist|hero|heroine
            |scene|chapter|lecture|documentary)[^.!?\n]{0,60} (?:with|has|have|having|is|on|about
            |a) [^.!?\n]{0,30}|academia|bohemia|nostalgia|premature (?:optimi[sz]ation|to|abstraction)
            |inhaler (?:design|market)|bipolar (?:transistor|junction)|diagnosed with (?:a bug|bad)
            |bypass (?:the|this|road|surgery robot|valve)|bugitis|pots? (?:of|and|for)|(?:a|the) ms\b
            |(?:three|two|few|some|six|[0-9]+) (?:weeks|months) (?:into|gone by)
        """,
    ),
    Pattern(
        "fact",
        "doctor's orders",
        r"""
            (?:doctor|doc|surgeon|cardiologist|vet|midwife|physio|gp|dentist|nurse|consultant
            |paediatrician|pediatrician|specialist|hospital|oncologist|pharmacist|dietician
            |dietitian|neurologist|health visitor|optician|allergist)(?:'s orders?
            | (?:has |have |just |strictly |only |explicitly )*(?:allows?|allowed|permits?|limits?
            |limited|restricts?|restricted|put (?:me|him|her)|ordered|orders|prescribed|advised
            |advises|cleared|signed (?:me|him|her) off|ruled out|says?|said|told (?:me|him|her|us))
             [^.!?\n]{0,60}(?:only|no|not|never|avoid|at most|off|without|limit|max|maximum|stop
            |until|per day|a day|rest|nothing|don't|kg|grams?|minutes?|hours?|steps?))
        """,
        unless="""
            (?:doctor|vet|gp|dentist|nurse) (?:says?|said|told (?:me|him|her|us)) (?:it's (?:nothing
            |fine|not)|(?:he|she|i|we)(?:'s|'m| is| am|'re) (?:fine|ok|okay|healthy|not)|there's
            |no (?:problem|worries|issue)|all (?:good|clear|is))
        """,
    ),
)
