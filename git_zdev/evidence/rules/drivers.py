r"""Which lines open a section in the languages that Git has a driver for (gitattributes(5)).

A driver is a list of rules, asked in turn for each line; the first that matches decides. ``~`` in
front of a rule says that such a line opens nothing. A rule is a Python regular expression, tried at
the start of a line unless it begins with ``.*``; a heading shows the first group, or all that
matched. Blanks are spaces and tabs throughout, and ``\s`` stands for them alone.

The rules are written from the languages and from what Git 2.39 shows for lines made up at random;
later releases of Git changed ``csharp``, ``java`` and a few others, and added ``ini`` and ``r``.
"""

from __future__ import annotations

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_SHELL_BODY = r"(?:\{|\(\(?|\[\[)"
_CSHARP_MODIFIER = r"internal|new|override|private|protected|public|sealed|static|unsafe|virtual"
_LETTERS = r"\w\x80-\xff"
_CSHARP_TYPE = rf"[][<>@.~{_LETTERS}]+"

_RULES: dict[str, tuple[str, ...]] = {
    "ada": (
        r"~(?:.*\s)?(?:renames|is\s+(?:new|separate))(?:\s|$)",
        r"~\s*with\s",
        r"\s*((?:function|package|procedure|protected|task)\s.*)",
    ),
    "bash": (
        rf"\s*({_NAME}\s*\(\s*\))",
        rf"\s*(function\s+{_NAME}(?:\s*\(\s*\)\s*|\s+){_SHELL_BODY})",
    ),
    "bibtex": (r""".*?(@[A-Za-z]+\s*\{?\s*[^ \t"@',\\#}{~%]*)""",),
    "cpp": (
        rf"~\s*{_NAME}:[ \t\v\f\r]*(?:$|/[/*])",
        r"((?:::[ \t\v\f\r]*)?[A-Za-z_].*)",
    ),
    "csharp": (
        r"~\s*(?:catch|do|else|for|if|instanceof|new|return|switch|throw|using|while)",
        (
            rf"\s*((?:(?:async|{_CSHARP_MODIFIER})\s+)*{_CSHARP_TYPE}\s+"
            rf"[<>@.{_LETTERS}]+\s*\(.*\))\s*$"
        ),
        rf"\s*((?:(?:{_CSHARP_MODIFIER})\s+)*{_CSHARP_TYPE}\s+[@.{_LETTERS}]+)\s*$",
        (
            r"\s*((?:(?:abstract|internal|new|partial|private|protected|public|sealed|static|unsafe)\s+)*"
            r"(?:class|enum|interface|record|struct)\s.*)"
        ),
        r"\s*(namespace\s.*)",
    ),
    "css": (
        r"~.*[:;][ \t\v\f\r]*$",
        r"[:[@.#]?[_a-z0-9].*",
    ),
    "dts": (
        r"~.*[;=]",
        r"\s*((?:/\s*\{|&?[A-Za-z_]).*)",
    ),
    "elixir": (r"\s*((?:test|def(?:p|impl|macro|module|protocol)?)\s.*)",),
    "fortran": (
        r"~[C*]",
        r"~\s*!",
        r"~\s*module\s+procedure\s",
        (
            r"\s*((?:end\s+)?(?:program|module|block\s+data"
            r"|(?:[^!'\"\s]+\s+)*(?:subroutine|function))\s+[a-z].*)"
        ),
    ),
    "fountain": (r"(?:\.[^.]|(?:int|ext|est|int\.?/ext|i/e)[. ]).*",),
    "golang": (
        r"\s*(func.*)",
        r"\s*(type\s.*(?:struct|interface)\s*(?:\{\s*)?)",
    ),
    "html": (r"\s*(<[Hh][1-6](?:\s.*)?>.*)",),
    "java": (
        r"~\s*(?:catch|do|for|if|instanceof|new|return|switch|throw|while)",
        r"\s*((?:[a-z]+\s+)*(?:class|enum|interface)\s+[A-Za-z][A-Za-z0-9_$]*\s+.*)",
        rf"\s*((?:[A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*\s+)+{_NAME}\s*\([^;]*)$",
    ),
    "kotlin": (r"\s*((?:[a-z]+\s+)*(?:class|fun|interface)\s.*)",),
    "markdown": (r" {0,3}#{1,6}\s.*",),
    "matlab": (
        r"[ \t\v\f\r]*((?:classdef|function)[ \t\v\f\r].*)",
        r"(?:%%%?|##)[ \t\v\f\r].*",
    ),
    "objc": (
        r"~\s*(?:do|else|for|if|return|switch|while)",
        r"\s*([-+]\s*\(\s*[A-Za-z_][A-Za-z_0-9* \t]*\)\s*[A-Za-z_].*)",
        rf"\s*((?:{_NAME}\s+)+{_NAME}\s*\([^;]*)$",
        r"@(?:implementation|interface|protocol)\s.*",
    ),
    "pascal": (
        (
            r"(?:(?:class\s+)?(?:function|procedure)|constructor|destructor|interface|implementation"
            r"|initialization|finalization).*"
        ),
        r".*=\s*(?:class|record).*",
    ),
    "perl": (
        r"package .*",
        r"sub [A-Za-z0-9_':]+\s*(\([^)]*\)\s*)?(?::[^;#]*)?(?:\{\s*)?(?:#.*)?$",
        r"(AUTOLOAD|BEGIN|CHECK|DESTROY|END|INIT|UNITCHECK)\s*(?:\{\s*)?(?:#.*)?$",
        r"=head[0-9] .*",
    ),
    "php": (
        r"\s*((?:(?:abstract|final|private|protected|public|static)\s+)*function.*)",
        r"\s*((?:(?:(?:abstract|final)\s+)?class|enum|interface|trait).*)",
    ),
    "python": (r"\s*((?:class|(?:async\s+)?def)\s.*)",),
    "ruby": (r"\s*((?:class|def|module)\s.*)",),
    "rust": (
        (
            r"\s*((?:pub(?:\([^)]+\))?\s+)?(?:(?:async|const|unsafe|extern\s+\"[^\"]+\")\s+)?"
            r"(?:enum|fn|impl|macro_rules!|mod|struct|trait|union)[<\s]+[^;]*)$"
        ),
    ),
    "scheme": (
        (
            r"\s*(\((?:def(?:alias|class|ine|method|proto|record|rules|struct|syntax)?[-*/\s]"
            r"|(?:class|library|module|struct)[*+\s]).*)"
        ),
    ),
    "tex": (r"\\(?:(?:sub)*section|chapter|part)\*?\{.*",),
}
_IGNORING_CASE = frozenset({"ada", "css", "fortran", "fountain"})


def built_in(name: str) -> tuple[str | None, bool]:
    """The pattern of a built-in driver (else None), and whether it ignores letter case.

    Returns:
        One Python regular expression a line, ``!`` in front of those that count against a line.
    """
    rules = _RULES.get(name)
    if rules is None:
        return None, False
    return "\n".join(map(_pattern, rules)), name in _IGNORING_CASE


def _pattern(rule: str) -> str:
    against, rule = ("!", rule[1:]) if rule.startswith("~") else ("", rule)
    return f"{against}^{_in_blanks(rule)}"


def _in_blanks(rule: str) -> str:
    r"""Write ``\s`` out as the two blanks, inside a bracket and outside of one."""
    out = []
    inside = False
    at = 0
    while at < len(rule):
        pair = rule[at : at + 2]
        if pair == r"\s":
            out.append(r" \t" if inside else r"[ \t]")
            at += 2
            continue
        if pair.startswith("\\"):
            out.append(pair)
            at += 2
            continue
        if pair[:1] == "[" and not inside:
            inside = True
        elif pair[:1] == "]" and inside and out[-1] not in ("[", "^"):
            inside = False
        out.append(pair[:1])
        at += 1
    return "".join(out)
