"""Texts of no known chat whose lines have one shape, which a person confirms once, and a recipe then reads.

A shape is a sign between name and text ("Ann | Good morning."), or one of `SHAPES`; other lines continue a text.
"""

import re
from collections import Counter
from collections.abc import Callable

from msgspec.structs import replace

from discussions.transcripts.core.audience import NARRATORS, is_clear, is_hidden, kind_of_type
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import Games, NewNotes
from discussions.transcripts.core.readers import bare_titles, cast_lists, line_templates, set_apart
from discussions.transcripts.core.readers import chat_forms as forms
from discussions.transcripts.core.readers import chat_labels as labels
from discussions.transcripts.core.readers import chat_lines as chat
from discussions.transcripts.core.readers.chat_parts import LABEL, begin_part, part_of
from discussions.transcripts.core.readers.columns import (
    SEPARATOR,
    Columns,
    MappingRecord,
    find_mapping,
    is_template,
)
from discussions.transcripts.core.readers.csv_rows import is_header
from discussions.transcripts.core.readers.json_rows import table_of_objects
from discussions.transcripts.core.readers.line_templates import LEAST_LINES
from discussions.transcripts.core.readers.named_lines import OTHER, read_named
from discussions.transcripts.core.readers.narration import VOTE_COMMAND, WHO, Rounds, part_of_day, votes_in
from discussions.transcripts.core.readers.rows import read_table
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.core.readers.vote_lines import parts_of_tables
from discussions.transcripts.core.thoughts import have_asides
from workspace.core.words import mark

SEPARATORS = (*"| :: >> => -> » › > ~ = ;".split(), "\t", " - ", " – ", " — ")
# The most text that is looked at, what is no word, and how a separator is shown.
SAMPLE, LEAST_SIGNS, SHOWN, FIRST_LINES = 64 * 1024, 8, 100, 40
_LEFT_OUT = mark('Lines that are in none of the templates were left out: {count} (first "{what}").')
ABOVE, KEYED, NAMED, BELOW, LINE = "name and time above", "key: value", "names", "below", "line"
HEARD = "name (to names)"
# A row takes so many lines or fewer; a name and its text take two or more, as does each key of a record.
_SHARES = {NAMED: 4, HEARD: 4, ABOVE: 3, "table": 1}
_Rows = list[tuple[int, dict[str, str]]]
# In how many lines a shape or a sign is, and a line that shows it.
_Found = tuple[int, str, str]

_HEARD = re.compile(
    rf"[*_\[]{{0,3}}(?P<name>{WHO}) ?\((?:to|an|für|à|para|a|для|对)[:：]? ?(?P<to>[^()\n]{{1,300}})\)"
    r"(?: [-–—|/] (?P<role>[^*:：\n]{1,40}?))?(?:[*_\]]{0,3}[:：]|\])[*_]{0,2}\s{0,3}(?P<text>\S.*)"
)
_RULED = re.compile(r"([=_*~-])\1{4,}")
_BOXED_BARS = re.compile(r"\A\s{0,9}[\[(<][^\[\]()<>]{1,80}[\])>]")
# "@Ann" and "<Ann>" in a field of their own.
_NICK = re.compile(r"\t<?[@+%~& ]?([^\s<>]{1,40})>?(?=\t)")
_CROSSED = re.compile(r"\s{0,9}[|+-][-+|:]+\s{0,9}")
_ROUND = re.compile(r"\W{0,9}(?:round|day)\s{1,3}#?(?P<number>\d{1,4})\b.{0,20}", re.IGNORECASE)


def _read_records(lines: list[str]) -> _Rows:
    """Blocks of keys and values, each beginning with a key that the one before had; what is below is one of its own."""
    pairs = [(at, line, LABEL.fullmatch(line)) for at, line in enumerate(lines, start=1)]
    counts = Counter(match["label"] for _at, _line, match in pairs if match)
    least = max(LEAST_LINES, max(counts.values(), default=0) / 2)
    often = {key for key, count in counts.items() if count >= least}
    rows: _Rows = []
    for at, line, match in pairs if len(often) > 2 else ():
        key = match["label"] if match else ""
        if key in often and (not rows or key in rows[-1][1]):
            rows.append((at, {}))
        if match and key in often:
            rows[-1][1][key] = match["text"]
        elif rows and line.strip() and not line.startswith("#"):
            rows[-1][1][BELOW] = f"{rows[-1][1].get(BELOW, '')}\n{line.strip()}".strip()
    return rows


