"""The parts of a text: where its games and their parts begin, and which of its lines are no speech or no rounds."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate, pairwise

from discussions.transcripts.core.audience import NARRATORS, is_hidden, looks_like_audience, words_of
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.readers.chat_labels import ENDS, FACT, LEAST_NUMBERED
from discussions.transcripts.core.readers.chat_lines import NUMBER, as_shape, match_message, read_heading
from discussions.transcripts.core.readers.narration import ENDS_GAME, VOTES, begun_by

# A horizontal rule.
_RULE = re.compile(r"\s{0,9}([-*_=~])\s?(?:\1\s?){2,200}")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_GAME = re.compile(
    rb"(?:^|(?<=\r))[ \t]*(?:(?:(?:start|beginn?)ing )?(?:game|match)\b|[#=*~-]{1,20} ?(?:game|match)\b ?#?\d)[^\r\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_BEGUN = re.compile(
    r"(?:(?:start|beginn?)ing )?(?:game|match) ?#?\d{1,6}(?: (?:begins|starts|has begun|has started))?\W{0,5}",
    re.IGNORECASE,
)
# A line that names no value, vote or part.
_SENTENCE = re.compile(r"[^\W\d_][\w ,'’-]{3,80}[.!…]?")
OF_SPEAKERS = re.compile(r"\b(?:i|me|my|we|us|our|you|your|let)\b", re.IGNORECASE)
# A key or a label, and what it is of.
LABEL = re.compile(
    r"[\s#*>·•│└├╰─-]{0,12}(?P<label>[^\W\d_][\w -]{0,39}?)[*_`]{0,3}\s?[:：=][*_`]{0,3}\s{0,9}(?P<text>\S.*)"
)
TITLE = re.compile(r"\s{0,9}(?:#{1,6} |([=*~#-])\1{1,60} ?)(?P<title>[^\W\d_][^\n]{0,100}?)[\s=*~#:-]{0,60}")
_FIRST_WORD, _LONGEST_HEADING = re.compile(r"[^\W\d_]+"), 80


def split_lines(text: str) -> list[str]:
    """The lines of a text, empty where they are rules."""
    # What overwrites a line in a terminal begins with \r.
    lines = text.lstrip("\r").replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n").split("\n")
    return ["" if _RULE.fullmatch(line) else line for line in lines]


def find_titled_games(decoded: Decoded) -> list[tuple[int, int, int]]:
    """Begin, end and first line of each game; if a title ("=== Game 1 ===") begins the file, each begins one."""
    data, end = decoded.data, len(decoded.data)
    titles = ((one.start(), decoded.part(*one.span()).strip()) for one in _GAME.finditer(data, decoded.begin))
    begins = [
        at for at, said in titles if FACT.fullmatch(said) or not said[:1].isalpha() or _BEGUN.fullmatch(said)
    ]
    if not begins or data[decoded.begin : begins[0]].strip():
        return [(decoded.begin, end, 1)]
    above = (sum(1 for _ in _LINE_END.finditer(data, *part)) for part in pairwise([decoded.begin, *begins]))
    return [(*part, 1 + over) for part, over in zip(pairwise([*begins, end]), accumulate(above), strict=True)]


def find_repeated(lines: list[str]) -> set[str]:
    """What comes back before messages with other numbers, as 0: "Post #3, 8:15 pm", "Day 2 begins." below messages."""
    # What stands below a name alone is its text.
    heads = [match_message(line) for line in lines]
    texts = [bool(head and not (head["text"] or "").strip()) for head in [None, *heads][:-1]]
    shapes = [
        as_shape(line) if len(line) < 200 and NUMBER.search(line) and not is_text else ""
        for line, is_text in zip(lines, texts, strict=True)
    ]
    numbered = Counter(filter(None, shapes))
    pairs = list(zip(shapes, lines, [*lines, ""][1:], strict=True))
    before = Counter(
        shape for shape, _line, below in pairs if numbered[shape] >= LEAST_NUMBERED and match_message(below)
    )
    # Subtitles have their numbers on lines of their own.
    found = {shape for shape in before if 2 * before[shape] > numbered[shape] or shape == "0"}
    above: dict[str, set[str]] = {}
    for head, line, is_text in zip([None, *heads], lines, texts, strict=False):
        if head and not is_text and _SENTENCE.fullmatch(line) and not VOTES.fullmatch(line):
            above.setdefault("" if OF_SPEAKERS.search(line) else as_shape(line), set()).add(head["name"])
    found |= {shape for shape, names in above.items() if shape and len(names) > 1}
    found |= {as_shape(line) for line in lines if len(line) < 200 and ENDS_GAME.fullmatch(line)}
    return found | {shape for shape, line, _below in pairs if numbered[shape] > 1 and begun_by(line)[0]}


def without_inner(lines: list[str]) -> list[str]:
    """The lines without headings whose numbers begin again below others: of "Day 1", "Round 1", "Day 2" the rounds."""
    headings = list(map(_heading_of, lines))
    numbers: dict[str, list[int]] = {}
    for word, number in filter(None, headings):
        numbers.setdefault(word, []).append(number)
    falls = {word: sum(b < a for a, b in pairwise(own)) for word, own in numbers.items() if len({*own}) > 1}
    inner = {word for word, count in falls.items() if count and not min(falls.values())}
    return ["" if head and head[0] in inner else line for head, line in zip(headings, lines, strict=True)]


def _heading_of(line: str) -> tuple[str, int] | None:
    """The first word and the number of a line that is nothing but the heading of a round; None of others."""
    heading = read_heading(line) if len(line) < _LONGEST_HEADING else None
    word = _FIRST_WORD.search(line) if heading and heading.kind == "heading" and not heading.text else None
    return (word[0].casefold(), heading.round) if word and heading else None


def part_of(line: str, before: Mapping[str, str], *, is_alone: bool = False) -> dict[str, str]:
    """The round and phase that a title gives the lines below; `before` is above, `is_alone`: titles are alike."""
    title, label = TITLE.fullmatch(line), LABEL.fullmatch(line)
    if title:
        return begin_part(title["title"], before, is_alone=is_alone)
    # "Game type: eight" is no channel.
    said = label["label"] if label else ""
    is_channel = looks_like_audience(said) and words_of(said) != ["game", "type"]
    # "Private chat: Ann, Bea" hides what follows, "Hidden: I am it." does not.
    is_told = is_hidden(said) and label is not None and label["text"].rstrip("*_").endswith(ENDS)
    if not (is_channel and label) or is_told:
        return {}
    return kept_round(before) | {"phase": said if is_hidden(said) else label["text"]}


def begin_part(title: str, before: Mapping[str, str], *, is_alone: bool) -> dict[str, str]:
    """What the title of a part says of the lines below: its number is a round, where all parts are called alike."""
    number = NUMBER.search(title)
    if title.strip().casefold() in NARRATORS:
        return kept_round(before)
    round_of = {"round": number[0]} if number else kept_round(before)
    # "Example game log" and "Log opened" stand above a game.
    words = words_of(title)
    is_whole = not {"log", "logs", "transcript"}.isdisjoint(words[:1] + words[-1:])
    is_part = not (number and is_alone) and not is_whole
    return round_of | ({"phase": NUMBER.sub("", title).strip()} if is_part else {})


def kept_round(before: Mapping[str, str]) -> dict[str, str]:
    return {key: before[key] for key in before if key == "round"}
