"""What programs print when they fail, in whatever language the user writes."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

TRACES = (
    Pattern(
        "trace",
        "a printed error",
        r"""
            traceback \(most recent call last\)[^\n]*|[a-z_.]*(?:error|exception
            |panic)(?:\[[a-z0-9]+\])?:[ \t]*[^\n]{2,}|(?:fatal|error|panic|critical|fehler|erreur
            |err|failure|failed)[:!] ?[^\n]{2,}|[a-z]+(?:\.[a-z]+)*(?:exception|error)\b[^\n]*
            |npm err[^\n]*|error[^:\n]{1,40}: [^\n]{3,}|already (?:allocated|in use)|(?:quota|limit
            |timeout|time) exceeded|segmentation fault|segfault(?:s|ed)?|core dumped
            |exit(?:ed)?(?: with)? (?:code|status) [1-9][0-9]*|exit code:? [1-9][0-9]*
            |error code:? [a-z0-9-]+|(?:http(?:/[0-9.]+)? |status |status code |error |a |
            code )(?:4[0-9][0-9]|5[0-9][0-9])\b[^\n]{0,60}|error:? [a-z]?[-0-9][a-z0-9-]*
            |errno [0-9]+|0x[0-9a-f]{8}|ora-[0-9]+[^\n]*|e[0-9]{2,5}\b|[a-z]+error|err_[a-z_]+
            |e(?:connrefused|acces|noent|addrinuse)[^\n]*|rejected\][^\n]*|non.fast.forward
            |[a-z][^\"\n]{0,60}(?:failed|error|expired|denied|refused|invalid|not found|unable to
            |timed out)[^\"\n]{0,60}\"|(?:nodes?|pods?) (?:are )?(?:available
            |pending)[^\n]*insufficient[^\n]*|permission denied|access denied|connection (?:refused
            |reset|timed out)|command not found|no such file or directory|out of memory|oom.?killed
            |crashloopbackoff|imagepullbackoff|no space left on device|timed out|undefined reference
            |cannot find module[^\n]*|module not found[^\n]*|stack overflow|blue ?screen
            |kernel panic
        """,
        unless=r"""
            (?:try|catch|except|raise|throw|throws|catches|class|handle|extends|return|type|subclass
            |raises|log|logging\.|console\.|sys\.std|std)[ (]+(?:a |an |the )?[a-z.]*(?:error
            |exception)\b[^\n]*|error (?:handling|messages?|bars?|margin|rate|rates|term|page|pages
            |log|logs|handler|correction|codes?|types?|class(?:es)?|states?|boundary|budget)
            |(?:margin|trial and|mean|standard|human|squared|rounding|type [12i]+|typing|spelling
            |measurement|absolute|my|own|sampling|user) (?:squared |absolute )?error
            |e[0-9]{2,5} (?:road|motorway|motor)|the e[0-9]{2}\b|e[0-9]{2} (?:from|to|towards|near)
            |as a (?:4|5)[0-9][0-9]|a [45][0-9][0-9] (?:page|km|g|m|euro|word|kg|kcal|calorie|litre
            |w|watt|v|piece|people|year|room|seat|ml|day|mile)[a-z]*|warning:? [^\n]*|deprecat[a-z]*
        """,
        asked=True,
    ),
)