def _read_cells(lines: list[str]) -> _Rows:
    """The rows of tables in Markdown like the first one; without one, the lines with as many cells as most have."""
    # Databases cross the rules of their tables with "+".
    lines = [line.replace("+", "|") if _CROSSED.fullmatch(line) else line for line in lines]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    rule = next((at for at, row in enumerate(cells) if at and _is_rule(row)), 0)
    # Bars in brackets part what is before a text: "[Round 1 | Ann] Hello."
    bare = [_NICK.sub(r"\t\1", _BOXED_BARS.sub("", line).strip(" |")) for line in lines]
    sign = max((" | ", "\t", "::", "~"), key=lambda sign: sum(line.count(sign) > 1 for line in bare))
    cells = cells if rule else [[cell.strip() for cell in line.split(sign)] for line in bare]
    width = max(Counter(map(len, cells)).most_common(1), default=(0, 0))[0]
    table = [row for row in cells if len(row) == width]
    names = [f"cell {number}" for number in range(1, width + 1) if width > 2]
    names = cells[rule - 1] if rule else table[0] if names and is_header(table[0], table[1:]) else names
    rows: _Rows = []
    begun: dict[str, str] = {}
    for at, (line, row) in enumerate(zip(lines, cells, strict=True), start=1):
        begun = _begun_by(line) or begun
        # "-->" stands in place of a name where somebody joins.
        is_told = _is_rule(row) or (sign == "\t" and any(re.fullmatch("[<=!>-]{2,3}", cell) for cell in row))
        if at > rule - 1 and len(row) == len(names) > 1 and row != names and not is_told:
            rows.append((at, begun | dict(zip(names, row, strict=True))))
    return rows


def _is_rule(row: list[str]) -> bool:
    return all(re.fullmatch(":?-{2,}:?", cell) for cell in row)


def _read_heads(lines: list[str]) -> _Rows:
    """Texts under lines with author and time, which may be on two; a line alone that is no sentence is a title."""
    rows: _Rows = []
    begun: dict[str, str] = {}
    # Between rules stands what is about the messages below, such as their channel.
    is_new = False
    lines = [*map(str.strip, lines), "", ""]
    for at, line in enumerate(lines[:-2], start=1):
        above, below = lines[at - 2] if at > 1 else "", lines[at]
        is_new = is_new or _RULED.fullmatch(line) is not None
        if forms.TIME_ALONE.fullmatch(line):
            continue
        if head := forms.head_above(line, below):
            rows.append((at, {"time": head[1], "player": head[0], "text": ""} | begun))
            is_new = False
        elif is_new:
            begun = part_of(line, begun) or begun
        elif line[-1:].isalnum() and not above and (not below or forms.head_above(below, lines[at + 1])):
            begun = begin_part(line, begun, is_alone=False)
        elif rows and line:
            rows[-1][1]["text"] = f"{rows[-1][1]['text']}\n{line}".strip()
    for _at, row in rows:
        vote = VOTE_COMMAND.fullmatch(row["text"])
        row |= {"type": "vote", "target": vote["target"], "text": ""} if vote else {}
    return rows


def _read_heard(lines: list[str]) -> _Rows:
    """Messages that each list who heard them: "**Ann (to: Ann, Bea, Cid) - SEER**: Hi."; who leads tells the votes."""
    heads = [_HEARD.fullmatch(line) for line in lines]
    has_lists = 2 * sum("," in head["to"] for head in heads if head) > sum(head is not None for head in heads)
    called = {name.strip() for head in heads if head for name in head["to"].split(",")}
    rows, told = _Rows(), Rounds()
    for at, (line, head) in enumerate(zip(lines, heads, strict=True), start=1) if has_lists else ():
        if head and head["name"].casefold() in NARRATORS:
            told.hear(head["text"])
            for voter, target in (one for one in votes_in(head["text"]) if called.issuperset(one)):
                # The name alone was the ballot.
                rows = rows[:-1] if rows and rows[-1][1].get("text") == target else rows
                vote = {"round": str(told.number or 1), "type": "vote", "player": voter, "target": target}
                rows += [] if told.is_night else [(at, vote)]
        elif head:
            role = {"role": head["role"]} if head["role"] else {}
            said = {"type": "speech", "player": head["name"], "audience": head["to"], "text": head["text"]}
            rows.append((at, {"round": str(told.number or 1)} | role | said))
            told.has_talk = told.has_talk or not told.is_night
        elif rows and line.strip() and "text" in rows[-1][1]:
            rows[-1][1]["text"] += f"\n{line.strip()}"
    return rows


