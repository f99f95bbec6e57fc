"""Texts whose lines a person describes once: `[{time}] ({player}) {text}`, a template for each kind of line.

A name in braces is a field, `{}` is left out, `{text...}` goes on in the lines below. `{private}` is a text that only
some heard, `{thought}` one that nobody did. A template with a player and no text stands above the text, or above lines
whose templates name no player; one with only a round or a phase begins it, and a round without a number counts on;
other fields belong to the next message.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from discussions.transcripts.core.audience import (
    OUT,
    PRIVATE,
    THOUGHT,
    VOTE,
    is_hidden,
    kind_of_type,
    looks_like_audience,
)
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers import narration
from discussions.transcripts.core.readers.called_names import addressed, read_hidden
from discussions.transcripts.core.readers.columns import (
    FIELDS,
    NO_FIELD,
    PLAYER,
    TEMPLATE_FIELD,
    TEXT,
    field_of,
    is_template,
)
from workspace.core.words import say

MOST_TEMPLATES, LONGEST_NAME, LONGEST_VALUE = 20, 60, 400
# How much of a text is looked at to find out whether templates fit, how many lines they read at least, and how many
# kinds of lines are looked at for proposals.
SAMPLE, LEAST_LINES, MOST_SHAPES = 64 * 1024, 4, 5
ON = "..."
Rows = list[tuple[int, dict[str, str]]]
# What stands before, between and behind the fields, and the fields at the odd places.
_Template = tuple[str, ...]

_NUMBERED = {"time", "round", "turn"}
# What a line is by its fields, the first of these that it has.
_KINDS = {"target": VOTE, "out": OUT, "thought": THOUGHT, "private": PRIVATE, "vote": VOTE}
_SPOKEN = {TEXT, *_KINDS}
_BARE = {("", field, "") for field in (TEXT, f"{TEXT}...")}
_PARTS, _WHO = {"round", "phase"}, {PLAYER, "voter", "out"}
# What may stand in brackets, or be a time, before a name; then a sign, if there is one, and the text.
_BOXED = r"\[[^\[\]\n]{1,60}\]|\([^()\n]{1,60}\)|<[^<>\n]{1,60}>|（[^（）\n]{1,60}）|【[^【】\n]{1,60}】"
_PIECE = re.compile(rf"(?P<boxed>{_BOXED})|(?P<time>{chat.TIME}(?:[.,]\d{{1,9}})?)")
_MOST_PIECES = 5
_BAR = re.compile(r" (?:\||->|→|·|/|–) ")
_TAG = re.compile(r"[\[(<{*_#]{1,3} ?(?P<words>[^\[\]()<>{}*_#]{1,40}?) ?[\])>}*_#:]{1,4}")
_KEY = re.compile(r"['\"](\w{1,30})['\"]\s?:")
_SIGN = re.compile(r"[:：|>-]{1,2} ?")
_TIME = re.compile(rf"{chat.TIME}(?:[.,]\d{{1,9}})?")
_ROUND = re.compile(r"(?:day|round|r|d|turn|第)?[ _-]?\d{1,3}(?:天|轮|日目)?", re.IGNORECASE)


@lru_cache(maxsize=64)
def parse_templates(written: str) -> list[_Template]:
    """The templates, one in each line, those with most signs of their own first. Raises ValueError with a sentence."""
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    found = [tuple(TEMPLATE_FIELD.split(line)) for line in lines[:MOST_TEMPLATES]]
    # The text below a name needs no template.
    has_heads = any(PLAYER in _fields(one) and not _fields(one) & _SPOKEN for one in found)
    found = [one for one in found if not (has_heads and one in _BARE)]
    for template in found:
        _check(template)
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


def _written(template: _Template) -> str:
    return "".join(f"{{{part}}}" if at % 2 else part for at, part in enumerate(template))


def _check(template: _Template) -> None:
    fields = template[1::2]
    named = [field for field in fields if field]
    if unknown := next(iter(_fields(template) - {*FIELDS}), ""):
        raise ValueError(say(NO_FIELD, field=unknown[:60], known=", ".join(FIELDS)))
    if not all(template[2:-1:2]) or len({*named}) < len(named):
        sentence = 'The template "{line}" needs something between any two fields, each of which stands once.'
        raise ValueError(say(sentence, line=_written(template)[:60]))


def find_fault(separator: str) -> str:
    """What is wrong with templates, in a sentence; "" if nothing is, or for what has no field."""
    try:
        parse_templates(separator) if is_template(separator) else None
    except ValueError as reason:
        return str(reason)
    return ""


def match_line(template: _Template, line: str) -> dict[str, str] | None:
    """The fields of a line, before the text parted at the first place, behind it at the last; None of another shape."""
    values = _split(template, line)
    if values is None or not all(
        _may_be(field, value) for field, value in values if field not in ("", "round")
    ):
        return None
    named = {field.removesuffix(ON): value for field, value in values if field}
    # A line with a round alone may only begin the next one.
    is_round = named.keys() == {"round"} or _may_be("round", named.get("round", "1"))
    return named if is_round else None


def _split(template: _Template, line: str) -> list[tuple[str, str]] | None:
    """The fields of a line with what stands there, also those that are left out; None where other signs stand."""
    begin, end = template[0], template[-1]
    if len(template) == 1:
        return [] if line == begin else None
    if len(line) < len(begin) + len(end) or not (line.startswith(begin) and line.endswith(end)):
        return None
    rest = line[len(begin) : len(line) - len(end)]
    fields, joints = template[1::2], template[2:-1:2]
    middle = next((at for at, field in enumerate(fields) if field.startswith(TEXT)), len(joints))
    before, after = list[str](), list[str]()
    for joint in joints[:middle]:
        value, sign, rest = rest.partition(joint)
        before.append(value)
        if not sign:
            return None
    for joint in reversed(joints[middle:]):
        rest, sign, value = rest.rpartition(joint)
        after.append(value)
        if not sign:
            return None
    values = [*before, rest, *reversed(after)]
    return [(field, value.strip()) for field, value in zip(fields, values, strict=True)]


def _may_be(field: str, value: str) -> bool:
    if field.removesuffix(ON) in (TEXT, "thought", "private"):
        return bool(value) or field.endswith(ON)
    most = LONGEST_NAME if field == PLAYER else LONGEST_VALUE
    is_number = value.isdecimal() if field == "turn" else any(map(str.isdigit, value))
    return 0 < len(value) <= most and (field not in _NUMBERED or is_number)


def read_lines(lines: Iterable[str], written: str) -> tuple[Rows, list[str]]:
    """The lines as rows of templates, without what leads the game, and those in none; ([], []) for wrong templates."""
    templates = [] if find_fault(written) else parse_templates(written)
    kinds = {template: _kind_of(template) for template in templates}
    fields = set[str]().union(*map(_fields, templates))
    every = fields - {"private"} | _PARTS | ({"type"} if any(kinds.values()) else set())
    # Texts below a name have templates of their own.
    are_below = any(_fields(one) & _SPOKEN and not _fields(one) & _WHO for one in templates)
    found = [(line, *_first_match(templates, line)) for line in map(str.strip, lines)] if templates else []
    leaders = narration.find_narrators([_name_and_text(one[2]) for one in found if one[2]])
    rows: Rows = []
    unread: list[str] = []
    # What counts for all rows below, what for the next one, the last row, whether its text goes on, and what is below.
    begun, above, last, goes_on = dict[str, str](), dict[str, str](), dict[str, str](), False
    below: dict[int, list[str]] = {}
    told = narration.Rounds()
    for number, (line, template, values) in enumerate(found, start=1):
        is_told = values is None or _name_and_text(values)[0].casefold() in leaders
        if values is None or is_told:
            says = _name_and_text(values)[1] if values else line
            begins = _begun_by(says, told, has_rounds="round" in fields, is_text=goes_on and not values)
            begun, goes_on = begun | begins, goes_on and not (begins or values)
            goes_on = goes_on and not _ends_text(line)
            if goes_on:
                below[len(rows) - 1].append(line)
            elif line and not (begins or values):
                unread.append(line)
        elif values.keys() <= _PARTS:
            begun, goes_on = _begin(values, begun, told), False
        elif values.keys().isdisjoint(_WHO) and not (values.keys() & _SPOKEN and PLAYER in last):
            above, goes_on = above | values, False
        else:
            who = {PLAYER: last[PLAYER]} if values.keys().isdisjoint(_WHO) else {}
            last = begun | above | who | _row(values, kinds[template])
            goes_on = any(field.endswith(ON) for field in template[1::2])
            goes_on = goes_on or not (are_below or values.keys() & _SPOKEN)
            above, below[len(rows)] = {}, []
            rows.append((number, last))
            if not (told.is_night or kinds[template]):
                told.talk()
    return _whole(rows, below, every), unread


def _whole(rows: Rows, below: Mapping[int, list[str]], columns: set[str]) -> Rows:
    """The rows that say something, with the lines `below` each; the first has all columns, as in all such files."""
    for at, (_number, row) in enumerate(rows):
        row |= {TEXT: "\n".join([row.get(TEXT, ""), *below[at]]).strip()} if below[at] else {}
    rows = [one for one in rows if any(one[1].get(field) for field in _SPOKEN)]
    names = {row[PLAYER].casefold() for _number, row in rows if PLAYER in row}
    for _number, row in rows:
        if names_told := addressed(row.get(TEXT, ""), names):
            row.setdefault("audience", names_told)
    return [(number, dict.fromkeys(sorted(columns), "") | row) for number, row in rows[:1]] + rows[1:]


def _first_match(templates: Sequence[_Template], line: str) -> tuple[_Template, dict[str, str] | None]:
    matches = ((one, match_line(one, line)) for one in templates)
    return next(((one, values) for one, values in matches if values is not None), ((), None))


def _name_and_text(values: Mapping[str, str]) -> tuple[str, str]:
    return values.get(PLAYER, ""), values.get(TEXT, "")


def _begin(values: Mapping[str, str], begun: Mapping[str, str], told: narration.Rounds) -> dict[str, str]:
    """The round and the phase that a line begins; a phase is one of the round above it."""
    if "round" not in values:
        return {**begun, **values}
    number = re.search(r"\d{1,9}", values["round"])
    told.begin(int(number[0]) if number else (told.number or 1) + told.has_talk, is_night=False)
    return {**values, "round": str(told.number)}


def _row(values: Mapping[str, str], kind: str) -> dict[str, str]:
    """What a line says: what only its author heard is the text of a row of that type."""
    row = dict(values)
    sign = row.get(PLAYER, "")[:1]
    name, audience = chat.read_aside(row.get(PLAYER, "").lstrip("".join(chat.SIGNS) + "\ufe0f "))
    for field in ("thought", "private"):
        if field in row and TEXT not in row and kind not in (VOTE, OUT):
            row[TEXT] = row.pop(field)
    hidden = read_hidden(row.get(TEXT, ""))
    audience = audience or chat.SIGNS.get(sign, "") or (hidden.audience if hidden else "")
    row |= {PLAYER: name} if PLAYER in row else {}
    row |= {"audience": audience} if audience else {}
    return row | ({"type": kind} if kind and "type" not in row else {})


def _kind_of(template: _Template) -> str:
    """The type of a template's rows: by its fields, else by its own words, if these say that not all could hear it."""
    fields = _fields(template)
    words = " ".join(re.findall(r"[^\W\d_]+", " ".join(template[::2])))
    is_text = TEXT in fields and "target" not in fields
    kind = next((kind for field, kind in _KINDS.items() if field in fields), "") if not is_text else ""
    kind = VOTE if "vote" in fields and not is_text else kind
    return kind or (words if is_hidden(words) else "")


