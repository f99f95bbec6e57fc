"""Cutting a message into sentences and clauses; all of it linear in the length of the text, whatever the text."""

import re

_MARKS, _BREAKS = r".!?\u2026", r"\n\r\x0b\x0c\x85\u2028\u2029"
# One set of all first characters in front: Python's search leaps to those, but not to those of two branches.
_ENDS = re.compile(
    f"[{_MARKS}{_BREAKS}](?:(?<=[{_MARKS}])[{_MARKS}]*+[\"'\u201d\u2019\u00bb)\\]}}\u203a]*+|(?<=[{_BREAKS}])[{_BREAKS}]*+)"
)
_CLAUSE_MARKS = ",;.!\r\u2026\x85\u2028\u2029"
_JOINING_WORDS = (" so", " but", " and", " although")
_JOINING = re.compile(r" (?:so|but|and|although)\b")
_BEHIND_DASH = re.compile(r"-(?:so|but|and|although)\b(?!-)")
_QUOTED = re.compile(r'"[^"]*"')


def split(text: str) -> list[tuple[int, int]]:
    """The sentences as half-open (start, end) code points, without the white space around them.

    A sentence ends after a run of . ! ? or the ellipsis character, with closing quotes or brackets, that white space
    or the end of the text follows; and at line breaks. Sentence number 1 is the first of the list.
    """
    sentences = []
    start = 0
    for found in _ENDS.finditer(text + "\n"):
        end = found.end()
        if text[end : end + 1].strip() and not text[end - 1].isspace():
            continue
        begin, stop = start, min(end, len(text))
        start = end
        if text[begin : begin + 1] == " ":
            begin += 1
        if begin < stop and (text[begin].isspace() or text[stop - 1].isspace()):
            begin, stop = trim(text, begin, stop)
        if begin < stop:
            sentences.append((begin, stop))
    return sentences


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The same stretch of a text without the white space at its two ends; empty when it is nothing else."""
    piece = text[start:end]
    bare = piece.lstrip()
    return end - len(bare), end - len(bare) + len(bare.rstrip())


def unquoted(folded: str) -> str:
    """The text with everything between double quotes blanked, of the same length; a lone quote stays."""
    if '"' not in folded:
        return folded
    return _QUOTED.sub(lambda found: " " * len(found.group()), folded)


def clauses(text: str) -> list[str]:
    """The clauses of a lower-cased text: cut at commas, semicolons, ends of sentences, and at so, but, and, although.

    A question mark stays with its clause. A joining word stands after a space, a bracket or a dash ("cat-and-mouse" is
    whole).
    """
    for char in _CLAUSE_MARKS:
        if char in text:
            text = text.replace(char, "\n")
    if "?" in text:
        text = text.replace("?", "?\n")
    if "(" in text:
        text = text.replace("(", "( ")
    if "-" in text:
        text = _BEHIND_DASH.sub("\n", text)
    for word in _JOINING_WORDS:
        if word in text:
            text = _JOINING.sub("\n", text)
            break
    return [clause for clause in text.split("\n") if clause and clause != " "]