SHAPES: dict[str, Callable[[list[str]], _Rows]] = {
    KEYED: _read_records,
    "table": _read_cells,
    ABOVE: _read_heads,
    HEARD: _read_heard,
    NAMED: read_named,
}


def separated_name(separator: str) -> tuple[str, str]:
    """The columns of name and text, which belong to files with this separator alone."""
    shown = "⇥" if separator == "\t" else separator.strip()
    return f"name {shown}", f"text {shown}"


def find_separators(text: str) -> list[tuple[str, str]]:
    """The shapes and the signs that may stand between name and text, the likeliest first, each with a line."""
    lines = _lines(text[:SAMPLE])
    named = read_named(lines)
    said = [row for _at, row in named if "text" in row and row.get("type") != OTHER]
    has_votes = any("target" in row for _at, row in named)
    players, types = {row["player"] for row in said}, {row.get("type") for row in said}
    parts = {row.get("phase") for row in said}
    shapes = _find_shapes(lines, players, named if said else [])
    signs = _find_signs(lines)
    # Where a sign is enough, the names need no shapes of their own.
    if not has_votes and any(
        names >= players
        and (has_modes or len(types) < 2)
        and len(parts) <= len({row.get("phase") for _at, row in _read_sign(lines, sign[1])})
        for sign, names, has_modes in signs
    ):
        shapes = [one for one in shapes if one[1] != NAMED]
    # Of signs in equally many lines the longer one counts, which the order says.
    found = sorted((*shapes, *(sign for sign, _names, _modes in signs)), key=lambda one: -one[0])
    return [(separator, sample) for _often, separator, sample in found] or line_templates.propose_templates(
        lines
    )


def _lines(text: str) -> list[str]:
    """The lines, with boxes and branches as names before texts."""
    lines = [line for _kind, line in parts_of_tables(text.splitlines())]
    names = (forms.find_steps, forms.find_verbs, forms.find_boxes, forms.find_branches, forms.find_play)
    lines = forms.as_chat(lines, filter(None, (find(lines) for find in names)))
    lines = forms.as_chat(lines, filter(None, [set_apart.find_marked(lines)]))
    return forms.as_chat(lines, filter(None, [bare_titles.find_between(lines)]))


def _find_shapes(lines: list[str], players: set[str], named: _Rows) -> list[_Found]:
    found, count = [], sum(bool(line.strip()) for line in lines)
    for shape, read in SHAPES.items():
        rows = named if shape == NAMED else read(lines)
        keys = {key for _at, row in rows for key in row}
        columns = {key: Counter(row.get(key, "") for _at, row in rows) for key in keys}
        share = _SHARES.get(shape, 2 * len(columns))
        # Players come back, and texts have several words, which some scripts do not part.
        comes_back = any(1 < len(one) < len(rows) for one in columns.values())
        cells = (said for one in columns.values() for said in one)
        has_texts = any(" " in said or (len(said) > LEAST_SIGNS and not said.isascii()) for said in cells)
        if len(rows) < LEAST_LINES or (share + 1) * len(rows) <= count or not (comes_back and has_texts):
            continue
        # Rows without the players in a column of their own, or with many others there, are worse than those by names.
        has_players = shape == HEARD or any(
            (players <= one.keys() or (shape == "table" and players - keys <= one.keys()))
            and len(one) <= 2 * len(players)
            for one in columns.values()
        )
        if has_players or shape != KEYED:
            shown = lines[_shown_row(rows) - 1].strip()[:SHOWN]
            found.append(((10 if has_players else 9) * count, shape, shown))
    return found