def _begun_by(line: str, told: narration.Rounds, *, has_rounds: bool, is_text: bool) -> dict[str, str]:
    """The round and night that a line begins, unless templates do; in a text titles and nights count. {} of others."""
    heading = chat.read_heading(line)
    part, alone = "" if heading else narration.part_of_day(line), narration.Rounds()
    if heading and not has_rounds:
        told.begin(heading.round, is_night=heading.kind == "night")
    elif part:
        told.is_night = part == "night"
    elif (is_text and not (alone.hear(line) and alone.is_night)) or not told.hear(line):
        return {}
    number = {"round": str(told.number)} if told.number and not has_rounds else {}
    return number | {"phase": "night" if told.is_night else "day"}


def _ends_text(line: str) -> bool:
    """Whether not everybody could hear a line below a text: nothing goes on below it. "💭 I lie", "[thinking]"."""
    found = _TAG.fullmatch(line)
    return read_hidden(line) is not None or (found is not None and is_hidden(found["words"]))


def fits(decoded: Decoded, written: str) -> bool:
    """Whether templates of another file read the beginning of a text: they have words of their own, or read most."""
    lines = [line.strip() for line in decoded.head(SAMPLE).splitlines() if line.strip()]
    rows, unread = read_lines(lines, written)
    names = {row[PLAYER] for _number, row in rows if PLAYER in row}
    is_most = 4 * len(unread) <= len(lines)
    is_read = len(rows) >= LEAST_LINES and len(names) > 1 and (is_most or count_signs(written) > 0)
    are_keys = 2 * sum(field_of(name.strip("- ")) is not None for name in names) >= len(names)
    return is_read and not are_keys and not any(_hides(parse_templates(written), line) for line in lines)


