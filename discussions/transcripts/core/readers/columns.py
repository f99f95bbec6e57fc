"""What the columns of a file of rows mean: known names, the recipes that people made, and other names of players.

A recipe says for each field the name of its column; a field that the file does not have is left out. Of other names, a
pair with `*` stands for numbers: "P*" is "Player*" says that P2 is the player whose name holds Player2.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import KINDS, looks_like_audience
from discussions.transcripts.core.decoding import ENCODINGS
from workspace.core.canonical import canonical_hash
from workspace.core.strict_json import read_json
from workspace.core.words import mark, say

ANY = "*"
# How many pairs are proposed, and how often a text must use a short name.
MOST_PROPOSED, LEAST_USES = 3, 2
LIKE_A_PLAYER = re.compile(r"\b((?:p|player|agent|seat)[ _#-]?)(\d{1,3})\b", re.IGNORECASE)
_NUMBERED_NAME = re.compile(r"(?<![^\W_])([^\W\d_]*[ _#-]?)(\d{1,9})(?![^\W_])")
_JOINTS, _WORDS = " _#-", ("player", "agent", "seat")
# A word with a capital letter inside a sentence.
_CALLED = re.compile(r"(?<=[^\W\d_,] )[^\W\d_]{3,}")


def is_pair(alias: str, called: str) -> bool:
    """Whether two names are a pair: both with one `*` at the end, or none."""
    stars = [(name.count(ANY), name.endswith(ANY)) for name in (alias, called)]
    return bool(alias.strip() and called.strip()) and stars[0] == stars[1] in ((0, False), (1, True))


def expand_aliases(pairs: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Other name -> name among the players of one game. What fits two players, or none, says nothing."""
    found: dict[str, set[str]] = {}
    for alias, called in pairs.items():
        head, star, _rest = called.partition(ANY)
        numbered = re.compile(rf"(?<![^\W_]){re.escape(head)}(\d{{1,9}})(?![^\W_])", re.IGNORECASE)
        for name in names:
            number = numbered.search(name) if star else None
            if number or (not star and name.casefold() == called.casefold()):
                found.setdefault(alias.replace(ANY, number[1]) if number else alias, set()).add(name)
    return {alias: min(own) for alias, own in found.items() if len(own) == 1 and alias not in own}


def propose_aliases(names: Collection[str], texts: str) -> dict[str, str]:
    """Pairs that may be: players whom texts number otherwise, and names that texts shorten."""
    said: dict[str, set[str]] = {}
    spelled: dict[str, str] = {}
    for match in LIKE_A_PLAYER.finditer(texts):
        head = spelled.setdefault(match[1].casefold(), match[1])
        said.setdefault(head, set()).add(match[2])
    numbered: dict[str, list[str]] = {}
    for name in names:
        for head, number in dict(_NUMBERED_NAME.findall(name)).items():
            numbered.setdefault(head, []).append(number)
    found: dict[str, str] = {}
    for head, numbers in said.items():
        for own, known in numbered.items():
            # "Player 1" is 1 anyway.
            same = (own.strip(_JOINTS).casefold(), *(() if own else _WORDS))
            is_other = head.strip(_JOINTS).casefold() not in same
            if is_other and len(known) == len(set(known)) == len(names) and numbers <= set(known):
                found.setdefault(f"{head}{ANY}", f"{own}{ANY}")
    return dict(list((found | _shortened(names, texts)).items())[:MOST_PROPOSED])


def _shortened(names: Collection[str], texts: str) -> dict[str, str]:
    """Beginnings of one name alone, which no text writes without a capital letter."""
    found = {}
    for word, count in sorted(Counter(_CALLED.findall(texts)).items()):
        if count < LEAST_USES or not word.istitle():
            continue
        own = [name for name in names if name.startswith(word)]
        if len(own) == 1 and own[0] != word and not re.search(rf"\b{re.escape(word.lower())}\b", texts):
            found[word] = own[0]
    return found


PLAYER, TEXT = "player", "text"
NEEDED = (PLAYER, TEXT)
MOST_COLUMNS = 200
LONGEST_NAME = 60
# No known spelling of a column is longer.
LONGEST_KNOWN = 200
# The codes of the faults of a file that waits for a mapping.
WAITING = UNKNOWN_COLUMNS, UNKNOWN_TEXT = "unknown_columns", "unknown_text"