def _find_signs(lines: list[str]) -> list[tuple[_Found, set[str], bool]]:
    """The signs, each with the names that stand before it, and whether words after names may say who could hear."""
    found = []
    for separator in (*SEPARATORS, *([":"] if _is_odd_chat(lines) else [])):
        matches = _messages(lines, separator)
        modes = labels.find_modes(map(_called, matches.values()))
        names = Counter(labels.split_mode(match["name"], modes)[0] for match in matches.values())
        often = sum(count for count in names.values() if count > 1)
        # What has a time and no name is a notice.
        others = sum(
            not part and bool(line.strip()) and number not in matches and not chat.TIMED.match(line)
            for number, line, part in labels.split_hidden(lines, _starts(matches))
        )
        is_talk = not labels.are_keys([(match["name"], match["text"]) for match in matches.values()])
        is_talk = is_talk and len(names) > 1 and often >= LEAST_LINES and 2 * often > len(matches) + others
        if is_talk and 2 * len(names) <= often + 1 and not all(map(kind_of_type, names)):
            shown = next(iter(matches.values()))[0][:SHOWN]
            found.append(((often, separator, shown), {*names}, bool(modes)))
    return found


def _shown_row(rows: _Rows) -> int:
    """The number of a line of the type that most rows have, of a thought only where there is no other."""
    types = Counter(row.get("type", "") for _at, row in rows)
    most = max(reversed(types), key=lambda said: (not is_hidden(said), types[said]))
    return next(at for at, row in rows if row.get("type", "") == most)


def _messages(lines: list[str], separator: str) -> dict[int, "re.Match[str]"]:
    """The lines of this shape, by their numbers."""
    sign = "[:：]" if separator == ":" else re.escape(separator)
    shape = re.compile(
        rf"(?:[\[(]?(?P<time>{chat.TIME})[\])]?[ ,|\t-]{{0,3}})?"
        rf"(?P<name>{WHO})(?P<boxed> ?[(\[][^()\[\]\n]{{1,40}}[)\]])?[ ]{{0,3}}{sign}[ ]{{0,3}}(?P<text>\S.*)"
    )
    matches = (shape.fullmatch(chat.plain_line(line.strip())) for line in lines)
    return {number: match for number, match in enumerate(matches, start=1) if match}


def _starts(messages: dict[int, "re.Match[str]"]) -> set[int]:
    """The numbers of those lines whose names are players for sure."""
    doubtful = labels.doubtful_labels([(_called(match), match["text"]) for match in messages.values()])
    return {number for number, match in messages.items() if _called(match) not in doubtful}


def _is_odd_chat(lines: list[str]) -> bool:
    """Whether lines of a chat have words in marks beside texts, or in brackets after names, that are asked about."""
    found = [(_called(match), match["text"]) for match in _messages(lines, ":").values()]
    modes = labels.find_modes(name for name, _text in found) or labels.doubtful_labels(found)
    parts = labels.unknown_parts(lines) or labels.hidden_parts(lines)
    return bool(modes or parts or have_asides(text for _name, text in found))


def _called(match: "re.Match[str]") -> str:
    return match["name"].strip() + (match["boxed"] or "")


def read_separated(decoded: Decoded, separator: str) -> Table | None:
    """The lines of a text as rows; None if it has no line with this separator, or template. Never raises."""
    is_written = is_template(separator)
    lines, left_out = decoded.text.splitlines() if is_written else _lines(decoded.text), list[str]()
    if is_written:
        rows, left_out = line_templates.read_lines(lines, separator)
    else:
        rows = SHAPES[separator](lines) if separator in SHAPES else _read_sign(lines, separator)
    separators = find_separators(decoded.text)
    if not rows or not (is_written or separator in dict(separators)):
        return None
    name, said = ("player", "text") if is_written or separator in SHAPES else separated_name(separator)
    told = [(row.get(name, ""), row.get(said, "")) for _at, row in rows]
    cards = set[int]() if is_written else cast_lists.find_cards(told)
    rows = [row for at, row in enumerate(rows) if at not in cards]
    table = table_of_objects(rows, "line {}".format)
    types = Counter(row["type"] for _at, row in rows if "type" in row and "player" in row)
    is_asked = is_written or separator == NAMED
    asked = {said: count for said, count in types.items() if is_asked and not is_clear(said)}
    first_lines = lines[:FIRST_LINES] if is_written else []
    table = replace(table, left_out=[*table.left_out, *left_out], first_lines=first_lines)
    return replace(table, settings={SEPARATOR: separator}, choices={SEPARATOR: separators}, asked=asked)


