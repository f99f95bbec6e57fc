"""What a text says, and what its author thought: between tags, after labels, in marks, or under keys of JSON."""

import re
from collections.abc import Collection, Iterable
from operator import gt
from typing import Any

from discussions.transcripts.core.audience import (
    LEAST_SPACES,
    PRIVATE,
    SPEECH,
    THOUGHT,
    is_hidden,
    kind_of_title,
    kind_of_type,
    split_names,
)
from workspace.core.strict_json import read_json

# The tags between which models write what they think before they speak, and programs what they set faint; in brackets,
# where one closes.
_TAG = (
    r"(/?)\s?(?:think(?:ing)?|thoughts?|faint|reasoning|reflection|scratchpad|analysis"
    r"|(?:inner|internal|private|hidden|secret)(?:[ _-]?(?:monologue|voice|thoughts?|reasoning|notes?))?)\s?"
)
_TAGS = re.compile(rf"[<◁]\|?{_TAG}\|?[>▷]", re.IGNORECASE)
_BOXED_TAGS = re.compile(rf"\[{_TAG}\]", re.IGNORECASE)
_OPEN_TAGS = re.compile(
    r"</?\s?(?:public|speech|speak|say|statement|message|answer|response|output)\s?>", re.IGNORECASE
)
# "(Internal note: ...)", "{thinks: ...}" inside a text.
_BOXED = re.compile(
    r"[(\[{*]\s?(?:(?:inner|internal|private|hidden|secret)[ _-](?:notes?|thoughts?|thinking|monologue|voice|reasoning)"
    r"|thinks?|thinking|thoughts?|internally|to (?:him|her|them|my)self)\s?[:：](?P<thought>[^()\[\]{}*]*)[)\]}*]",
    re.IGNORECASE,
)
# "Thought: ..." before "Action Input: ..." or "Speech: ...", each at the beginning of a line.
_SAYING = (
    r"(?:(?:public|final|spoken|my)[ _-])?"
    r"(?:speech|speak|say|says|said|spoken|public|statement|response|answer|message|reply|utterance|output"
    r"|action[ _]input|aloud|out[ -]loud|outside|openly)"
)
_LABEL = re.compile(
    r"^[\s*_#>`\[(]{0,6}(?:(?P<thought>(?:(?:inner|internal|private|hidden|my)[ _-])?"
    r"(?:thoughts?|thinking|reasoning|monologue|scratchpad|rationale|reflection|analysis)"
    rf"|(?:in )?my (?:head|mind)|inside|to myself)|{_SAYING})[*_`\])]{{0,4}} ?[:：][*_`]{{0,3}}",
    re.IGNORECASE | re.MULTILINE,
)
# "PLAN: ..." before "SAY: ...": any label at the beginning of a line; it may be a title.
_ANY_LABEL = re.compile(
    r"^[\s*_#>`\[(]{0,6}(?P<label>[^\W\d_][\w -]{0,30}?)[*_`\])]{0,4} ?[:：][*_`]{0,3}", re.MULTILINE
)
_LABELLED_PART = re.compile(
    rf"{_ANY_LABEL.pattern}|^(?:(?P<dashed>[^\W\d_][\w -]{{0,30}}?) [-–—](?= )"
    r"|(?:#{1,6} |\*\*|__)(?P<title>[^\W\d_][\w -]{0,30}?)(?:\*\*|__)?$)",
    re.MULTILINE,
)
_IN_LINE = re.compile(rf"(?:(?<=[.!?…|/;\"”)])|(?<=[.!?…] [|/])) ?{_SAYING} ?[:：]", re.IGNORECASE)
# A text between tags of one name, of which HTML and forums have some, or between fences, of which programs have some.
_PAIRED = re.compile(
    r"[<\[{◁]\|?(?P<tag>[^\W\d_][\w -]{0,30})(?:=[^\]>\n]{0,60})?\|?[>\]}▷](?P<inside>.*?)"
    r"[<\[{◁]\|?/(?P=tag)\|?[>\]}▷]",
    re.DOTALL,
)
_FENCE = re.compile(
    r"(?P<fence>`{3,4}|~~~|\"\"\"|:::) ?(?P<tag>[^\W\d_][\w ]{0,40}(?=\s*\n)|[^\W\d_]\w{0,20}(?=\s)|)"
    r"(?P<inside>.*?)(?P=fence)",
    re.DOTALL,
)
_HTML = frozenset(
    "a b i u s p em li ul ol br td th tr h1 h2 h3 del ins sub sup pre code span div font mark small strong quote url "
    "img color size list json yaml xml html python py js sql bash sh csv console".split()
)
# Fences without a name of their own.
_BARE = frozenset(("", "text", "txt", "md", "markdown"))
# How GPT-OSS marks what it thinks and what it says.
_CHANNEL = re.compile(
    r"(?:<\|start\|>\w{0,20})?<\|channel\|>(?:(?P<said>final)|\w{1,20})[^<]{0,60}<\|message\|>"
)
_CONTROL = re.compile(r"<\|(?:end|return|call|(?:begin|end)_of_solution)\|>")
# Both in one line, in capitals: "THINK: ... SAYS: ...", each behind a picture or not, and in quotes or not.
_THINKS = re.compile(
    r'["“]?[^\w\s"]{0,3}\s?(?:INNER |PRIVATE )?(?:THINKS?|THOUGHTS?|THINKING|REASONING|PLAN)\s?[:：]\s?'
)
_SAYS = re.compile(
    r"(?<=[^\w\s,;:-])\s(?:[^\w\s]{1,3}\s)?(?:PUBLIC )?(?:SAYS?|SAID|SPEAKS?|SPEECH|STATEMENT|MESSAGE)\s?[:：]\s?"
)
_IN_CAPITALS = re.compile(r"\b[A-Z]{3,10}\s?[:：]")
# The fewest texts with words in marks that are asked about, and of those that are nothing but such words.
LEAST_ASIDES, _LEAST_WHOLE = 4, 2
# Each is looked for to the end of the text, as is each mark %%.
MOST_TAGS = 80
_MAY_THINK = re.compile(
    r"[\s*_#>`\[(]{0,6}(?:thought|think|reasoning|rationale|reflection|analysis|inner|internal|private"
    r"|hidden|in my |inside|to my|my|monologue|scratchpad)",
    re.IGNORECASE,
)


