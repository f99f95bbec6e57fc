"""Texts whose lines a person describes once: `[{time}] ({player}) {text}`, a template for each kind of line.

A name in braces is a field, `{}` is left out, `{text...}` goes on in the lines below. `{private}` is a text that only
some heard, `{thought}` one that nobody did. A template with a player and no text stands above the text, or above lines
whose templates name no player; one with only a round or a phase begins it, and a round without a number counts on;
other fields belong to the next message.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from discussions.transcripts.core.audience import OUT, PRIVATE, THOUGHT, VOTE, is_hidden, kind_of_type
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers import narration
from discussions.transcripts.core.readers.columns import FIELDS, PLAYER, TEXT
from workspace.core.words import say

MOST_TEMPLATES, LONGEST_NAME, LONGEST_VALUE = 20, 60, 400
# How many lines are read at least, and how many signs of its own make a template one of few files.
LEAST_LINES, LEAST_SIGNS = 4, 3
ON = "..."
Rows = list[tuple[int, dict[str, str]]]
# What stands before, between and behind the fields, and the fields at the odd places.
_Template = tuple[str, ...]

_FIELD = re.compile(r"\{([a-z_]*(?:\.\.\.)?)\}")
_NUMBERED = {"time", "round", "turn"}
_KINDS = {"thought": THOUGHT, "private": PRIVATE, "vote": VOTE, "target": VOTE, "out": OUT}
_SPOKEN = {TEXT, *_KINDS}
_PARTS, _WHO = {"round", "phase"}, {PLAYER, "voter", "out"}
# What may stand in brackets, or be a time, before a name; then a sign, if there is one, and the text.
_BOXED = r"\[[^\[\]\n]{1,40}\]|\([^()\n]{1,40}\)|<[^<>\n]{1,40}>|（[^（）\n]{1,40}）|【[^【】\n]{1,40}】"
_PIECE = re.compile(rf"(?P<boxed>{_BOXED})|(?P<time>{chat.TIME}(?:[.,]\d{{1,9}})?)")
_MOST_PIECES = 5
# Signs that stand in many files; a word or a picture is one of few.
_COMMON = frozenset(" \t:：|>-[]()<>*#.")
_SIGN = re.compile(r"[:：|>-]{1,2} ?")
_TIME = re.compile(rf"{chat.TIME}(?:[.,]\d{{1,9}})?")
_ROUND = re.compile(r"(?:day|round|r|d|turn|第)?[ _-]?\d{1,3}(?:天|轮|日目)?", re.IGNORECASE)


def is_template(written: str) -> bool:
    return _FIELD.search(written) is not None


@lru_cache(maxsize=64)
def parse_templates(written: str) -> list[_Template]:
    """The templates, one in each line, those with most signs of their own first. Raises ValueError with a sentence."""
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    found = [tuple(_FIELD.split(line)) for line in lines[:MOST_TEMPLATES]]
    for template, line in zip(found, lines, strict=False):
        _check(template, line)
    fields = [_fields(template) for template in found]
    named = [PLAYER in own for own in fields]
    said = [TEXT in own or (PLAYER in own and not own & _SPOKEN) for own in fields]
    if not (any(named) and any(said)) or len(lines) > MOST_TEMPLATES:
        raise ValueError(
            say(
                "Write a template for each kind of line, at most {most}, with {{player}} and {{text}} among them, such "
                "as [{{time}}] {{player}}: {{text}}",
                most=MOST_TEMPLATES,
            )
        )
    return sorted(found, key=lambda template: -len("".join(template[::2])))


def _fields(template: _Template) -> set[str]:
    return {field.removesuffix(ON) for field in template[1::2] if field}


def _check(template: _Template, line: str) -> None:
    fields = template[1::2]
    named = [field for field in fields if field]
    if unknown := next(iter(_fields(template) - {*FIELDS}), ""):
        known = ", ".join(FIELDS)
        raise ValueError(
            say(
                'There is no field "{field}". Use one of: {known}; {{}} leaves out what stands there.',
                field=unknown[:60],
                known=known,
            )
        )
    if not all(template[2:-1:2]) or len({*named}) < len(named) or not fields:
        raise ValueError(
            say(
                'The template "{line}" needs fields in braces, each once, with something between any two.',
                line=line[:60],
            )
        )


def check_templates(separator: str) -> None:
    """Raise ValueError, with a sentence, for wrong templates; what has no field is none."""
    if is_template(separator):
        parse_templates(separator)


def find_fault(separator: str) -> str:
    """What is wrong with templates, in a sentence; "" if nothing is."""
    try:
        check_templates(separator)
    except ValueError as reason:
        return str(reason)
    return ""


def match_line(template: _Template, line: str) -> dict[str, str] | None:
    """The fields of a line; None for a line of another shape.

    Before the text the first place of what stands between two fields counts, behind it the last.
    """
    begin, end = template[0], template[-1]
    if len(line) < len(begin) + len(end) or not (line.startswith(begin) and line.endswith(end)):
        return None
    rest = line[len(begin) : len(line) - len(end)]
    fields, joints = template[1::2], template[2:-1:2]
    middle = next((at for at, field in enumerate(fields) if field.startswith(TEXT)), len(joints))
    values: dict[str, str] = {}
    for at, field in enumerate(fields[:middle]):
        values[field], sign, rest = rest.partition(joints[at])
        if not sign:
            return None
    for at in range(len(joints), middle, -1):
        rest, sign, values[fields[at]] = rest.rpartition(joints[at - 1])
        if not sign:
            return None
    values[fields[middle]] = rest
    values = {field: value.strip() for field, value in values.items() if field}
    # A line with a round alone may only begin the next one.
    if values.keys() == {"round"}:
        return values
    return values if all(_may_be(field, value) for field, value in values.items()) else None


def _may_be(field: str, value: str) -> bool:
    if field.startswith(TEXT):
        return bool(value) or field.endswith(ON)
    most = LONGEST_NAME if field == PLAYER else LONGEST_VALUE if field != "thought" else len(value)
    is_number = value.isdecimal() if field == "turn" else any(map(str.isdigit, value))
    return 0 < len(value) <= most and (field not in _NUMBERED or is_number)


def read_lines(lines: Iterable[str], written: str) -> tuple[Rows, list[str]]:
    """The lines as rows of these templates, and those that are in none of them; ([], []) for wrong templates.

    What who leads the game says is no row; it may begin rounds and nights, as lines without a template do.
    """
    templates = [] if find_fault(written) else parse_templates(written)
    kinds = {template: _kind_of(template) for template in templates}
    fields = set[str]().union(*map(_fields, templates))
    every = fields - {"private"} | _PARTS | ({"type"} if any(kinds.values()) else set())
    # Texts below a name have templates of their own.
    are_below = any(_fields(one) & _SPOKEN and not _fields(one) & _WHO for one in templates)
    found = [(line, *_first_match(templates, line)) for line in map(str.strip, lines)] if templates else []
    leaders = narration.find_narrators(
        [_name_and_text(values) for _line, _template, values in found if values]
    )
    rows: Rows = []
    unread: list[str] = []
    # What counts for all rows below, what for the next one, the last row, and whether its text goes on below.
    begun, above, last, goes_on = dict[str, str](), dict[str, str](), dict[str, str](), False
    told = narration.Rounds()
    for number, (line, template, values) in enumerate(found, start=1):
        is_told = values is None or _name_and_text(values)[0].casefold() in leaders
        if values is None or is_told:
            says = _name_and_text(values)[1] if values else line
            begins = _begun_by(says, told, has_rounds="round" in fields, is_text=goes_on and not values)
            begun, goes_on = begun | begins, goes_on and not (begins or values)
            if goes_on:
                last[TEXT] += f"\n{line}"
            elif line and not (begins or values):
                unread.append(line)
        elif values.keys() <= _PARTS:
            begun, goes_on = _begin(values, begun, told), False
        elif values.keys().isdisjoint(_WHO) and not (values.keys() & _SPOKEN and PLAYER in last):
            above, goes_on = above | values, False
        else:
            who = {PLAYER: last[PLAYER]} if values.keys().isdisjoint(_WHO) else {}
            last = begun | above | who | _row(values, kinds[template])
            goes_on = template[-2].endswith(ON) or not (are_below or values.keys() & _SPOKEN)
            above, last = {}, {TEXT: ""} | last if goes_on else last
            rows.append((number, last))
            if not (told.is_night or kinds[template]):
                told.talk()
    return _whole(rows, every), unread


def _whole(rows: Rows, columns: set[str]) -> Rows:
    """The rows that say something; the first has all columns, as files of the same templates have the same."""
    rows = [(number, {field: value.strip() for field, value in row.items()}) for number, row in rows]
    rows = [one for one in rows if any(one[1].get(field) for field in _SPOKEN)]
    return [(number, dict.fromkeys(sorted(columns), "") | row) for number, row in rows[:1]] + rows[1:]


def _first_match(templates: Sequence[_Template], line: str) -> tuple[_Template, dict[str, str] | None]:
    matches = ((one, match_line(one, line)) for one in templates)
    return next(((one, values) for one, values in matches if values is not None), ((), None))


def _name_and_text(values: Mapping[str, str]) -> tuple[str, str]:
    return values.get(PLAYER, ""), values.get(TEXT) or values.get(f"{TEXT}{ON}") or ""


def _begin(values: Mapping[str, str], begun: Mapping[str, str], told: narration.Rounds) -> dict[str, str]:
    """The round and the phase that a line begins; a phase is one of the round above it."""
    if "round" not in values:
        return {**begun, **values}
    number = re.search(r"\d{1,9}", values["round"])
    told.begin(int(number[0]) if number else (told.number or 1) + told.has_talk, is_night=False)
    return {**values, "round": str(told.number)}


def _row(values: Mapping[str, str], kind: str) -> dict[str, str]:
    """What a line says: what only its author heard is the text of a row of that type."""
    row = {field.removesuffix(ON): value for field, value in values.items()}
    name, audience = chat.read_aside(row.get(PLAYER, ""))
    if audience:
        row |= {PLAYER: name, "audience": audience}
    for field in ("thought", "private"):
        if field in row and TEXT not in row:
            row[TEXT] = row.pop(field)
    return row | ({"type": kind} if kind and "type" not in row else {})


def _kind_of(template: _Template) -> str:
    """The type of a template's rows: by its fields, else by its own words, if these say that not all could hear it."""
    fields = _fields(template)
    words = " ".join(re.findall(r"[^\W\d_]+", " ".join(template[::2])))
    kind = next((kind for field, kind in _KINDS.items() if field in fields), "") if TEXT not in fields else ""
    return kind or (words if is_hidden(words) else "")