def _read_sign(lines: list[str], separator: str) -> _Rows:
    name, said = separated_name(separator)
    rows: _Rows = []
    begun: dict[str, str] = {}
    found = _messages(lines, separator)
    called = {_called(match).casefold() for match in found.values()}
    modes, parts = labels.find_modes(map(_called, found.values())), labels.unknown_parts(lines)
    # What a line without a name continues.
    spoken: dict[str, str] = {}
    for number, line, part in labels.split_hidden(lines, _starts(found)):
        match = found.get(number)
        is_channel = match and is_hidden(match["name"]) and labels.is_figure(match["text"], called)
        if part:
            rows.append((number, spoken | {"type": part, said: line}))
        elif begins := _begun_by(line) or (part_of(line, begun) if is_channel else {}):
            begun = begins
        elif day_part := part_of_day(line):
            begun = begin_part(day_part, begun, is_alone=False)
        elif sentence := _ROUND.fullmatch(line):
            begun = {"round": sentence["number"]}
        elif title := chat.title_of(line):
            begun = begin_part(title, begun, is_alone=len(parts) < 2)
        elif match:
            spoken = begun | _read_label(match, name, modes) | {said: match["text"]}
            rows.append((number, spoken))
        # With times, what has one and no name is a notice: who came or went.
        elif spoken and line.strip() and not ("time" in spoken and chat.TIMED.match(line)):
            spoken[said] += f"\n{line.strip()}"
    return rows


def _read_label(match: "re.Match[str]", name: str, modes: frozenset[str]) -> dict[str, str]:
    """What stands before a text: its time, who says it (under this `name`), and what else is said of it."""
    timed = {"time": match["time"]} if match["time"] else {}
    who, audience = chat.read_aside(_called(match))
    if audience:
        return timed | {name: who, "audience": audience}
    if match["boxed"] and who != match["name"].strip():
        return timed | {name: match["name"].strip(), "type": match["boxed"].strip(" ()[]")}
    who, mode = labels.split_mode(who, modes)
    return timed | {name: who} | ({"type": mode} if mode else {})


def _begun_by(line: str) -> dict[str, str]:
    """The round that a line begins, and whether it is night; {} for other lines."""
    heading = chat.read_heading(line)
    night = {"phase": "night"} if heading and heading.kind == "night" else {}
    return {"round": str(heading.round)} | night if heading else {}


def table_of_lines(decoded: Decoded) -> Table:
    """The lines of a text of which nothing is known, for a person to say how they are written."""
    numbered = enumerate(decoded.text.splitlines(), start=1)
    rows = [(number, {LINE: line}) for number, line in numbered if line.strip()]
    table = table_of_objects(rows, "line {}".format)
    return replace(table, choices={SEPARATOR: []}, first_lines=decoded.text.splitlines()[:FIRST_LINES])


def recognises_recipe(decoded: Decoded, columns: Columns, *, is_own: bool = False) -> bool:
    """Whether a recipe says how the lines are read; one that `is_own` was made for this very text."""
    return _by_recipe(decoded, columns, is_own=is_own) is not None


def _by_recipe(decoded: Decoded, columns: Columns, *, is_own: bool) -> tuple[Table, MappingRecord] | None:
    """The rows by the recipe that fits; of several, by that whose templates have most words of their own."""
    written = [(one.settings.get(SEPARATOR, ""), one) for one in columns]
    for separator, mapping in sorted(written, key=lambda one: -line_templates.count_signs(one[0])):
        fits = separator and (is_own or not is_template(separator) or line_templates.fits(decoded, separator))
        table = read_separated(decoded, separator) if fits else None
        if table is not None and find_mapping(table.columns, [mapping]):
            return table, mapping
    return None


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: Columns) -> Games:
    """The games of the lines, by the recipe that fits. Never raises."""
    own = [one for one in columns if one.is_own]
    found = _by_recipe(decoded, own, is_own=True) or _by_recipe(decoded, columns, is_own=False)
    if found is None:
        return
    table, mapping = found
    for at, (game, notes) in enumerate(read_table(table, new_notes, [mapping])):
        if table.left_out and at == 0:
            notes.warn("lines_left_out", "", table.left_out[0], count=len(table.left_out), says=_LEFT_OUT)
        yield game, notes
