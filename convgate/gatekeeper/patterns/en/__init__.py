"""English: all that the gatekeeper knows of it; here greetings, confirmations, and how one asks."""

from __future__ import annotations

from convgate.gatekeeper.patterns.en.corrections import CORRECTIONS
from convgate.gatekeeper.patterns.en.decisions import DECISIONS
from convgate.gatekeeper.patterns.en.named import NAMED
from convgate.gatekeeper.patterns.en.policies import POLICIES
from convgate.gatekeeper.patterns.en.preferences import PREFERENCES
from convgate.gatekeeper.patterns.language import Language

ENGLISH = Language(
    code="en",
    named=NAMED,
    patterns=(*CORRECTIONS, *PREFERENCES, *POLICIES, *DECISIONS),
    greetings=r"""
        hi|hiya|hello|hey|heya|hullo|good (?:morning|afternoon|evening|day)|morning|howdy|sup|what's up
        |whats up|wassup|what is up|yo|greetings|g'day
    """,
    pleasantries=r"""
        there|all|everyone|everybody|every one|team|folks|guys|y'all|again|friends?|buddy|mate|man|dude
        |bro|sir|madam|ma'am|ladies|gentlemen|and|to you|to you all|my|dear|you|claude|chatgpt|gpt
        |gemini|copilot|siri|alexa|assistant|bot|ai|world|people|today|doing
        |how are (?:you|u|things|y'all|we)(?: all)?(?: doing)?(?: today| this morning)?|how's it going
        |hows it going|how is it going|how r u|how do you do|how have you been
        |how's (?:everything|your day|things)(?: going)?|what's up|whats up|what's new
        |nice to (?:meet|see) you(?: all)?|good to see you|hope you(?:'re| are) (?:well|doing well|good)
        |(?:are )?you there|anyone there|anybody (?:there|home)|long time no see|happy (?:monday|friday)
        |can you help(?: me)?|i need (?:some |your )?help|it's me|good (?:morning|afternoon|evening|day)
    """,
    confirmations=r"""
        ok|okay|k|got it|sure|thanks|thank you|ty|great|yes|no|yep|nope|alright|understood|roger|ack
        |cool|nice
    """,
    yes_or_no="yes|no|yep|nope|sure|yeah|yup|nah|yes please|no thanks|no thank you",
    agreements="ok|okay|k|alright",
    questions=r"""
        (?:what|which|who|whose|whom|how|why|where|when)(?:'s|'re|'d| [a-z']+)
        |(?:do|does|did|should|shall|can|could|would|will|is|are|am|was|were|has|have|had|may|might
        |must|isn't|aren't|don't|doesn't|didn't|won't|can't|couldn't|shouldn't|wouldn't|haven't
        |hasn't) (?:i|you|u|we|they|he|she|it|the|this|that|these|those|there|our|my|your|his|her|their
        |people|any\w*|some\w*|all|most|each|every\w*|[a-z]+s|[a-z]+ (?:always|never|prefer|usually))
    """,
    open_questions="what|what's|whats|which|who|who's|whose|whom|how|how's|why|where|where's|when",
    choices=r"""
        which (?:one|of|would|do|should|option|\w+ (?:should|do|would|shall))|should (?:we|i)
        |shall (?:we|i)|(?:do|would|did) you (?:want|like|prefer)
        |(?:what|which|where|when|who) (?:\w+ ){0,3}(?:should|shall) (?:we|i|it|they|the)|want me to
        |would you rather|what (?:\w+ ){0,3}(?:do|would) you (?:want|like|prefer)|go with
        |what's your (?:choice|pick|preference|decision)
        |what is your (?:choice|pick|preference|decision)|what have you decided
        |what did (?:you|the team) decide|\w+ or \w+\?|(?:the|an?|option|plan) [^?]{1,40} or (?:the|an?
        |option|plan) ?[^?]{1,40}\?|what'?s it going to be|your call|pick (?:one|a)
        |are we (?:going|using)|will (?:we|you) (?:use|go)
    """,
    invitations=r"""
        let me know (?:what|which|if|whether|who|where|when|how)
        |tell me (?:what|which|if|whether|who|where|when|how|your)
        |please (?:choose|pick|confirm|specify|tell|select|enter|provide|give)
        |(?:choose|pick|select) (?:one|between|from)|your (?:choice|call|pick)
    """,
    offers=r"how (?:can|may|could) i (?:help|assist|be of)|what can i (?:do|help)",
)