def _begun_by(line: str, told: narration.Rounds, *, has_rounds: bool, is_text: bool) -> dict[str, str]:
    """The round that a line begins, unless templates have rounds, and whether it is night; {} for other lines.

    Where a text goes on, titles count, and sentences that begin nights alone: "Good morning" is said by a player.
    """
    heading = chat.read_heading(line)
    part = "" if heading else narration.part_of_day(line)
    if heading and not has_rounds:
        told.begin(heading.round, is_night=heading.kind == "night")
    elif part:
        told.is_night = part == "night"
    elif (is_text and not _is_night_told(line)) or not told.hear(line):
        return {}
    number = {"round": str(told.number)} if told.number and not has_rounds else {}
    return number | {"phase": "night" if told.is_night else "day"}


def _is_night_told(line: str) -> bool:
    told = narration.Rounds()
    return told.hear(line) and told.is_night


def fits(lines: Sequence[str], written: str) -> bool:
    """Whether the templates read these lines: half of them, or several if the template has signs of its own."""
    rows, unread = read_lines(lines, written)
    names = {row[PLAYER] for _number, row in rows if PLAYER in row}
    return len(rows) >= LEAST_LINES and len(names) > 1 and (is_specific(written) or len(rows) >= len(unread))


def is_specific(written: str) -> bool:
    """Whether there is a template of a text, and each has words or signs that few other files have."""
    templates = parse_templates(written) if is_template(written) and not find_fault(written) else []
    texts = [
        "".join(one[::2])
        for one in templates
        if _fields(one) & {TEXT, PLAYER} and not _fields(one) & {*_KINDS}
    ]
    signs = [sum(not sign.isspace() for sign in text) for text in texts if _COMMON.issuperset(text)]
    return bool(texts) and min(signs, default=LEAST_SIGNS) >= LEAST_SIGNS