# Further spellings of each field, without case, spaces and signs. A name belongs to the first field that lists it.
_OTHERS = {
    "game": "gameid gameno gamenum gamenumber match matchid session sessionid conversation conversationid dialogue "
    "dialogueid dialog dialogid episode episodeid chatid",
    "round": "roundnumber roundno day daynumber",
    "type": "kind eventtype event eventname messagetype msgtype rowtype entrytype",
    "audience": "visibility recipient recipients to receiver receivers visibleto heardby listeners sentto seenby "
    "readby knownto sharedwith viewers observers witnesses addressee restrictedto",
    "private": "isprivate secret issecret whisper iswhisper",
    "public": "ispublic broadcast isbroadcast toall visibletoall",
    "phase": "channel",
    PLAYER: "playername speaker speakername name agent agentname author authorname sender user username participant "
    "character playerid playerindex playernumber nickname seatid speakerid agentid senderid userid assistantid from "
    "fromseat actor actorid who fromplayer",
    TEXT: "message content contents utterance speech body messagetext msg statement",
    "time": "timestamp datetime date createdat sentat",
    "id": "messageid msgid utteranceid eventid",
    "turn": "turnnumber index messagenumber",
    "reply_to": "inreplyto inreplytoid replytoid parentid",
    "role": "playerrole rolename roleprivate privaterole secretrole truerole assignedrole",
    "personality": "persona trait traits",
    "vote": "votetarget votedfor votefor",
    "winner": "winningside",
    "thought": "thoughts reasoning thinking innerthought innerthoughts innermonologue monologue scratchpad "
    "privatereasoning privatethought privatethoughts internalreasoning rationale chainofthought cot",
    "voter": "voterid votername",
    "target": "targetid targetname targetplayer targetseat targetseatid votedplayer",
    "out": "eliminated eliminatedplayer eliminatedid victim executed exiled killed",
}
SPELLINGS = {field: (field.replace("_", ""), *names.split()) for field, names in _OTHERS.items()}
FIELDS = tuple(SPELLINGS)
# What these columns hold is known only in rows of a type.
OF_TYPED_ROWS = ("voter", "target", "out")
# Whatever a person maps, these say who could hear a row, or what it is.
DECIDING = ("type", "audience", "private", "public", "phase", "thought", *OF_TYPED_ROWS)
# Between several columns of one field: the first that is not empty holds its value.
OR = "|"
# Before a value of a type, an audience or a phase, and before another name of a player, in a written recipe.
IS, ALSO, SET = "is.", "also.", "set."
# The encoding where it was a guess, the list that holds the rows of an object, "none" where there are no rounds or
# "votes" where they begin after votes, and whether rows whose rounds begin again are one game, or several.
SETTINGS = ENCODING, LIST, ROUNDS, SEPARATOR, GAMES = "encoding", "list", "rounds", "separator", "games"
TEMPLATE_FIELD = re.compile(r"\{([A-Za-z_]*(?:\.\.\.)?)\}")
_PAIR = re.compile(rf",\s{{0,9}}(?:{'|'.join((*FIELDS, *SETTINGS))}|(?:is|also)\.[^=,]{{1,60}})=[^,]{{1,60}}")
ONE_GAME, SEVERAL_GAMES = "one", "several"
AFTER_VOTES = "votes"
# The same in other languages, of which docs/transcripts.md names the languages alone.
_TRANSLATED = {
    "round": "runde tour ronda rodada manche раунд 轮次 回合 轮 天数 ラウンド 日目 라운드",
    "type": "typ tipo 类型 种类 種別 種類 유형",
    PLAYER: "spieler spielername sprecher absender jugador joueur locuteur giocatore jogador игрок 玩家 玩家名 发言者 "
    "发言人 说话人 プレイヤー プレーヤー 発言者 話者 플레이어 발언자",
    TEXT: "aussage nachricht äußerung mensaje texto propos parole messaggio testo mensagem fala текст сообщение 发言 "
    "发言内容 内容 消息 文本 発言 発言内容 내용 메시지 발언",
    "time": "zeit zeitstempel uhrzeit hora heure время 时间 時刻 日時 시간",
    "role": "rolle rol rôle ruolo papel роль 角色 身份 役職 역할",
    "vote": "stimme voto голос",
    "voter": "votant wähler votante eleitor votante голосующий 投票者",
    "target": "cible ziel objetivo alvo bersaglio цель 目标 投票先",
    "thought": "gedanken gedanke pensamiento pensamientos pensée pensées pensee pensiero pensieri мысли 内心 内心独白 "
    "内心活动 心理活动 思考 心声 独白 心の声 생각",
}
_FIELD_OF = {word: field for field, words in _TRANSLATED.items() for word in words.split()} | {
    spelling: field for field, spellings in SPELLINGS.items() for spelling in spellings
}
WRAPPERS = frozenset(
    "data payload event message body fields attributes args params details value meta metadata metadict "
    "additionalkwargs".split()
)
_SIGNS = re.compile(r"[\W_]+")


