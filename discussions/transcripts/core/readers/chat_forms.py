"""Other forms of a chat, such as boxes, plays and names above texts, as lines `[10:05] Name (aside): text`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

from discussions.transcripts.core.audience import (
    PRIVATE,
    SPEECH,
    THOUGHT,
    is_hidden,
    kind_of_title,
    kind_of_type,
)
from discussions.transcripts.core.readers import set_apart
from discussions.transcripts.core.readers.bare_titles import find_between
from discussions.transcripts.core.readers.chat_labels import FACT
from discussions.transcripts.core.readers.chat_lines import TIME, match_message, read_heading
from discussions.transcripts.core.readers.narration import PARTS, ROLE, VOTES, WHO, read_label
from discussions.transcripts.core.readers.vote_lines import (
    PAIRS,
    Form,
    Lines,
    Parts,
    parts_of_tables,
    parts_votes,
    without_voting,
)

_LEAST, _MOST_WORDS, _LONGEST, _MOST_LINES = 4, 4, 100, 100
_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|mon|tue|wed|thu|fri|sat|sun)[^\W\d_]{0,6}\.?"
_DAY = (
    rf"(?:(?:today|yesterday|heute|gestern|hier|hoy|\d{{1,2}}\.? {_MONTH} \d{{4}}"
    rf"|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})?),? (?:at |um |à |a las )?)?"
)
_ABOVE = re.compile(
    rf"(?P<name>{WHO}(?:#\d{{1,5}})?)(?P<sign>[ \t]{{0,3}}[,—–|·•-]?[ \t]{{1,3}}[\[(]?){_DAY}(?P<time>{TIME})"
    r"[\])]?:?[ \t]{0,3}",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?P<sign>[\[(]?)(?P<time>{TIME})[\])]?[ ,|\t–-]{{1,3}}(?P<name>{WHO}(?:#\d{{1,5}})?)[ \t]{{0,3}}"
)
TIME_ALONE = re.compile(rf"\W{{0,3}}{_DAY}(?P<time>{TIME})\W{{0,3}}", re.IGNORECASE)
_CLOCK = re.compile(r"\d[:.]\d\d")
_CHANNEL = re.compile(r"#(?P<title>[^\W_][^#\n]{1,100})")
_ROUND_IN = re.compile(rf"\b(?:{PARTS}) ?#?\d{{1,4}}\b", re.IGNORECASE)
_BOX_TOP = re.compile(
    r"\s{0,9}[╭┌┏╔+][─━═┄ -]{1,300}?(?P<title>[^─━═┄\s+-][^─━═┄╮┐┓╗]{0,80}?)[─━═┄ -]{1,400}[╮┐┓╗+]\s{0,9}"
)
_BOX_EDGE = re.compile(r"\s{0,9}[╭┌┏╔╰└┗╚├┠╟+][─━═┄ -]{1,600}[╮┐┓╗╯┘┛╝┤┨╢+]\s{0,9}")
_SIGN = re.compile("[\u2190-\u24ff\u2600-\u2bff\U0001f000-\U0001faff]\ufe0f? {0,3}")
_MODEL = re.compile(r" ?\[[\w.:-]{1,40}/[\w.:-]{1,60}\]")
_BARS = ("│", "┃", "║", "|")
_BRANCH = re.compile(r"[\s│┃|]{0,99}(?P<sign>[├└╰┌╭])[─━-]{1,3} (?P<said>\S.*)")
_WITH_VERB = re.compile(
    r"(?P<before>(?:[^\w\[<*`]{0,6}(?:\d{1,4}[.)] )?|[\[(]?[\d:., -]{4,30}[\])]?[ -]{0,3})"
    r"(?:\[?[A-Z]{4,8}\]? (?:- )?)?)"
    r"(?:\[|<|\*\*|`)"
    r"(?P<name>[^\W\d_][^\[\]<>\n:*`]{0,39})(?:\]|>|\*\*|`) (?P<said>"
    r"(?:says?|said|asks?|asked|replie[sd]|thinks?|thought|whispers?|whispered) ?[:：](?: .*)?"
    r"|[(\[](?P<mode>[^()\[\]\n]{1,40})[)\]] ?[:：].*"
    r"|(?:votes?|voted)(?: for| to \w{4,10})? (?P<target>[^\n.!:]{1,40})[.!]?)"
)
_SPOKEN = re.compile(r"(?:says?|said|asks?|asked|replie[sd]) ?[:：] ?")
_OF_PLAYER = re.compile(rf"[^\w\n]{{0,6}}{WHO} ?[(\[][^()\[\]\n]{{1,40}}[)\]] ?[:：] ?\S")
# "Ann (Round 2):" above "PUBLIC MESSAGE (what others see):", where rules may stand between.
_RULE_ALONE = re.compile(r"\s{0,9}(?:([=_*~#─━═-])\1{2,200})?\s{0,9}")
_HEAD = re.compile(
    r"\W{0,6}(?P<name>[^\W_](?:[^\n:：().!?…]|\.(?=\w| \w)){0,40}?) ?"
    r"(?:[(\[](?:round|day|turn|r|d) ?(?P<round>\d{1,3}|\w{1,20})[)\]])? ?[:：]?[*_]{0,2}\s{0,9}",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\W{0,6}(?P<title>[^\W\d_][^\n:：()]{2,40}?) ?(?:\((?P<boxed>[^()\n]{1,80})\))?[*_]{0,2} ?[:：][*_]{0,2}\s{0,9}"
)
_KNOWN_PARTS = (SPEECH, PRIVATE, THOUGHT)
_MODE = re.compile(r"(?P<name>[^\n]{1,60}?)(?:\s{1,3}[·•|—–-]\s{1,3}|:\s|\s{0,3}[(\[])(?P<mode>[^\n]{1,60}?)")
_CAPS = re.compile(
    r"\s{0,80}(?P<name>[^\W\d_a-z][^a-z:.!?\n()\[\]]{1,38}?)(?: ?\((?P<mode>[^()]{1,60})\))?\s{0,9}"
)
_ASIDE = re.compile(r"\s{0,80}\((?P<mode>[^()]{1,80})\)\s{0,9}")
_WITH_ROLE = re.compile(rf"(?P<role>{ROLE.pattern}) (?P<name>[^\W\d_].*)", re.IGNORECASE)
# What no title of a part may hold.
_APART_SIGNS = re.compile(r"[][(){}<>=#*_~|:-]{1,9}")

# Fields of lines, as LINE exports them or rooms tell them: "20:15<tab>Ann<tab>Hi", "20:15:01 |c|+Ann|Hi".
_FIELDS = re.compile(
    rf"[\[(]?(?P<time>{TIME})[\])]?(?:\t(?:(?P<who>[^\t|]{{1,40}})\t)?(?P<said>[^\t]*)"
    r"|\s?\|(?P<kind>[\w-]{1,12}):?\|(?:\d{9,13}\|)?(?:[ +%@~#&*★☆!^]?(?P<name>[^|<>\n]{0,40}?)\s?\|)?(?P<text>.*))"
)
_DATE_ALONE = re.compile(
    r"\D{0,9}(?P<date>\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})\D{0,12}"
)
_MOST_FIELDS, _SPOKEN_KINDS = 3, ("c", "chat", "msg", "message")
_MARKUP = re.compile(r"</?\w[^<>]{0,200}>")

# "[Gün 1] Ann: ...", "19:05 [gov 2] Ann: ...".
_STEP = re.compile(
    rf"(?P<before>(?:[\[(]?{TIME}[\])]?[ ,|\t–-]{{0,3}})?[\[(])(?:(?P<word>[^\W\d_]{{1,20}})[ .#]{{0,2}})?"
    r"(?P<number>\d{1,3})(?:[. ]{0,2}(?P<last>[^\W\d_]{1,20}))?(?=[\]),])"
)

# What stands above a game in other languages, and between its names.
_FIRST = 20
_FOREIGN = re.compile(
    r"\s{0,9}(?:(?P<players>玩家(?:列表|名单)?|参与者|プレイヤー|参加者|spieler|jugadores|joueurs|giocatori|jogadores|игроки)"
    r"|(?:角色|身份|役職|rollen|roles|rôles|ruoli|роли))\s{0,3}(?:[:：]|=(?=\s?\{))\s{0,9}(?P<said>\S.{0,1000})",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s{0,3}[、，;；]\s{0,3}")


def find_forms(lines: Lines) -> list[Form]:
    """How the lines of a file are rewritten, as far as its first `lines` tell."""
    changing = (_parts_facts, parts_of_tables, parts_votes, without_voting)
    facts, *votes = (partial(_find_changed, form=form) for form in changing)
    above = (find_steps, _find_fields, facts, find_verbs, _find_parts, _find_above, find_boxes)
    below = (find_branches, find_play, _find_roles, set_apart.find_marked)
    finders: Iterable[Callable[[Lines], Form | None]] = (*above, *below, find_between, *votes)
    found = []
    for find in finders:
        if form := find(lines):
            found.append(form)
            lines = _as_lines(form(lines))
    return found


def _find_changed(lines: Lines, *, form: Form) -> Form | None:
    return form if [line for _kind, line in form(lines)] != lines else None


def as_chat(lines: Lines, forms: Iterable[Form]) -> Lines:
    for form in forms:
        lines = _as_lines(form(lines))
    return lines


def _as_lines(parts: Parts) -> Lines:
    """The lines with the names that stand above texts before them; other lines of a text are indented."""
    written, name, at = Lines(), "", 0
    for kind, said in parts:
        text = said.strip()
        if kind == "name":
            name, line, at = said, "", len(written)
        elif kind in ("text", "same") and name and text:
            written[at] = f"{name}{text}"
            name, line = "", ""
        elif kind == "told" and text and read_heading(text) is None:
            name, line = "", f"Narrator: {text}"
        else:
            line = f" {text}" if kind == "text" and text else said
        written.append(line)
    return written


def _count_filled(lines: Lines) -> int:
    return sum(bool(line.strip()) for line in lines)


def _parts_facts(lines: Lines) -> Parts:
    """The lines with the players and the roles that stand above in another language under the keys of chats."""
    for number, line in enumerate(lines):
        found = _FOREIGN.fullmatch(line) if number < _FIRST else None
        if found is None:
            yield "", line
        else:
            key = "Players" if found["players"] else "Roles"
            pairs = [f"{name}={role}" for name, role in PAIRS.findall(found["said"])]
            yield "", f"{key}: {', '.join(pairs) or _BETWEEN.sub(', ', found['said'])}"


def _find_fields(lines: Lines) -> Form | None:
    found = [match for line in lines if (match := _FIELDS.fullmatch(line))]
    names = Counter(one["who"] or one["name"] for one in found if one["who"] or one["kind"] in _SPOKEN_KINDS)
    often = sum(count for name, count in names.items() if name and count > 1)
    # Further fields may say who could hear a line.
    are_few = all(line.count("\t") < _MOST_FIELDS for line in lines)
    return _parts_of_fields if often >= _LEAST and 5 * often > 2 * _count_filled(lines) and are_few else None


def _parts_of_fields(lines: Lines) -> Parts:
    """Lines of fields as messages; what has no name is told, and what opens a quote goes on below."""
    is_quoted, day = False, ""
    for line, below in pairwise([*lines, ""]):
        found, date = _FIELDS.fullmatch(line), _DATE_ALONE.fullmatch(line)
        if found is None:
            day = f"{date['date']} " if date else day
            yield "text" if is_quoted else "same", line.removesuffix('"' * is_quoted) if not date else ""
            is_quoted = is_quoted and not line.endswith('"')
            continue
        name, kind = (found["who"] or found["name"] or "").lstrip("+%@~&!"), found["kind"] or ""
        said = found["said"] or found["text"] or ""
        mode = "" if kind in ("", *_SPOKEN_KINDS) else kind
        is_quoted = kind == "" and said[:1] == '"' and below.strip() != "" and not _FIELDS.fullmatch(below)
        said = said[1:] if is_quoted else said
        told = _label(name, mode) if any(map(str.isalnum, name)) and (not mode or is_hidden(mode)) else ""
        said = said if told else _MARKUP.sub(" ", said).strip(" *")
        yield "same", f"[{day}{found['time']}] {told or 'Narrator: '}{said}" if said else ""


def find_verbs(lines: Lines) -> Form | None:
    """Names in brackets before a verb: "[Ann] votes Bea", "<Ann> thinks: ..."."""
    names = Counter(found["name"] for line in lines if (found := _WITH_VERB.fullmatch(line)))
    called = {name for name in names if kind_of_type(name) in ("", SPEECH)}
    is_form = len(called) > 1 and names.total() > len(called)
    return partial(map, partial(_without_brackets, names=called)) if is_form else None


def _without_brackets(line: str, *, names: set[str]) -> tuple[str, str]:
    found = _WITH_VERB.fullmatch(line)
    if not found or found["name"] not in names or found["target"] not in (None, *names):
        return "same", line
    # Of other words in brackets somebody has to say what they mean.
    if found["mode"] is not None and kind_of_type(found["mode"]) != THOUGHT:
        return "same", line
    spoken = _SPOKEN.match(found["said"])
    said = f": {found['said'][spoken.end() :]}" if spoken else f" {found['said']}"
    return "same", f"{found['before']}{found['name']}{said}"


def _find_above(lines: Lines) -> Form | None:
    found = [head for line, below in pairwise([*lines, ""]) if (head := head_above(line, below))]
    names, signs = (Counter(head[part] for head in found) for part in (0, 2))
    sign, most = max(signs.items(), key=lambda one: one[1], default=("", 0))
    often = sum(count for count in names.values() if count > 1)
    is_form = len(names) > 1 and often >= _LEAST and 5 * often > _count_filled(lines)
    if not is_form or 2 * min(often, most) <= len(found):
        return None
    return partial(_parts_above, sign=sign)


def head_above(line: str, below: str, sign: str | None = None) -> tuple[str, str, str] | None:
    """The name and the time of a line that stands above a text, and the sign between them, which may be given."""
    is_timed = _CLOCK.search(line) or _CLOCK.search(below)
    if not line or len(line) >= _LONGEST or not is_timed or TIME_ALONE.fullmatch(line):
        return None
    head = _ABOVE.fullmatch(line) or _BEFORE.fullmatch(line)
    name, found = (head["name"], head["sign"]) if head else (line.strip(), "\n")
    timed = head or TIME_ALONE.fullmatch(below)
    is_name = len(name.split()) <= _MOST_WORDS and name[:1].isalpha() and sign in (None, found)
    return (name, timed["time"], found) if timed and is_name else None


def _parts_above(lines: Lines, *, sign: str) -> Parts:
    above = ""
    for line, below in pairwise([*lines, ""]):
        head, channel = head_above(line, below, sign), _CHANNEL.fullmatch(line)
        if head:
            yield "name", f"[{head[1]}] {head[0]}: "
        elif above == "\n" and TIME_ALONE.fullmatch(line):
            yield "same", ""
        else:
            title = channel["title"] if channel else ""
            # A channel that all hear is a round, if it has one.
            begun = None if kind_of_title(title) else _ROUND_IN.search(title)
            title = begun[0] if begun else _APART_SIGNS.sub(" ", title)
            yield "same", f"=== {title} ===" if channel else line
        above = head[2] if head else ""


def find_steps(lines: Lines) -> Form | None:
    """An unknown word with a number that grows and comes back before most lines is the round, several its parts."""
    found = [step for line in lines if (step := _STEP.match(line))]
    words = {step["word"] or step["last"] for step in found}
    numbers = [int(step["number"]) for step in found]
    grows = numbers == sorted(numbers) and 1 < 2 * len({*numbers}) <= len(numbers)
    is_new = all(word and not (read_heading(f"{word} 1") or read_label(f"{word}1")[1]) for word in words)
    is_usual = len(words) <= _MOST_WORDS and 3 * len(found) > 2 * _count_filled(lines)
    return (
        partial(map, partial(_as_step, has_parts=len(words) > 1)) if is_new and grows and is_usual else None
    )


def _as_step(line: str, *, has_parts: bool) -> tuple[str, str]:
    step = _STEP.match(line)
    part = f"] [{(step['word'] or step['last']).lower()}" if step and has_parts else ""
    return "same", f"{step['before']}Round {step['number']}{part}{line[step.end() :]}" if step else line


def find_boxes(lines: Lines) -> Form | None:
    tops = sum(_BOX_TOP.fullmatch(line) is not None for line in lines)
    return partial(map, _part_of_box) if tops >= _LEAST and 4 * tops > _count_filled(lines) else None


def _part_of_box(line: str) -> tuple[str, str]:
    if top := _BOX_TOP.fullmatch(line):
        mode = _MODE.fullmatch(top["title"])
        return "name", _label(mode["name"], mode["mode"]) if mode else _label(top["title"], "")
    row = line.strip()
    if _BOX_EDGE.fullmatch(line) or not row.startswith(_BARS):
        return "told", "" if _BOX_EDGE.fullmatch(line) else line.strip(" ─━═┄🗳")
    text = row[1:-1] if row[1:].endswith(_BARS) else row[1:]
    return "text", text.removeprefix(" ").rstrip()


def _heads_of(lines: Lines) -> "dict[int, re.Match[str]]":
    """The lines that may name who says what stands below the title of a part, by their numbers."""
    filled = [(at, line) for at, line in enumerate(lines) if not _RULE_ALONE.fullmatch(line)]
    kinds = [_kind_of_part(line) for _at, line in filled]
    found = {
        at: _HEAD.fullmatch(line)
        for (at, line), above, own, below in zip(filled, ["", *kinds], kinds, [*kinds[1:], ""], strict=False)
        if below and not own and not above
    }
    return {at: head for at, head in found.items() if head}


def _kind_of_part(line: str) -> str:
    """What the title of a part says, and the words in brackets behind it, if they hide what follows."""
    part = _PART.fullmatch(line)
    if part is None:
        return ""
    boxed = kind_of_title(part["boxed"] or "")
    return boxed or kind_of_type(part["title"])


def _find_parts(lines: Lines) -> Form | None:
    heads = _heads_of(lines)
    names = Counter(head["name"] for head in heads.values())
    often = {name for name, count in names.items() if count > 1}
    # Who speaks once is told from a text by a colon or a round.
    is_clear = all(
        one["name"] in often or lines[at].rstrip(" *_")[-1:] in ":：)]" for at, one in heads.items()
    )
    titles = Counter(part[0] for part in map(_PART.fullmatch, lines) if part and part["title"] not in names)
    are_known = all(_kind_of_part(title) in _KNOWN_PARTS for title, count in titles.items() if count > 1)
    is_form = len(often) > 1 and is_clear and are_known and not any(map(read_heading, names))
    return partial(_parts_below, names={*names}) if is_form else None


def _parts_below(lines: Lines, *, names: set[str]) -> Parts:
    """What stands below a name and the title of a part is said by this player, as the title says."""
    heads, name, number = _heads_of(lines), "", ""
    for at, line in enumerate(lines):
        head, part = heads.get(at), _PART.fullmatch(line)
        if head and head["name"] in names:
            name, is_new = head["name"], head["round"] not in (None, number)
            number = head["round"] or number
            yield "same", f"=== Round {number} ===" if is_new else ""
        elif name and part and (kind := _kind_of_part(line)) in _KNOWN_PARTS:
            words = " ".join(filter(None, part.group("title", "boxed")))
            yield "name", _label(name, words if kind != SPEECH else "")
        elif _RULE_ALONE.fullmatch(line):
            yield "same", ""
        else:
            name = "" if read_heading(line.strip("# ")) else name
            yield "text" if name else "same", line


def find_branches(lines: Lines) -> Form | None:
    count = sum(_BRANCH.fullmatch(line) is not None for line in lines)
    return _parts_of_branches if count >= _LEAST and 4 * count > _count_filled(lines) else None


def _parts_of_branches(lines: Lines) -> Parts:
    """What stands further right than a branch, or below the only one of its texts, is said by who stands there."""
    head, at = "", 0
    for line, below in pairwise([*lines, ""]):
        branch, under = _BRANCH.fullmatch(line), _BRANCH.fullmatch(below)
        start, said = (branch.start("said"), branch["said"].rstrip()) if branch else (0, "")
        is_above = branch and branch["sign"] in "┌╭"
        if not branch or read_heading(said):
            head = ""
            yield "same", said or (line.strip(" │┃|") and line)
        elif under and (is_above or under.start("said") > start):
            head, at = _MODEL.sub("", said), 0 if is_above else start
            yield "same", ""
        elif not head or start <= at or _OF_PLAYER.match(said):
            # A player below a part of the game is not said by it.
            if head and start > at:
                title = _APART_SIGNS.sub(" ", head if kind_of_title(head) else head.partition("(")[0])
                title = _SIGN.sub("", title) if kind_of_type(title) == SPEECH else title
                yield "same", f"=== {title.strip()} ==="
            head = ""
            yield "same" if match_message(said) else "told", said
        else:
            sign = _SIGN.match(said)
            yield "same", f"{sign[0] if sign else ''}{head}: {said[sign.end() if sign else 0 :]}"


def _label(name: str, mode: str) -> str:
    mode = re.sub(r"[()\[\]:]", "", mode).strip()
    return f"{name.strip()} ({mode}): " if mode else f"{name.strip()}: "


def find_play(lines: Lines) -> Form | None:
    names = Counter(filter(None, _names_of_play(lines)))
    called = {name for name, count in names.items() if count > 1}
    often = sum(names[name] for name in called)
    is_play = len(called) > 1 and often >= _LEAST and 5 * often > _count_filled(lines)
    return partial(_parts_of_play, names=called) if is_play else None


def _names_of_play(lines: Lines) -> Iterator[str]:
    """What each line may be the name of, who speaks below: in capitals, below a blank line; else ""."""
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        found = None if above.strip() or not below.strip() else _CAPS.fullmatch(line)
        name = found["name"] if found else ""
        yield name if name.lower() != name == name.upper() and len(name.split()) <= _MOST_WORDS else ""


def _parts_of_play(lines: Lines, *, names: set[str]) -> Parts:
    """What stands further left than names, or in brackets below a blank line, nobody says."""
    whole, is_new, called = "\n".join(lines), True, list(_names_of_play(lines))
    is_indented = any(name and line[0] in " \t" for name, line in zip(called, lines, strict=True))
    is_first = True
    for at, line in enumerate(lines):
        found = _CAPS.fullmatch(line) if called[at] in names else None
        if found:
            is_first, is_new, name = False, False, called[at].title()
            aside = _ASIDE.fullmatch(lines[at + 1])
            mode = found["mode"] or (aside["mode"] if aside else "")
            yield "name", _label(name if name in whole else called[at], mode)
        elif at and called[at - 1] and not is_new and _ASIDE.fullmatch(line):
            yield "same", ""
        elif line.isupper() and read_heading(scene := line.rpartition(" - ")[2]):
            yield "same", scene
        elif FACT.fullmatch(line) or not line.strip():
            is_new = is_new or (not line.strip() and not is_indented)
            yield "same", line
        else:
            is_bare = is_new and (is_first or line.lstrip()[0] in "([*_")
            is_told = line[0] not in " \t" if is_indented else is_bare
            yield "told" if is_told else "text", line


def _find_roles(lines: Lines) -> Form | None:
    matches = [match for line in lines[:_MOST_LINES] if (match := match_message(line))]
    found = [with_role for match in matches if (with_role := _WITH_ROLE.fullmatch(match["name"]))]
    roles, names = ({one[part].casefold() for one in found} for part in ("role", "name"))
    if len(roles) < 2 or len(names) < 2 or 2 * len(found) < len(matches):
        return None
    named = re.compile(rf"\b(?:{ROLE.pattern}) (?=(?:{'|'.join(map(re.escape, names))})\b)", re.IGNORECASE)
    return partial(map, partial(_role_last, named=named))


def _role_last(line: str, *, named: "re.Pattern[str]") -> tuple[str, str]:
    """The line with the role after the name: "Seer Ann: hello" is "Ann (Seer): hello"; of a vote, with names alone."""
    match = match_message(line)
    found = _WITH_ROLE.fullmatch(match["name"]) if match else None
    if found and match:
        name = f"{found['name']} ({found['role']})"
        return "same", f"{line[: match.start('name')]}{name}{line[match.end('name') :]}"
    bare = named.sub("", line) if len(line) < _LONGEST else line
    return "same", bare if VOTES.fullmatch(bare) else line
