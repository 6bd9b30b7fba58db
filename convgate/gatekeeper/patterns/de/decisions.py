"""German: what was decided."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DECISIONS = (
    Pattern(
        "decision",
        "lass uns … nehmen",
        r"""
            (?:lass|lasst|lassen sie) uns (?:[a-z0-9_.+-]+ ){0,6}?(?:nehmen|verwenden|benutzen|nutzen
            |wahlen|einsetzen|bleiben|setzen|umsteigen)|nehmen wir|wir nehmen|wir bleiben bei
            |bleiben wir bei|wir entscheiden uns|wir setzen auf|setzen wir auf
            |wir steigen (?:auf [^.!?\n]{2,30} )?um|wir machen (?:es mit|variante|option)
            |(?:lass|lasst) uns (?:mit [^.!?\n]{2,30} arbeiten|bei [^.!?\n]{2,30} bleiben)
            |dann (?:nehmen|verwenden|nutzen) wir|ich nehme|dann nehm(?:e)? ich
        """,
        said="both",
        unless=r"""
            (?:nehmen wir|lass uns) (?:mal |an|einmal |zum beispiel|als beispiel|uns zeit)|nehmen wir an
            |(?:zeit|pause|kaffee|ruhe) (?:nehmen|nutzen)|(?:wenn|wie|was|ob|warum|falls) (?:wir|ich)
        """,
    ),
    Pattern(
        "decision",
        "ich habe entschieden",
        r"""
            (?:ich|wir|das team|wir alle|er vorstand) (?:habe?n?|hat|hab) (?:mich|uns|sich|es|das|jetzt
            |nun|also|heute|gestern|[^.!?\n]{0,50}) ?(?:entschieden|entschlossen|beschlossen|ausgewahlt
            |gewahlt|festgelegt|geeinigt)
            |haben (?:wir|wir uns) [^.!?\n]{0,60}(?:entschieden|beschlossen|geeinigt)
            |habe ich (?:mich )?[^.!?\n]{0,40}(?:entschieden|beschlossen)
            |(?:die|unsere|meine) (?:entscheidung|wahl) (?:ist|fallt|fiel|lautet|steht)|entscheidung:
            |es bleibt bei|(?:ist|sind) (?:jetzt |damit |nun )?(?:beschlossen|entschieden)
        """,
        said="both",
        unless=r"""
            (?:noch )?nicht (?:entschieden|beschlossen|festgelegt)
            |es wird (?:zeit|kalt|warm|spat|schon|besser|dunkel|schwer|eng|nicht|regnen|schneien)
            |(?:wie|warum|wieso|ob|wenn) [^.!?\n]{0,40}(?:entschieden|entscheidung)
            |entscheidung (?:liegt|ist (?:deine|ihre|schwer|nicht))
        """,
    ),
    Pattern(
        "decision",
        "wir werden … verwenden",
        r"""
            (?:wir|ich) werden? (?:[a-z0-9_.+-]+ ){0,5}?(?:verwenden|nutzen|benutzen|nehmen|einsetzen
            |wahlen)|wir (?:verwenden|nutzen|benutzen) (?:jetzt|ab|nun|kunftig|also|dann)
            |(?:also|dann) (?:verwenden|nutzen|benutzen) wir|wir gehen mit
        """,
        said="both",
        unless="(?:wenn|wie|was|ob|warum|falls) (?:wir|ich)",
    ),
)