class MappingRecord(Struct, frozen=True):
    """A mapping, and the columns of the files that it was made for; without columns it applies to any file.

    `kinds` says what rows of a type, of an audience or of a phase are, where the words are not known: one of
    `audience.KINDS` for each value, case-folded. `aliases` are pairs of `aliases.py`. `settings` are those of SETTINGS
    that were chosen. `ids` are ids by which a file itself names players. One that `is_own` was made for this very file.
    """

    columns: list[str]
    fields: dict[str, str]
    kinds: dict[str, str] = {}
    aliases: dict[str, str] = {}
    settings: dict[str, str] = {}
    ids: dict[str, str] = {}
    is_own: bool = False

    @property
    def written(self) -> dict[str, str]:
        """All of it in one, as it is stored: kinds under "is.VALUE", other names under "also.NAME"."""
        parts = (("", self.fields), ("", self.settings), (IS, self.kinds), (ALSO, self.aliases))
        return {f"{sign}{key}": said for sign, part in parts for key, said in part.items()}

    @classmethod
    def of_written(cls, columns: list[str], written: Mapping[str, str]) -> "MappingRecord":
        found: dict[str, dict[str, str]] = {"": {}, IS: {}, ALSO: {}, SET: {}}
        for key, said in written.items():
            sign = next((sign for sign in (IS, ALSO) if key.startswith(sign)), SET if key in SETTINGS else "")
            found[sign][key.removeprefix(sign)] = said
        fields, kinds, aliases, settings = found.values()
        return cls(columns, fields, kinds, aliases, settings)


# Which columns of files of rows hold what, as people said.
Columns = Sequence[MappingRecord]


def field_of(column: str) -> str | None:
    """The field of a known spelling; of "data.speaker", by the last part, and of "author.name", too."""
    return _field_of(column) if len(column) <= LONGEST_KNOWN else None


@lru_cache(maxsize=4096)
def _field_of(column: str) -> str | None:
    if "*" in column.split("."):
        return None
    *around, last = (_SIGNS.sub("", part).lower() for part in column.split("."))
    if around and last in ("name", "displayname", "username") and _FIELD_OF.get(around[-1]) == PLAYER:
        return PLAYER
    name = last if all(part in WRAPPERS for part in around) else _SIGNS.sub("", column).lower()
    # A text that is called public has a known spelling: "public_statement".
    is_public = _FIELD_OF.get(name.removeprefix("public")) == TEXT
    return TEXT if is_public else _FIELD_OF.get(name)


def suggest_fields(columns: Sequence[str]) -> dict[str, str]:
    """Field -> the first column with a known spelling; in rows of several types all of them: "a|b"."""
    found = _by_field(columns)
    for names in (names for names in found.values() if len(names) > 1):
        # "authorName" rather than "author", and a name rather than "player_id", which may stand before it.
        first = _SIGNS.sub("", names[0]).lower()
        end = "name" if first.endswith("id") else f"{first}name"
        ending = [name for name in names if _SIGNS.sub("", name).lower().endswith(end)]
        names[:] = dict.fromkeys((*ending, *names))
    if "type" not in found and not {"voter", "target"} <= found.keys():
        return {field: names[0] for field, names in found.items() if field not in OF_TYPED_ROWS}
    return {field: OR.join(names) for field, names in found.items()}


