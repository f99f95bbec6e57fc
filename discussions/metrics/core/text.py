"""The one tokenizer: lower-cased runs of letters and digits with inner apostrophes; a player's name is one token.

Texts are joined, marked and cut as a whole, so that one pass in C feeds every metric. In marked text a name is one
private character that says which player, followed by padding: marking keeps every offset where it was.

Cuts messages into sentences and clauses, always in time linear in the length of the text.

Also finds names that look alike: names with letters of other scripts, or names that differ only in marks and case.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import accumulate

from msgspec import structs

from discussions.core.records import GameRecord
from discussions.metrics.core.names import Found, Roster, fold, is_mark, lowered, names_in, not_ascii

NAME = "[name]"
END = "\x00"
PAD = "\x02"
OWNED = "\x03"
_FIRST, _LAST = 0xE000, 0xF8FD
_PLANE = 0xF0000
NAME_CHARS = "\ue001-\uf8fd\U000f0000-\U0010fffd"
_LOOSE_APOSTROPHE = re.compile(r"'(?:(?![^\W_])|(?<![^\W_]'))")
_NAMES = re.compile(f"[{NAME_CHARS}]")
_PADDING = (PAD + OWNED).encode()

_TABLE = bytes(
    byte if byte >= 128 or byte == 0 or byte == 39 or chr(byte).isalnum() else 32 for byte in range(256)
)


@lru_cache(maxsize=10_000)
def name_token(player: int) -> str:
    return chr(_FIRST + player) if _FIRST + player <= _LAST else chr(_PLANE + player)


@lru_cache(maxsize=1_000)
def _padded(player: int, size: int, owned: int) -> str:
    """The placeholder for a name of `size` characters and a possessive ending of `owned` characters."""
    return name_token(player) + PAD * (size - 1) + OWNED * owned


def players_in(marked: str) -> set[int]:
    if marked.isascii():
        return set()
    return {player for char in _NAMES.findall(marked) if (player := decode_player(char))}


def decode_player(token: str) -> int | None:
    """The player that a token stands for; None for a word."""
    code = ord(token[0])
    if _FIRST < code <= _LAST:
        return code - _FIRST
    return code - _PLANE if code >= _PLANE else None


def mark(low: str, places: list[Found]) -> str:
    pieces: list[str] = []
    last = 0
    for start, negative_end, player, name_end in places:
        pieces.append(low[last:start])
        last = -negative_end
        pieces.append(_padded(player, name_end - start, last - name_end))
    pieces.append(low[last:])
    return "".join(pieces)


def odd_characters(low: str, *, keeps_marks: bool = False) -> str:
    """The characters of a text that are neither ASCII nor letters nor digits: they separate tokens like a space.

    With `keeps_marks`, combining marks separate nothing.
    """
    if low.isascii():
        return ""
    odd = (char for char in not_ascii(low) if not char.isalnum())
    return "".join(char for char in odd if not (keeps_marks and is_mark(char)))


def blank_lone_marks(text: str) -> str:
    """The text with blanks for combining marks that follow no letter, such as those of emoji; of the same length."""
    marks = "" if text.isascii() else "".join(filter(is_mark, not_ascii(text)))
    if not marks:
        return text
    runs = re.compile(f"(?<![^\\W\\d_])(?<![{marks}])[{marks}]+")
    return runs.sub(lambda found: " " * len(found.group()), text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def compose(game: GameRecord) -> GameRecord:
    """The game with its names and texts in the Unicode form NFC; the same one if they are."""
    texts = [message.text for message in game.messages]
    if all(map(partial(unicodedata.is_normalized, "NFC"), (*game.names, *texts))):
        return game
    players = [
        structs.replace(player, name=_composed(player.name), aliases=[*map(_composed, player.aliases)])
        for player in game.players
    ]
    messages = [
        structs.replace(message, text=_composed(text))
        for message, text in zip(game.messages, texts, strict=True)
    ]
    return structs.replace(game, players=players, messages=messages)


def stored_place(stored: str, composed: str, place: int) -> int:
    """The place in a stored text of a place in the same text in NFC: as much of the text is before it, in NFD."""
    if stored == composed or not place:
        return place
    before = len(unicodedata.normalize("NFD", composed[:place]))
    lengths = accumulate(len(unicodedata.normalize("NFD", char)) for char in stored)
    return next(index for index, length in enumerate(lengths, start=1) if length >= before)


def cut(marked: str, odd: str) -> list[str]:
    """The tokens of a marked text, with END between messages where it has it; `odd` are its odd characters."""
    plain = marked
    if not marked.isascii():
        for char in odd:
            plain = plain.replace(char, " ")
    if "'" in plain:
        plain = _LOOSE_APOSTROPHE.sub(" ", plain)
    return plain.encode().translate(_TABLE, _PADDING).decode().split()


def tokenise(text: str, roster: Roster | None = None) -> list[str]:
    folded = fold(text)
    low = lowered(folded)
    marked = mark(low, names_in(low, folded, roster)) if roster else low
    return [NAME if decode_player(token) else token for token in cut(marked, odd_characters(low))]


def to_readable_text(marked: str) -> str:
    if marked.isascii():
        return marked.strip()
    plain = marked.replace(PAD, "").replace(OWNED, "")
    return _NAMES.sub(NAME, plain).strip()


_MARKS, _BREAKS = r".!?\u2026", r"\n\r\x0b\x0c\x85\u2028\u2029"

# One set of all first characters comes first: Python's search can skip to these, but not to those of two branches.
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
    """The same span of a text without white space at both ends; empty when it is only white space."""
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

    A question mark stays with its clause. A joining word must follow a space, a bracket or a dash ("cat-and-mouse" is
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


# The Cyrillic and Greek letters that look like Latin ones, and other characters that look like a letter (UTS #39).
_DRAWN_AS = str.maketrans(
    "абвгдеийкмнорстухьѕіјԁԛԝαβγεηικμνορτυχϲ01|!",
    "a6brdeuukmhopctyxbsijdqwabyenlkuvoptuxcolll",
)

_ALIKE = (("rn", "m"), ("vv", "w"), ("i", "l"))


def skeleton(name: str) -> str:
    """The visual form of a name: two names with the same skeleton cannot be told apart at a glance."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKD", name).casefold()
        if not unicodedata.category(character).startswith(("M", "C"))
    )
    drawn = plain.translate(_DRAWN_AS)
    for written, seen in _ALIKE:
        drawn = drawn.replace(written, seen)
    return " ".join(drawn.split())


def is_mixed(name: str) -> bool:
    """Whether a name has letters of two of the scripts that look alike."""
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in name if character.isalpha()}
    return len(scripts & {"LATIN", "CYRILLIC", "GREEK"}) > 1


def confusable(names: Sequence[str]) -> list[bool]:
    counts = Counter(skeleton(name) for name in names)
    return [counts[skeleton(name)] > 1 or is_mixed(name) for name in names]
