"""English: further subjects that are dangerous to people and animals: bodies, machines, roads, food."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DANGERS = (
    Pattern(
        "subject",
        "body and illness",
        r"""
            hospital|ambulance|clinic|paramedics?|first aid|defibrillator|wheelchair|wheelchair.users?
            |walker|walking frame|zimmer|crutches|hip|dizz(?:y|iness)|faint(?:s|ed|ing)?|bleed(?:s
            |ing)?|fevers?|migraines?|seizures?|epilep[a-z]+|asthma(?:tic)?|allerg[a-z]+|thyroid
            |on an empty stomach|chemo|pacemaker|implants?|stitches|wounds?|burns|frostbite
            |heat ?stroke|dehydrat[a-z]*|concussion|fractures?|sprain(?:ed)?|ligaments?|meniscus|tendon
            |menisci|weeks along|trimester|breast.?feed[a-z]*|formula milk|fluids?|sugar.free|celery
            |mustard|lupin|crustaceans?|mollus[ck]s?|soya?|wheat|gluten.free|nut.free|contaminat[a-z]+
            |allergens?|swallow(?:s|ed|ing)?|chok(?:e|es|ed|ing)|suffocat[a-z]+|strangl[a-z]+
            |button (?:cell|battery|batteries)s?|pur(?:e|ee)d|solids|flicker[a-z]*|strobes?|flashing
            |lungs?|breath(?:e|es|ing)|liver|wheels?chairs?|carers?|caffeine|nicotine|vap(?:e|es|ing)
            |smok(?:e|es|ed|ing)|essential oils?|supplements?|st\.? john's wort|vitamin [adk]
            |iron tablets|painkillers?|sedatives?|sleeping pills|steroids?|inhalers?|insulin|epi.?pens?
            |syringes?|needles?|sharps|biohazard|quarantine|infect[a-z]+|vaccinat[a-z]*|mold|mouldy
            |expired (?:food|milk|meat)|cross.?contaminat[a-z]+|fridge temperature|core temperature
            |cooked through|best before|hand.?wash(?:ing)?|hairnets?|chopping boards?|raw chicken
            |unpasteuri[sz]ed|foraged?|rhubarb leaves|bitter almonds?|antifreeze|rat poison|permethrin
            |muzzles?|(?:off |on )?(?:the |a )?leash|off.?lead|on (?:the|a) lead|hooves|puppies|puppy
            |kittens?|newborns?|lambing|bull|bulls|hives|bees|wasps?|stings?|snakes?|ticks?
        """,
        unless=r"""
            hip.?hop|breath of|out of breath|(?:chocolate|onion|grape|mushroom) (?:cake|sauce|soup
            |brown|ice|chips?|variety|color|colour|mousse|tart)|(?:swallow(?:s|ed|ing)?|chok(?:e|es
            |ed)) (?:the |all |an? )?(?:errors?|exceptions?|jobs?|cost|up)|vape shop|(?:dark|milk|white
            |hot) chocolate|needle in|swallows? (?:{num}|words?|text|lines?|keys|input|events)
            |clinic(?:al)? trial paper|walker (?:class|function)|tree walker|dog walker|wheat (?:beer
            |field)|code smell|react hooks?|hospital drama|(?:bull|bear) (?:market|run)|bullet
            |hives? (?:table|query|metastore|sql)|ticks? (?:the|boxes|every|per|off|mark)|python
            |syntactic|ponytail|flickering screen|chokepoint|fluid (?:layout|grid|width|design|dynamics
            |typography)|solids? (?:state|principles?)|graph(?:ic)? implants?|wheat pennies
        """,
    ),
    Pattern(
        "subject",
        "machines, heights, roads",
        r"""
            light curtain|interlocks?|e.?stops?|emergency stop|kill switch|robot arm|the arm
            |guards? (?:on|in place|up|down|stays?|must|may)|lock.?out|tag.?out|lathe|milling machine
            |press brake|band ?saw|circular saw|table saw|angle grinder|grinder|nail gun|drill press
            |elevators?|forklift|excavators?|hoists?|winch|hydraulic[a-z]*|jack stands?|axle stands?
            |under the car|trenches?|shoring|scaffolds?|parapet|railings?|guard.?rails?|handrails?
            |balcony|window (?:locks?|guards?)|drop.?offs?|cliffs?|exposed ridge|crevasse|glacier
            |altitude|ropes?|carabiner|belaying|helmet|chin straps?|hi.?vis|steel.?toe[a-z]*
            |ear (?:protection|defenders|plugs)|safety (?:glasses|goggles|shoes|vest)|retinas?|lasers?
            |laser beam|uv (?:lamp|light)|x.?rays?|radiation|radioactiv[a-z]+|brake (?:lines?|pads?
            |fluid)|brakes|steering|air.?bags?|child seats?|car seats?|booster seats?|isofix
            |seat ?belts?|motorway|hard shoulder|speeding|overtak[a-z]+|drink.driv[a-z]+|night driving
            |tired drivers?|driving licen[cs]e|level crossing|railway|tracks|runway|drones?|no.fly
            |cockpit|flight deck|life ?(?:rafts?|jackets?|vests?|buoys?)|lifeguards?|deep end|pond|lake
            |river|open water|rip currents?|tide|ice (?:thick|thickness)|fenced|unfenced|pool fence
            |stair ?gates?|bunk beds?|trampolines?|swings?|playground|climbing frame|cots?|crib
            |crowd(?:s|ed)? (?:control|barriers?)|escape routes?|fire (?:doors?|exits?|escape|officer
            |alarm|blanket|lanes?|brigade|marshal)|corridor (?:door|stays)|smoke (?:alarm|detector)s?
            |sprinklers?|assembly point|walking aid|step.free|slippery|trip hazard|trips? over
            |motors? (?:stops?|must|cuts?|brakes?)|watchdog|fail.?safe|failsafe|redundan[a-z]+ (?:brake
            |sensor)|dead man|torque limit|load (?:limit|rating)|structural|beams?|joists?|asbestos
            |lead paint|carbon monoxide|co alarm|refrigerants?|fumes|ventilat[a-z]+|fume (?:hood
            |cupboard)|bromine|chlorine|hydrofluoric|nitric|sulphuric|sulfuric|caustic|bleach|peroxide
            |molar|reagents?|centrifuge|autoclave|bunsen|ethanol|methanol|hydrogen|nitrogen|helium
            |argon|oxygen|propane|butane|petrol|diesel|gasoline|kerosene|paraffin|thinners?|turpentine
            |varnish|fireworks?|sparklers?|matches|lighters?|bonfires?|campfires?|open flames?
            |deep.?fr(?:yer|ying)|hot oil|gas (?:hob|cylinder|bottle|canister)s?|extension (?:cords?
            |leads?|cables?|reels?)|wall sockets?|[0-9.]+ ?kw|high voltage|live (?:wires?|rail
            |conductor|parts|until)|wires are live|de.?energi[sz]ed?|isolat(?:ed|or)|gfci|earth(?:ing
            |ed)?|power tools?|jump leads|charging (?:overnight|unattended)|unattended|home alone
            |let anyone in|open the door to|strangers?|grooming
        """,
        unless=r"""
            drones? (?:footage|shots?|music|video)|(?:sql|code|guard) clauses?|type guards?|ropes? of
            |beam (?:search|width)|(?:swing|pool|river|lake|track|tracks) (?:state|chords?|table
            |fish|house|view|side|town|city|name|dance|music|band|number|list|changes|the|by|my
            |down|every|each|all|all my)|(?:data ?)?lake ?house|data lake|(?:football|tennis|chess|two
            |three|four|[0-9]+|the|all|their|our|my|both|friendly|home) matches|matches (?:the|my
            |this|with|per|a|on|against)|laser (?:printer|focus|print|tag)[a-z]*|tracks? (?:of|list)
            |unit under|in isolation|isolation level|(?:is|are|be|run|tests?) isolated|isolated
             (?:tests?|from the rest)|structural (?:typing|changes|edit|analysis)|watchdog article
            |(?:hydrogen|helium|oxygen|nitrogen|argon|river|lake|tide|beams?|torque)[^.!?\n]{0,30}
            (?:exam|homework|quiz|poem|song|chapter|slide|essay)|(?:lead|data|parallel|main) swings
            |cottage|cots? for|unattended (?:upgrade|install)[a-z]*|redundant (?:code|word)[a-z]*
            |matches{end}|play(?:s|ed|ing)? (?:[a-z]+ )?matches|playground (?:code|file|app|project
            )|swift playgrounds?|go playground|crib sheet|trips over (?:the|a) (?:null|edge)
        """,
    ),
)