# What tags and fences have.
_SIGNS, _FENCES = ("</", "◁", "|>", "[/", "{/"), ("```", "~~~", '"""', ":::")


def may_think(text: str) -> bool:
    """Whether a text may hold thoughts, told fast."""
    if "<" in text or any(sign in text for sign in _SIGNS) or _has_fences(text):
        return True
    # Labels and notes in brackets have a colon, which most texts have not.
    has_colon = ":" in text or "：" in text
    return has_colon and bool(
        _MAY_THINK.match(text) or _BOXED.search(text) or _labels_of(text) or _split_line(text)
    )


def _has_fences(text: str) -> bool:
    return any(sign in text and text.count(sign) > 1 for sign in _FENCES)


def _labels_of(text: str) -> "list[re.Match[str]]":
    """The labels of a text whose first one names a thought and a later one speech; [] of other texts."""
    first = _ANY_LABEL.match(text)
    if first is None or not _names_thought(first):
        return []
    labels = _ANY_LABEL.finditer(text)
    found = [label for label in labels if _names_thought(label) or _LABEL.match(text, label.start())]
    return [] if all(map(_names_thought, found)) else found


def _names_thought(label: "re.Match[str]") -> bool:
    named = label.groupdict()
    return bool(named.get("thought")) or is_hidden(named.get("label") or "")


def _split_tags(text: str, kinds: Collection[str]) -> tuple[str, str]:
    """A text without what stands between tags whose names are of these kinds, and that."""
    is_marked = any(sign in text for sign in _SIGNS) or _has_fences(text)
    if not is_marked or sum(map(text.count, "<[{◁")) > MOST_TAGS:
        return text, ""
    pairs = [*_PAIRED.finditer(text), *_FENCE.finditer(text)]
    # A fence without a name is known by its place before what is said.
    found = [
        pair
        for pair in pairs
        if (tag := pair["tag"].lower()) not in _HTML
        if (tag not in _BARE and kind_of_type(tag) in kinds)
        or (tag in _BARE and "" in kinds and pair.start() == 0 and pair.end() < len(text))
    ]
    said = text
    for pair in found:
        said = said.replace(pair[0], "", 1)
    inside = "\n".join(pair["inside"].strip() for pair in found)
    return _OPEN_TAGS.sub("", said).strip() if found else text, inside


def _split_line(text: str) -> tuple[str, str] | None:
    """What a line says, and what it thinks, behind one label in capitals for each; None of other texts."""
    first = _THINKS.match(text)
    second = _SAYS.search(text, first.end()) if first and "\n" not in text else None
    labels = len(_IN_CAPITALS.findall(text)) if first else 0
    if not first or "\n" in text or labels < 2:
        return None
    # Between several labels nobody can tell what was said.
    if second is None or labels > 2:
        return "", text[first.end() :]
    return text[second.end() :].rstrip('"”'), text[first.end() : second.start()].strip()


