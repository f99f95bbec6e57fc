"""Brief lines between the messages of a chat that come back, or stand alone where texts are sentences, as titles."""

import re
from collections import Counter
from functools import partial

from discussions.transcripts.core.audience import IGNORE, OUT, VOTE, is_hidden, kind_of_type
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.chat_labels import ENDS, FACT, LONGEST_TITLE
from discussions.transcripts.core.readers.chat_parts import OF_SPEAKERS
from discussions.transcripts.core.readers.narration import VOTES, part_of_day
from discussions.transcripts.core.readers.vote_lines import Form, Lines

_MOST_LINES, _MOST_WORDS = 2_000, 5
# What stands around the words of a title, and what places begin with.
_DRESS = re.compile(rf"</?\w{{1,12}}>(?=.)|(?<=.)</\w{{1,12}}>|\b{chat.TIME}|\A[\W_]+|[\W_]+\Z")
_TO_PLACE = re.compile(r"\b(?:to|in|into|at|inside|behind) (?:the|a|his|her|their) ")
_PLACE = re.compile(r"(?:the|at|in|inside|im|der|die|das|el|la|los|le|les|chez|en)\b ")


def find_between(lines: Lines) -> Form | None:
    filled = [plain for line in lines[:_MOST_LINES] if any(map(str.isalnum, plain := chat.plain_line(line)))]
    # "<den>" alone is no name.
    messages = (chat.match_message(line) for line in filled)
    found = [one if one and (one["text"] or one["mark"] != "<") else None for one in messages]
    labels = Counter(match["name"].casefold() for match in found if match)
    said = [match is not None and labels[match["name"].casefold()] > 1 for match in found]
    places = zip([False, *said], ["", *filled], filled, said, [*said[1:], False], strict=False)
    between = [
        (_title_of(line).casefold(), is_above and above.rstrip().endswith(ENDS))
        for is_above, above, line, is_said, is_below in places
        if is_below and not (is_said or FACT.fullmatch(above))
    ]
    counts = Counter(title for title, _is_ended in between if title and title not in labels)
    lone = {title for title, is_ended in between if is_ended and counts[title] == 1 and title.count(" ") < 3}
    ended = sum(line.rstrip().endswith(ENDS) for line, is_said in zip(filled, said, strict=True) if is_said)
    is_lone = 5 * ended > 4 * sum(said) and (len(lone) > 1 or any(map(_PLACE.match, lone)))
    titles = {title for title, count in counts.items() if count > 1} | (lone if is_lone else set())
    return partial(map, partial(_as_title, titles=titles)) if titles else None


def _title_of(line: str) -> str:
    """The few words that a line is, without signs and times around them; "" of other lines, and of what is known."""
    plain = line.strip()
    words = _DRESS.sub("", _DRESS.sub("", plain)).strip()
    # "</den>" closes what "<den>" opens, and "=== den ===" is a title already.
    is_told = plain[1:2] == "/" or chat.SECTION.fullmatch(line) or VOTES.fullmatch(plain)
    is_long = len(words) >= LONGEST_TITLE or words.count(" ") >= _MOST_WORDS
    if not words or is_told or is_long or chat.read_heading(line) or part_of_day(line):
        return ""
    # "They go to the den." may hide what follows, "The village gathers in the square." does not.
    kind, kinds = kind_of_type(words), {word: kind_of_type(word) for word in words.split()}
    is_sentence = plain[0] not in ".…" and plain.endswith((*ENDS, ",")) and not _TO_PLACE.search(words)
    is_known = (
        kind in (VOTE, OUT) or (kind == IGNORE and all(kinds.values())) or chat.match_message(f"{words} x")
    )
    # "BEGIN DEN" is a den.
    # What hides the line above says so in brackets.
    is_below = plain[0] in "([{/<" and is_hidden(words)
    is_told = is_sentence or is_known or is_below or OF_SPEAKERS.search(words)
    return "" if is_told else " ".join(word for word, own in kinds.items() if own != IGNORE)


def _as_title(line: str, *, titles: set[str]) -> tuple[str, str]:
    title = _title_of(chat.plain_line(line)) if line.strip() else ""
    return "same", f"=== {title} ===" if title and title.casefold() in titles else line