def propose_templates(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Templates of lines that begin with brackets and times, one of which holds names; each with such a line."""
    shapes: dict[str, list[tuple[str, list[str]]]] = {}
    for line in map(str.strip, lines):
        shape, values = _begin_of(line)
        if values:
            shapes.setdefault(shape, []).append((line, values))
    found = []
    for shape, same in sorted(shapes.items(), key=lambda one: -len(one[1])):
        fields = _fields_of([values for _line, values in same])
        if PLAYER in fields:
            written = shape
            for field in fields:
                written = written.replace("\0", f"{{{field}}}", 1)
            found.append((f"{written}{{{TEXT}}}", same[0][0]))
    return [one for one in found if fits(lines, one[0])]


def _begin_of(line: str) -> tuple[str, list[str]]:
    r"""What a line begins with, each value as \0, and these values; ("", []) without a text or a bracket."""
    shape, values, at, is_boxed = "", list[str](), 0, False
    while len(values) < _MOST_PIECES and (piece := _PIECE.match(line, at)):
        boxed, at = piece["boxed"] or "", piece.end()
        shape += f"{boxed[0]}\0{boxed[-1]}" if boxed else "\0"
        values.append(boxed[1:-1].strip() if boxed else piece["time"])
        is_boxed = is_boxed or bool(boxed)
        space = line[at : at + 1].isspace()
        shape, at = f"{shape} " if space else shape, at + space
    sign = _SIGN.match(line, at)
    shape, at = (shape + sign[0], sign.end()) if sign else (shape, at)
    return (shape, values) if is_boxed and any(map(str.isalnum, line[at:])) else ("", [])


def _fields_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """For each place of such lines its field: a time, a player, a round, a type, or "" for what nobody needs."""
    places = [Counter(values) for values in zip(*rows, strict=True)]
    few = [2 * len(counts) <= len(rows) for counts in places]
    names = [
        len(counts)
        for counts, is_few in zip(places, few, strict=True)
        if is_few and not (_are_types(counts) or _are(_ROUND, counts) or _are(_TIME, counts))
    ]
    fields = list[str]()
    for counts, is_few in zip(places, few, strict=True):
        if _are(_TIME, counts):
            fields.append("time")
        elif is_few and _are(_ROUND, counts):
            fields.append("round")
        elif names and 1 < len(counts) == max(names) and is_few and PLAYER not in fields:
            fields.append(PLAYER)
        else:
            fields.append("type" if is_few else "")
    # A field stands once.
    return [field if field not in fields[:at] else "" for at, field in enumerate(fields)]


def _are_types(values: Collection[str]) -> bool:
    """Whether values say what rows are, or who could hear them; a narrator may be among names."""
    return any(map(is_hidden, values)) or 2 * sum(kind_of_type(value) != "" for value in values) >= len(
        values
    )


def _are(shape: "re.Pattern[str]", values: Iterable[str]) -> bool:
    return all(map(shape.fullmatch, values))