def split_thoughts(text: str) -> tuple[str, str]:
    """What a text says, and what stands between tags of thoughts, before one that only closes, or after a label."""
    if in_line := _split_line(text):
        return in_line
    labels = list(_LABEL.finditer(text)) if _MAY_THINK.match(text) else []
    if not labels or not labels[0]["thought"]:
        labels = _labels_of(text)
    if labels and _names_thought(labels[0]) and not text[: labels[0].start()].strip():
        ends = [*(label.start() for label in labels[1:]), len(text)]
        spans = zip(labels, ends, strict=True)
        read = ((_names_thought(label), text[label.end() : end]) for label, end in spans)
        pieces = [piece for is_thought, part in read for piece in _in_line(part, is_thought=is_thought)]
        # "Inside: nothing to see." is said.
        is_open = "inside" in text[: labels[0].end()].casefold() and all(hides for hides, _piece in pieces)
        return (text, "") if is_open else _join_pieces(pieces)
    boxed = [found["thought"].strip() for found in _BOXED.finditer(text)]
    if boxed:
        return _BOXED.sub("", text).strip(), "\n".join(boxed)
    if "<|channel|>" in text:
        text = _CHANNEL.sub(lambda found: "</think>" if found["said"] else "<think>", text)
        text = _CONTROL.sub("", text)
    if "_of_thought|>" in text:
        text = text.replace("<|begin_of_thought|>", "<think>").replace("<|end_of_thought|>", "</think>")
        text = _CONTROL.sub("", text)
    first, *parts = (_BOXED_TAGS if "[/" in text and _BOXED_TAGS.search(text) else _TAGS).split(text)
    if not parts:
        return _split_tags(text, (THOUGHT, PRIVATE))
    pieces = [(not slash, piece) for slash, piece in zip(parts[::2], parts[1::2], strict=True)]
    said, thought = _join_pieces([(parts[0] == "/", first), *pieces])
    return _OPEN_TAGS.sub("", said).strip(), thought


def _in_line(piece: str, *, is_thought: bool) -> list[tuple[bool, str]]:
    """The pieces of a thought in which a label of speech follows: "I am it. Out loud: Hello."."""
    said = _IN_LINE.search(piece) if is_thought else None
    if said is None:
        return [(is_thought, piece)]
    return [(True, piece[: said.start()].rstrip(" |/")), (False, piece[said.end() :])]


def _join_pieces(pieces: list[tuple[bool, str]]) -> tuple[str, str]:
    """What is said, and what is thought, of pieces of a text of which each is a thought or not."""
    said, thought = (
        "\n".join(filter(None, (piece.strip() for is_thought, piece in pieces if is_thought == hides)))
        for hides in (False, True)
    )
    return said, thought


_SAID = frozenset(("content", "output", "statement", "utterance", "body"))
# How an answer in JSON begins.
RAW = "{", "```"
_FENCED = re.compile(r"```\w{0,10}\s{0,9}(?P<inside>\{.*\})\s{0,9}```", re.DOTALL)
# "*I must hide this.* Hello": words in marks before a text, which only a person knows to be a thought or an act.
ASIDE = "*words in marks* before a text"
_OPENS, _CLOSES = "(\\[{<（［【〔＜", ")\\]}>）］】〕＞"
_MARKED = (
    rf"(?:\*(?!\*)|_(?!_)|/\*|~~|\|\||%%|<!--|\\[a-zA-Z]{{2,20}}{{|[{_OPENS}]{{1,2}})"
    rf"(?P<aside>[^*_~|{_OPENS}{_CLOSES}]{{6,}}?)"
    rf"(?:\*/|~~|\|\||%%|-->|[*_]|[{_CLOSES}]{{1,2}})"
)
# The same sign before and behind all of a text: "~I lie to them.~".
_WHOLE = re.compile(
    r"(?P<mark>(?!\*\*|__)[*_~|/\\=^+#%·–—-]{1,3})(?P<said>)\s?(?P<aside>[^\W_].*[^\s*_])\s?(?P=mark)",
    re.DOTALL,
)
# "/w Bea psst" is a command of a chat.
_COMMAND = re.compile(r"/[a-z]{1,12} \S.*", re.DOTALL)
_ASIDES = (
    re.compile(rf"{_MARKED}(?:\s{{1,3}}(?P<said>\S.*))?", re.DOTALL),
    re.compile(rf"(?P<said>.*\S)\s{{1,3}}{_MARKED}", re.DOTALL),
)


