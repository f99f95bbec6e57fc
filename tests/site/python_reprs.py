"""Finds Python objects that were written to a page instead of what they say."""

import html
import re

# How records, model rows, functions, numbers, dates and collections are written by repr().
REPRS = (
    r"\b[A-Z]\w+\([a-z_]\w*=",
    r"<[A-Z]\w+: ",
    r"<[\w. ]+ at 0x[0-9a-f]+>",
    r"<(?:QuerySet|class|function|bound method|built-in)\b[^<>]*",
    r"\b(?:Decimal|Fraction|frozenset|defaultdict|Counter|deque)\(",
    r"\bdatetime\.\w+\(",
    r"\bdict_(?:keys|values|items)\(",
    r"\{'[^'\n]*': ",
    r"[\[(]'[^'\n]*'[,\])]",
    r"\bb'[^'\n]*'",
)
_REPR = re.compile("|".join(REPRS))
_SIGN = re.compile(r"[(<']")  # each of them has one of these, few texts do
_LONE = re.compile(r">\s*(None|True|False|Undefined|UNSET)\s*<")
_SCRIPT = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")


def find_reprs(page: str) -> list[str]:
    """What is written on a page of HTML as Python writes it, each with some of what follows."""
    page = _SCRIPT.sub("", page)
    lone = [match[1] for match in _LONE.finditer(page)]
    # Quotes in attributes are told apart from those in texts: a value of an attribute is read as it is.
    texts = filter(_SIGN.search, map(html.unescape, _TAG.split(page)))
    return lone + [text[match.start() :][:80] for text in texts for match in _REPR.finditer(text)]