def _hides(templates: Sequence[_Template], line: str) -> bool:
    """Whether a line has, where templates leave something out or in its text, what says who could hear it."""
    for template in templates:
        values = _split(template, line)
        if values is None or not all(_may_be(field, value) for field, value in values if field):
            continue
        joint = template[-3].strip() if len(template) > 3 and template[-2].startswith(TEXT) else ""
        text = next((value for field, value in values if field.startswith(TEXT)), "")
        head, sign, _rest = text.partition(joint) if joint else ("", "", "")
        keys = (key for key in _KEY.findall(text) if looks_like_audience(key))
        beside = [value for field, value in values if not field] + [head] * bool(sign)
        return any(map(is_hidden, beside)) or any(keys)
    return False


def count_signs(written: str) -> int:
    """How many letters or pictures of its own the template of who speaks has that has fewest of them; else 0."""
    is_known = is_template(written) and not find_fault(written)
    templates = [one for one in parse_templates(written) if PLAYER in _fields(one)] if is_known else []
    if not templates:
        return 0
    return min(sum(sign.isalnum() or not sign.isascii() for sign in "".join(one[::2])) for one in templates)


def propose_templates(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Templates of lines that begin with brackets and times, one of which holds names; each with such a line."""
    shapes: dict[str, list[tuple[str, list[str]]]] = {}
    for line in map(str.strip, lines):
        shape, values = _begin_of(line)
        if values:
            shapes.setdefault(shape, []).append((line, values))
    found = []
    often = sorted(shapes.items(), key=lambda one: -len(one[1]))[:MOST_SHAPES]
    for shape, same in often:
        fields = _fields_of([values for _line, values in same])
        if PLAYER in fields:
            written = shape
            for field in fields:
                written = written.replace("\0", f"{{{field}}}", 1)
            found.append((written, same[0][0]))
    text = Decoded("\n".join(lines).encode())
    return [one for one in found if fits(text, one[0])]


def _begin_of(line: str) -> tuple[str, list[str]]:
    r"""What a line begins with, its values as \0, also between bars: "[Ann -> Bea | 1]"; ("", []) without a bracket."""
    shape, values, at, is_boxed = "", list[str](), 0, False
    while len(values) < _MOST_PIECES and (piece := _PIECE.match(line, at)):
        boxed, at = piece["boxed"] or "", piece.end()
        inner = boxed[1:-1] or piece["time"]
        parted = "".join(f"\0{sign}" for sign in (*_BAR.findall(inner), ""))
        shape += f"{boxed[:1]}{parted}{boxed[-1:]}"
        values += map(str.strip, _BAR.split(inner))
        is_boxed = is_boxed or bool(boxed)
        space = line[at : at + 1].isspace()
        shape, at = f"{shape} " if space else shape, at + space
    sign = _SIGN.match(line, at)
    shape, at = (shape + sign[0], sign.end()) if sign else (shape, at)
    has_text = any(map(str.isalnum, line[at:]))
    shape = f"{shape}{{{TEXT}}}" if has_text else shape.strip()
    return (shape, values) if is_boxed and (has_text or len(values) > 1) else ("", [])


def _fields_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """For each place of such lines its field: a time, a player, a round, a type, or "" for what nobody needs."""
    places = [Counter(values) for values in zip(*rows, strict=True)]
    few = [2 * len(counts) <= len(rows) for counts in places]
    # Of several, names are in capitals, and there are most of them.
    names = [
        (all(map(str.istitle, counts)), len(counts), -at)
        for at, (counts, is_few) in enumerate(zip(places, few, strict=True))
        # What says what rows are, or who could hear them, is no name; a narrator may be among names.
        if is_few and not (any(map(is_hidden, counts)) or _are(_ROUND, counts) or _are(_TIME, counts))
        if 2 * sum(map(bool, map(kind_of_type, counts))) < len(counts)
    ]
    player = -max(names, default=(False, 0, 1))[2]
    are_names = [2 * len(counts.keys() & places[player].keys()) > len(counts) for counts in places]
    # Who speaks stands before those who hear it: "Ann -> Bea".
    player = are_names.index(True) if player >= 0 else player
    fields = list[str]()
    for at, (counts, is_few) in enumerate(zip(places, few, strict=True)):
        if _are(_TIME, counts):
            fields.append("time")
        elif is_few and _are(_ROUND, counts):
            fields.append("round")
        elif at == player and len(counts) > 1:
            fields.append(PLAYER)
        else:
            fields.append("audience" if are_names[at] and player >= 0 else "type" if is_few else "")
    types = [at for at, field in enumerate(fields) if field == "type"]
    # A field stands once: of several types that which hides, else that which tells most apart.
    hiding = [at for at in types if any(map(is_hidden, places[at]))]
    kept = max(hiding or types, key=lambda at: len(places[at]), default=0)
    once = [field if field != "type" or at == kept else "" for at, field in enumerate(fields)]
    once = [field if field not in once[:at] else "" for at, field in enumerate(once)]
    # What another one hides would be lost.
    return once if len(hiding) < 2 else []


def _are(shape: "re.Pattern[str]", values: Iterable[str]) -> bool:
    return all(map(shape.fullmatch, values))