def split_aside(text: str) -> tuple[str, str]:
    """What a text says beside unknown tags, keys or marks at an end, of three words or for some alone, and these."""
    if text[:1] == "{" and (found := _split_keys(text)):
        return found
    ends = text[:1] + text[-1:]
    is_marked = ends.strip("*_()[]{}<>（）［］【】〔〕＜＞/~|%\\") != ends and not text.startswith(
        ('{"', "{'", '["')
    )
    is_marked = is_marked and text.count("%%") <= MOST_TAGS
    shapes = (shape.fullmatch(text) for shape in _ASIDES if is_marked and not _BOXED.search(text))
    match = _WHOLE.fullmatch(text) or next(filter(None, shapes), None)
    aside = match["aside"].strip() if match else ""
    is_brief = aside.count(" ") < LEAST_SPACES or aside.casefold().startswith(("to ", "for ", "whisper"))
    # Words in square brackets and tags may have an end: "[thought] ... [/thought] ...".
    is_for_some = is_brief and kind_of_type(aside) in (PRIVATE, THOUGHT if text[:1] in "(（" else PRIVATE)
    if is_for_some or _COMMAND.fullmatch(text):
        return "", text
    if match is None or (aside.count(" ") < LEAST_SPACES and (aside.isascii() or " " in aside)):
        return _split_parts(text) or _split_tags(text, ("",))
    return (match["said"] or "").strip(), aside


def _split_parts(text: str) -> tuple[str, str] | None:
    """What a text says under one label or title, and thinks under another, in any order; None of other texts."""
    is_known = may_think(text) and split_thoughts(text)[1] != ""
    labels = [*_LABELLED_PART.finditer(text)] if _LABELLED_PART.match(text) and not is_known else []
    hides = [kind_of_title(next(filter(None, label.groups()))) != "" for label in labels]
    says = [_LABEL.match(text, label.start()) is not None for label in labels]
    if labels[:1] and hides[0] and (in_line := _IN_LINE.search(text)):
        return text[in_line.end() :].strip(), text[labels[0].end() : in_line.start()].strip(" |/")
    # Without a label of speech what is said stands first or last, and other labels are parts of texts.
    ends = {0, len(labels) - 1} if not any(map(gt, says, hides)) else set()
    kept = [at for at, _label in enumerate(labels) if hides[at] or says[at] or at in ends]
    if {hides[at] for at in kept} != {True, False}:
        return None
    places = [*(labels[at].start() for at in kept), len(text)]
    return _join_pieces(
        [(hides[at], text[labels[at].end() : end]) for at, end in zip(kept, places[1:], strict=True)]
    )


def _split_keys(text: str) -> tuple[str, str] | None:
    """The same of an answer in JSON of several texts, of which no key is known to be a thought."""
    plain = {key: said for key, said in read_answer(text).items() if type(said) is str}
    unknown = {
        key: said for key, said in plain.items() if not kind_of_type(key) and said.count(" ") >= LEAST_SPACES
    }
    if len(plain) < 2 or not unknown or split_answer(text)[1]:
        return None
    return "\n".join(said for key, said in plain.items() if key not in unknown), "\n".join(unknown.values())


def read_answer(text: str) -> dict[str, Any]:
    """The object of an answer in JSON, which may stand between fences ("```json"); an empty one of any other text."""
    fenced = _FENCED.fullmatch(text) if text.startswith("```") else None
    inside = fenced["inside"] if fenced else text
    found = read_json(inside.encode()).value if inside[:1] == "{" else None
    return found if type(found) is dict else {}


def have_asides(texts: Iterable[str]) -> int:
    """How many of the texts have words in marks, where these are so many that it has to be asked; else 0."""
    parts = list(map(split_aside, texts))
    count = sum(aside != "" for _said, aside in parts)
    # A list is none: "[Ann, Bea]".
    whole = sum(said == "" and any(" " in part for part in split_names(aside)) for said, aside in parts)
    is_usual = count >= LEAST_ASIDES and 4 * count >= len(parts)
    return count if is_usual or whole >= _LEAST_WHOLE else 0


def split_answer(text: str) -> tuple[str, str]:
    """What an answer in JSON says, and what its author thought; the whole text where it has no thought."""
    plain = {key: said for key, said in read_answer(text).items() if type(said) is str}
    kinds = {key: kind_of_type(key) for key in plain}
    thought = [said for key, said in plain.items() if kinds[key] in (THOUGHT, PRIVATE)]
    said = [said for key, said in plain.items() if kinds[key] == SPEECH or key in _SAID]
    return ("\n".join(said), "\n".join(thought)) if thought else (text, "")