def _by_field(columns: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for column in columns:
        if field := field_of(column):
            found.setdefault(field, []).append(column)
    return found


def known_fields(columns: Sequence[str]) -> dict[str, str] | None:
    """The mapping of columns with known names only, one each; None where one is unknown, but ConvoKit's `meta`."""
    found = suggest_fields(columns)
    count = sum(len(split_columns(name, columns)) for name in found.values())
    if "game" in found:
        count += sum(column.startswith("meta.") and not field_of(column) for column in columns)
    return found if count == len(columns) and has_needed(found) else None


def split_columns(name: str, columns: Iterable[str]) -> list[str]:
    """The columns of a field that are in the file."""
    return [name] if name in columns else [part for part in name.split(OR) if part in columns]


def has_needed(fields: Mapping[str, str]) -> bool:
    return all(fields.get(field) for field in NEEDED)


def columns_hash(columns: Iterable[str], settings: Mapping[str, str] = {}) -> str:
    """A hash that is equal for files with the same column names, in any order, and lines of the same templates."""
    templates = [line.strip() for line in settings.get(SEPARATOR, "").splitlines() if is_template(line)]
    return canonical_hash(sorted({*columns, *templates}))


def find_mapping(columns: Sequence[str], mappings: Iterable[MappingRecord]) -> MappingRecord | None:
    """What columns mean: by a mapping that fits (`find_given`), else by their names; None where some are unknown."""
    known = known_fields(columns)
    return find_given(columns, mappings) or (MappingRecord(list(columns), known) if known else None)


def find_given(columns: Sequence[str], mappings: Iterable[MappingRecord]) -> MappingRecord | None:
    """The first mapping that is for just these columns, for more, or for all with known names."""
    own, rows = set(columns), list(mappings)
    exact = [mapping for mapping in rows if own == set(mapping.columns)]
    wider = [mapping for mapping in rows if own < set(mapping.columns) or not mapping.columns]
    # What has a known name, or could be an audience, may not be unknown to a mapping.
    telling = {column for column in own if field_of(column) or looks_like_audience(column)}
    others = [mapping for mapping in rows if telling <= set(mapping.columns)]
    for mapping in (*exact, *wider, *others):
        fields = {field: OR.join(split_columns(name, own)) for field, name in mapping.fields.items()}
        fields = {field: name for field, name in fields.items() if name}
        fields = fields if mapping.fields else known_fields(columns) or {}
        if has_needed(fields):
            return replace(mapping, columns=list(columns), fields=_with_deciding(fields, columns))
    return None


def _with_deciding(fields: dict[str, str], columns: Sequence[str]) -> dict[str, str]:
    """A person's fields, and the unused columns that tell rows apart, or name players and texts of other types."""
    used = {part for name in fields.values() for part in split_columns(name, columns)}
    unused = _by_field(column for column in columns if column not in used)
    of_types = NEEDED if "type" in unused or "type" in fields else ()
    more = {field: OR.join([fields[field], *unused[field]]) for field in of_types if field in unused}
    return {field: OR.join(unused[field]) for field in DECIDING if field in unused} | fields | more


def fits_columns(fields: Mapping[str, str], columns: Sequence[str]) -> str:
    """The first mapped column that a file lacks; "" when it has all of them."""
    return next((name for name in fields.values() if not split_columns(name, columns)), "")


def parse_mapping(texts: Iterable[str]) -> MappingRecord:
    """A mapping for any file: `player=Speaker,text=Content,is.undertone=thought`. Raises ValueError with a sentence."""
    found: dict[str, str] = {}
    for part in (part for text in texts for part in _parts(text)):
        field, sign, column = (piece.strip() for piece in part.partition("="))
        is_kind = field.startswith(IS) and column in KINDS
        is_alias = field.startswith(ALSO) and field != ALSO and is_pair(field.removeprefix(ALSO), column)
        if not (is_kind or is_alias) and (field not in (*FIELDS, *SETTINGS) or not sign or not column):
            fields = ", ".join(FIELDS)
            raise ValueError(
                f'"{part[:60]}" is no field and column. Write FIELD=COLUMN; the fields are {fields}. What rows of a '
                f"type are is written as {IS}VALUE=KIND; the kinds are {', '.join(KINDS)}. What players are called "
                f"otherwise is written as {ALSO}NAME=PLAYER."
            )
        if field in found:
            raise ValueError(f'The field "{field}" is given twice. Give it one column.')
        found[field.casefold() if is_kind else field] = column
    mapping = MappingRecord.of_written([], found)
    if not has_needed(mapping.fields) and (mapping.fields or not found):
        raise ValueError("The columns of player and text are needed. Write player=COLUMN,text=COLUMN.")
    return mapping


def _parts(text: str) -> list[str]:
    """The pairs of such a text; templates of lines are all that follows."""
    before, sign, separator = text.partition(f"{SEPARATOR}=")
    if not is_template(separator):
        return [part.strip() for part in text.split(",")]
    if more := _PAIR.search(separator):
        raise ValueError(f'"{more[0][:60]}" stands behind the templates. Write {SEPARATOR}= last.')
    return [*(part.strip() for part in before.split(",") if part.strip()), sign + separator]


def is_template(separator: str) -> bool:
    """Whether what separates name and text are templates of lines, with fields in braces."""
    return TEMPLATE_FIELD.search(separator) is not None


def describe_unknown(columns: Sequence[str]) -> str:
    """The sentence of the fault of a file that waits for a mapping."""
    shown = ", ".join(f'"{column[:40]}"' for column in columns[:8])
    more = say(" and {columns_count:,} more", columns_count=len(columns) - 8) if len(columns) > 8 else ""
    return say(
        "The names of its columns are not all known: {shown}{more}. Say once what each column is, under “Is this "
        "the game?” of the import.",
        shown=shown,
        more=more,
    )


VERSION, MOST_BYTES = 1, 256 * 1024
Kind = Literal["speech", "vote", "elimination", "private", "thought", "ignore", "round"]
Setting = Literal["encoding", "list", "rounds", "separator", "games"]
Path = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
NO_FIELD = mark('There is no field "{field}". Use one of: {known}.')
_NO_ENCODING = mark('There is no encoding "{encoding}". Use one of: {known}.')
_FORM = mark("This is no recipe: {reason}. Download a recipe to see how one is written.")


class RecipeFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A recipe: for each field its paths; what rows of a type are; other names; which paths nobody reads."""

    version: Literal[1]
    name: Name
    paths: dict[str, Annotated[list[Path], Meta(min_length=1, max_length=50)]] = {}
    kinds: dict[Path, Kind] = {}
    aliases: dict[Path, Path] = {}
    settings: dict[Setting, Annotated[str, Meta(min_length=1, max_length=2000)]] = {}
    ignored: Annotated[list[Path], Meta(max_length=200)] = []


def write_recipe(name: str, mapping: MappingRecord) -> bytes:
    """The file of a recipe; equal recipes give equal bytes."""
    paths = {
        field: split_columns(mapping.fields[field], mapping.columns) or mapping.fields[field].split(OR)
        for field in FIELDS
        if field in mapping.fields
    }
    used = {path for own in paths.values() for path in own}
    parts = ("kinds", "aliases", "settings")
    sorted_parts = {part: dict(sorted(getattr(mapping, part).items())) for part in parts}
    ignored = sorted(set(mapping.columns) - used)
    written = {"version": VERSION, "name": name, "paths": paths, **sorted_parts, "ignored": ignored}
    encoded = msgspec.json.encode({key: part for key, part in written.items() if part})
    return msgspec.json.format(encoded, indent=2) + b"\n"


def read_recipe(data: bytes) -> tuple[str, MappingRecord]:
    """The name and the recipe of such a file. Raises ValueError with a sentence."""
    if len(data) > MOST_BYTES:
        raise ValueError(say(_FORM, reason=say("it has more than {most:,} bytes", most=MOST_BYTES)))
    document = read_json(data)
    if document.problems:
        problem = document.problems[0]
        raise ValueError(say("Line {line}: {message}", line=problem.line, message=problem.message))
    try:
        found = msgspec.convert(document.value, RecipeFile)
    except msgspec.ValidationError as error:
        raise ValueError(say(_FORM, reason=str(error))) from None
    fields = {field: OR.join(paths) for field, paths in found.paths.items()}
    columns = sorted({path for paths in found.paths.values() for path in paths} | set(found.ignored))
    kinds: dict[str, str] = {value.casefold(): kind for value, kind in found.kinds.items()}
    settings: dict[str, str] = dict(found.settings.items())
    mapping = MappingRecord(columns, fields, kinds, found.aliases, settings)
    if fault := find_fault(mapping):
        raise ValueError(fault)
    for field, paths in found.paths.items():
        if split_columns(fields[field], columns) != paths:
            raise ValueError(
                say('The paths of "{field}" cannot be told apart: one has the sign "|".', field=field)
            )
    return found.name, mapping


def find_fault(mapping: MappingRecord) -> str:
    """What is wrong with a recipe, in a sentence; "" if nothing is."""
    unknown = next((field for field in mapping.fields if field not in FIELDS), None)
    if unknown is not None:
        return say(NO_FIELD, field=unknown[:60], known=", ".join(FIELDS))
    if mapping.fields and not has_needed(mapping.fields):
        return say("The paths of player and text are needed.")
    every = mapping.fields.values()
    names = [name for own in every for name in (split_columns(own, mapping.columns) or [own])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return say('The path "{name}" is used twice.', name=twice[:60])
    wrong = next((pair for pair in mapping.aliases.items() if not is_pair(*pair)), None)
    if wrong:
        sentence = '"{alias}" and "{name}" are no pair: both end with a *, or neither has one.'
        return say(sentence, alias=wrong[0][:60], name=wrong[1][:60])
    encoding = mapping.settings.get("encoding", "utf-8")
    if encoding not in ENCODINGS:
        return say(_NO_ENCODING, encoding=encoding[:60], known=", ".join(ENCODINGS))
    return ""
