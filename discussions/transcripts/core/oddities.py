"""Oddities of a game, each listed once: what distorts a measurement and a lead should check. Nothing is changed."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from string import digits

from msgspec import Struct, structs

from discussions.core.records import Fault, GameRecord, Message
from discussions.transcripts.core.readers.columns import propose_aliases
from workspace.core.words import mark, say

REPEATED = "odd_repeated"
TIME_BACK = "odd_time_back"
LEAKED = "odd_leaked"
ROUND_ZERO = "odd_round_zero"
TEXT_ROUND_ZERO = "odd_text_round_zero"
ONE_SPEAKER = "odd_one_speaker"
MANY_VOTES = "odd_many_votes"
STRANGER = "odd_stranger"
NAMES_NOBODY = "odd_names_nobody"
FOR_ONE = "odd_for_one"
LOOP = "odd_loop"
THINKS = "odd_thinks"
DENIED = "odd_denied"
ONE_ROUND = "odd_one_round"

# {count} of {total} messages, {first} is the position of the first.
_SENTENCES = {
    REPEATED: mark(
        "Messages repeat earlier ones (same agent, text and time): {count} of {total}, first message {first}."
    ),
    TIME_BACK: mark("Messages are earlier than the message before them: {count}, first message {first}."),
    LEAKED: mark("Texts hold JSON or private reasoning: {count} of {total}, first message {first}."),
    ROUND_ZERO: mark("The rounds begin at 0. Messages of round 0: {count} of {total}, the first is {first}."),
    TEXT_ROUND_ZERO: mark("Texts name a round 0, but the file has none: {count}, first message {first}."),
    ONE_SPEAKER: mark(
        "One agent wrote more than half of the messages: {count} of {total}, first message {first}."
    ),
    MANY_VOTES: mark("Rounds have more votes than players: {count}, first round {first}."),
    STRANGER: mark("Texts name somebody who is no player: {count}, first message {first}."),
    NAMES_NOBODY: mark("None of the {total} texts names a player. Are players called otherwise there?"),
    FOR_ONE: mark("Texts are for one alone: {count}, first message {first}. Could everybody hear them?"),
    LOOP: mark("Texts repeat a word over and over: {count}, first message {first}."),
    THINKS: mark("Texts read like thoughts: {count}, first message {first}. Could everybody hear them?"),
    DENIED: mark("Texts deny a vote that is in the record: {count}, first message {first}."),
}
_PERHAPS = mark("{sentence} Perhaps {alias} is {name}: say so under “Is this the game?” of the import.")
# What only the reading of a file shows; it is stored with the game.
NOTED = frozenset(
    "role_differs personality_differs player_differs vote_repeated game_stopped sample_error".split()
) | {ONE_ROUND}
ODDITY_CODES = NOTED | frozenset(_SENTENCES)

_LEAKED = re.compile(
    r"""["'](?:say|speech|reasoning|reason|thoughts?|thinking|inner_thoughts?|internal_monologue)["']\s{0,20}:"""
    r"|</?(?:think|thinking|reasoning|scratchpad)>"
    r"|^\s*```\s*json\b"
    r"""|^\s*\{\s*["']\w+["']\s{0,20}:""",
    re.IGNORECASE,
)
_AFTER_KEY = re.compile(r""":(?<=["'\s]:)""")
_ZERO = re.compile(r"\b(?:round|day|night)\s{1,3}(?:0|zero)\b(?![.,:]\d)", re.IGNORECASE)
_LIKE_A_PLAYER = re.compile(r"\b(?:p|player|agent|seat)[ _#-]?\d{1,3}\b", re.IGNORECASE)
_VOTES_FOR = re.compile(r"ote[sd]? (?:for|against|out) (?P<name>[^\W\d_a-z][^\W\d_A-Z]{2,30})\b(?! [A-Z])")
_LAST_SIGNS, _JOINTS = frozenset("rRtTpP"), frozenset(" _#-")
# Patterns by what they begin with, which is looked for first: that is much faster, most of all without a space at
# the end.
_Signs = tuple[tuple[str, re.Pattern[str]], ...]


def _signs(patterns: dict[str, str]) -> _Signs:
    return tuple((start, re.compile(pattern)) for start, pattern in patterns.items())


_FOR_ONE = _signs(
    {
        "nly for you": r"nly for you\b",
        "nly you ": r"nly you (?:know|can (?:hear|see|read|know (?:this|it)))\b",
        "or your eyes": r"or your eyes only\b",
        "etween us": r"(?:(?<=[Jj]ust b)|(?<=trictly b)|(?<=tays b))etween us\b(?! (?:all|three|four|and))"
        r"|(?<=\bB)etween us(?: two)?[,:]",
        "nur dir": r"\b(?:sag|verrat|erzähl|schreib|flüster)\w{0,4}\b[^.!?\n]{0,30}\bnur dir\b",
        "nur für dich": r"\bist nur für dich(?:[,.:!]| bestimmt| gedacht)",
        "nter uns": r"\b[Uu]nter uns gesagt\b|\bUnter uns[,:]|\bbleibt unter uns[,.:!]",
        "für dich": r"\b[Bb]ehalte? (?:das|es)(?: bitte)? für dich\b",
        "只": "只(?:能)?(?:告[诉訴]你|[跟对和對]你(?:一[个個]人)?[说說讲講])",
        "告": "(?:别|不要|別)告[诉訴](?:别人|別人|其他人|任何人)",
        "para ti": r"\b[Ss][oó]lo para ti[,.:;!]",
        "ntre ": r"\bEntre (?:tú y yo|nosotros|nous|toi et moi)[,:]",
        "a nadie": r"\bno se lo (?:digas|cuentes) a nadie\b",
        "pour toi": r"\b(?:que|seulement|juste|uniquement) pour toi[,.:;!]|\bgarde(?: ça| cela|-le) pour toi\b",
        "à personne": r"\bne le (?:dis|répète) à personne\b",
        "тебе": r"\b(?:скажу|говорю|признаюсь|расскажу) (?:это )?только тебе\b"
        r"|\b[Тт]олько тебе (?:скажу|говорю|признаюсь)",
        "для тебя": r"\b[Тт]олько для тебя[,.:;!]",
        "нами": r"\bМежду нами(?: говоря)?[,:]",
        "икому": r"\b[Нн]икому не (?:говори|рассказывай)\b",
        "だけ": "(?:あなた|[君きみ]{1,2})(?:に)?だけ(?:に)?(?:言|話|伝|教|打ち明け)|ここだけの話|二人だけの(?:秘密|話)",
        "言わないで": "誰にも言わないで",
        "etween the two of us": r"etween the two of us\b",
        "etween you and me": r"etween you and me\b",
        "t tell ": r"t tell (?<=n't tell |n’t tell |not tell )(?:anyone|anybody|the others)\b",
        "eep ": r"eep (?:this|it) (?:a secret|secret|private|to yourself)\b",
    }
)
_WORDS = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    "nobody none everyone everybody anyone anybody someone somebody mafia werewolf wolf villager seer doctor player "
    "agent skip abstain him her them you this that these those the his their your our who one today tonight".split()
)
_HIDES = (
    r"(?:not reveal|never reveal|hide|conceal|pretend|avoid suspicion|blend in|not let on"
    r"|not let (?:them|anyone|anybody|the others) (?:know|find out|see|suspect|notice|learn))\b"
)
_SIDE_BEFORE = "|".join(
    f"(?<=s {article}{side}{comma} I )"
    for article in ("the ", "a ", "")
    for side in ("werewolf", "wolf", "mafia")
    for comma in (",", "")
)
_THINKS = _signs(
    {
        "I": rf"I (?:(?:must|should|need to|have to) {_HIDES}|(?:{_SIDE_BEFORE})(?:must|should|need)\b)",
        "must not": r"must not (?:learn|know|find out|suspect) (?:that )?I\b",
        "ch darf": r"\b[Ii]ch darf (?:ihnen )?(?:nicht|niemandem|keinem) "
        r"(?:verraten|zeigen|sagen), dass ich (?:de[rn]|die|ein)",
        "ch muss": r"\b[Ii]ch muss (?:[^.!?\n]{0,30} )?(?:verbergen|verheimlichen|so tun, als)\b",
        ", dass ich": r"\b(?:[Nn]iemand|[Kk]einer|[Ss]ie) (?:darf|dürfen) (?:nicht )?"
        r"(?:merken|wissen|erfahren), dass ich\b",
        "e dois": r"\b[Jj]e dois (?:cacher|dissimuler|faire semblant|éviter les soupçons)\b|\b[Jj]e ne dois pas "
        r"(?:leur )?(?:laisser (?:savoir|voir|deviner)|révéler|montrer|dire) que je\b",
        "que je": r"\b(?:[Ii]ls ne doivent pas|[Pp]ersonne ne doit) (?:savoir|découvrir|apprendre|deviner) que je\b",
        "ebo": r"\b[Dd]ebo (?:ocultar|esconder|fingir|disimular)\b|\b[Nn]o debo (?:dejar que (?:sepan|descubran|noten)"
        r"|revelar|mostrar) que (?:soy|yo)\b",
        "ebe": r"\b(?:[Nn]o deben|[Nn]adie debe) (?:saber|descubrir) que (?:soy|yo)\b",
        "我": "我(?:绝对?|千万|絕對?|千萬)?(?:不能|不可以)(?:让|讓)(?:他们|他們|别人|別人|大家|任何人)"
        "(?:知道|发现|發現|看出|察觉|察覺)我"
        "|我(?:必须|必須|得|应该|應該)(?:隐藏|隱藏|隐瞒|隱瞞|掩饰|掩飾|假装|假裝)",
        ", что я": r"\b(?:[Оо]ни не должны|[Нн]икто не должен) (?:знать|узнать|понять|догадаться), что я\b"
        r"|\bЯ не должн[аы]? (?:показать|выдать|раскрыть), что я\b|\bЯ не должен (?:показать|выдать|раскрыть), что я\b",
        "Я долж": r"\bЯ долж(?:ен|на) (?:скры(?:ть|вать)|притвор\w{3,6}|делать вид)\b",
        "狼": "(?:自分|私|僕|俺)が(?:人)?狼だと(?:バレ|ばれ|知られ|悟られ|気づかれ)(?:ては(?:いけ|なら)|ないよう|たら)",
    }
)
# What a player says who denies a vote of their own, up to whom it was for, and perhaps for whom it was.
_WHOM = r"(?P<name>[^.,;:!?\n，。！？、]{1,80})"
_DENIES = _signs(
    {
        "vote": r"I (?:(?:did not|didn['’]t|have not|haven['’]t|never) (?:voted? |cast (?:a|my) vote )"
        rf"(?:for |against |to eliminate )?|voted (?:for )?(?P<other>[^.,;:!?\n]{{1,30}}), not (?:for )?){_WHOM}",
        "vote was": rf"[Mm]y vote was (?:not|never) (?:for|against) {_WHOM}",
        "gestimmt": rf"[Ii]ch habe (?:\w{{1,12}} ){{0,2}}(?:nicht|nie|niemals) (?:für|gegen) "
        rf"(?=[^.!?\n]{{1,40}} gestimmt){_WHOM}",
        "voté": rf"(?:[Jj]e n['’]ai (?:pas|jamais) voté (?:pour|contre)"
        rf"|\b[Nn](?:o|unca) voté (?:por|contra|a)) {_WHOM}",
        "votado": rf"\b[Nn](?:o|unca) he votado (?:por|contra|a) {_WHOM}",
        "голосовал": rf"[Яя] (?:\w{{1,10}} )?не голосовала? (?:за|против) {_WHOM}",
        "投": rf"我(?:[^，。！？\n我]{{0,6}}?)(?:没|沒|没有|沒有)(?:投票?[给給]?)[过過]?(?!票){_WHOM}",
        "投票": r"(?P<name>[^、。！？\nはが]{1,20})には?投票(?:してい?(?:ない|ません)|しなかった|しませんでした)",
    }
)
# A word so often in a row is a loop; a text without a player's name is odd only in a game of some length.
_LOOP_WORDS, _LEAST_MESSAGES = 20, 10
# So are a few words, and signs without spaces between them, but for those that draw lines.
_LOOP = re.compile(
    rf"(?<!\S)(\S+)(?:\s+\1){{{_LOOP_WORDS - 1}}}(?!\S)|(?<!\S)(\S{{1,30}}(?: \S{{1,30}}){{1,9}})(?:\s+\2){{9}}"
    r"|(?=[^\s=_*~.#+·•─━═—–|:-])(\S{1,8}?)\3{39}"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
_IN_ORDER = re.compile(
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?\n)+|(?:\d\d:\d\d(?::\d\d)?\n)+", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HALF_A_DAY = 12 * 3600
# If there are two agents or fewer, one of them nearly always wrote more than half.
_FEWEST_PLAYERS = 3


class Oddity(Struct, frozen=True):
    """What looks odd: `count` of `total` messages, first at `first`. `aliases` may be other names of players."""

    code: str
    count: int
    total: int
    first: int
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def says(self) -> str:
        sentence = say(
            _SENTENCES[self.code], count=f"{self.count:,}", total=f"{self.total:,}", first=self.first
        )
        for alias, name in self.aliases:
            sentence = say(_PERHAPS, sentence=sentence, alias=alias, name=name)
        return sentence


def list_oddities(game: GameRecord) -> list[Oddity]:
    """The oddities of the game, in a fixed order. Runs in time linear in the length of its texts."""
    lowest = min([message.round for message in game.messages], default=1)
    # Do not search each text for a sign that occurs in none.
    whole = "\n".join([message.text for message in game.messages])
    leaking = (message for message in game.messages if _may_leak(message.text))
    zeros = [at for at in _find_each(whole, "0zZ") if whole[at - 1].isspace()] if lowest == 1 else []
    votes = Counter(vote.round for vote in game.votes)
    numbered = {name: rf"\b{re.escape(name)}\b" for name in _unknown_numbers(game, whole)}
    voted = {name: rf"{re.escape(name)}\b" for name in _unknown_names(game, whole)}
    found = {
        REPEATED: [message.position for message in find_repeated(game.messages)],
        TIME_BACK: list(_times_back(game.messages)),
        LEAKED: _matching(leaking, _LEAKED) if _may_leak(whole) else [],
        ROUND_ZERO: [message.position for message in game.messages if message.round == 0],
        TEXT_ROUND_ZERO: _matching([game.messages[at - 1] for at in _positions(game, zeros)], _ZERO),
        ONE_SPEAKER: _by_one_speaker(game),
        MANY_VOTES: [number for number, count in votes.items() if count > len(game.players)],
        # Messages that name a numbered player whom the cast does not have, or vote for somebody who is not in it.
        STRANGER: _places(game, whole, _signs(numbered | voted)),
        NAMES_NOBODY: [1] if _names_nobody(game, whole) else [],
        FOR_ONE: _places(game, whole, _FOR_ONE),
        LOOP: _matching(_may_loop(game.messages), _LOOP),
        THINKS: _places(game, whole, _THINKS),
        DENIED: _denied(game, whole) if game.votes else [],
    }
    return [
        Oddity(
            code=code,
            count=len(positions),
            total=len(game.messages),
            first=positions[0],
            aliases=tuple(propose_aliases([player.name for player in game.players], whole).items())
            if code in (STRANGER, NAMES_NOBODY)
            else (),
        )
        for code, positions in found.items()
        if positions
    ]


def _places(game: GameRecord, whole: str, signs: _Signs) -> list[int]:
    """The positions of the messages that have one of the signs; `whole` is their texts in lines."""
    likely = [pattern for start, pattern in signs if start in whole]
    return _positions(game, [found.start() for pattern in likely for found in pattern.finditer(whole)])


def _positions(game: GameRecord, found: list[int]) -> list[int]:
    """The positions of the messages that stand at these places of their texts in lines."""
    if not found:
        return []
    starts = [0, *accumulate(len(message.text) + 1 for message in game.messages[:-1])]
    return [game.messages[index].position for index in sorted({bisect_right(starts, at) - 1 for at in found})]


def _find_each(whole: str, signs: str) -> Iterator[int]:
    """Where one of the signs stands, but for the first place; one after the other is much faster than a pattern."""
    for sign in signs:
        at = whole.find(sign, 1)
        while at > 0:
            yield at
            at = whole.find(sign, at + 1)


def _unknown_numbers(game: GameRecord, whole: str) -> set[str]:
    """The numbered players whom the texts name and the cast does not have."""
    # Before the number stands the last sign of a word for a player, or what joins them.
    near = {
        whole[max(0, at - 8) : at + 4]
        for at in _find_each(whole, digits)
        if whole[at - 1] in _LAST_SIGNS or (whole[at - 1] in _JOINTS and whole[at - 2] in _LAST_SIGNS)
    }
    named = set(_LIKE_A_PLAYER.findall("\n".join(near)))
    if not named:
        return named
    cast = "\n".join([player.name for player in game.players])
    names = {_bare(name) for name in (*_LIKE_A_PLAYER.findall(cast.replace("_", " ")), *game.names)}
    names |= {f"player{player.name}" for player in game.players}
    return {name for name in named if _bare(name) not in names}


def _unknown_names(game: GameRecord, whole: str) -> set[str]:
    """Those who are voted for in the texts and are not in the cast."""
    voted = {match["name"] for match in _VOTES_FOR.finditer(whole)}
    roles = [player.role or "" for player in game.players if voted]
    known = set(_WORDS.findall(" ".join((*game.names, *roles)).casefold())) if voted else set()
    # A word that somewhere begins with a small letter, such as "nobody", is no name.
    return {name for name in voted if name.casefold() not in known | _COMMON and name.lower() not in whole}


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _names_nobody(game: GameRecord, whole: str) -> bool:
    if len(game.players) < _FEWEST_PLAYERS or len(game.messages) < _LEAST_MESSAGES:
        return False
    words, lower = {name.split()[0] for name in game.names if name.strip()}, whole.lower()
    # Case does not fold beyond ASCII as it lowers.
    return not any(word.casefold() in lower or (not word.isascii() and word in whole) for word in words)


def _may_loop(messages: list[Message]) -> Iterator[Message]:
    # A loop goes on to the end of a text, or fills most of it: its letters come back again and again.
    often, shortest = _LOOP_WORDS // 4, 2 * _LOOP_WORDS - 1
    for message in messages:
        text = message.text
        if (size := len(text)) < shortest:
            continue
        if text.count(text[-6:-1]) > often or text.count(text[size // 2 : size // 2 + 5]) > often:
            yield message


def _denied(game: GameRecord, whole: str) -> list[int]:
    """The messages of players who deny a vote for somebody that they cast before."""
    names = {player.name.casefold(): number for number, player in enumerate(game.players, start=1)}
    cast = {(vote.voter, vote.target): vote.round for vote in reversed(game.votes)}
    found = []
    for start, pattern in _DENIES:
        for denial in pattern.finditer(whole) if start in whole else ():
            position = _positions(game, [denial.start()])[0]
            message, said = game.messages[position - 1], denial.groupdict()
            named, other = (_player_named(said.get(part) or "", names) for part in ("name", "other"))
            before = message.round + 1
            is_cast = [cast.get((message.player, number), before) < before for number in (named, other)]
            found += [message.position] if is_cast == [True, False] else []
    return sorted({*found})


def _player_named(said: str, names: dict[str, int]) -> int:
    """The number of the player whose name begins what is said, or is in it where words have no spaces; else 0."""
    said = said.casefold()
    begins = (number for name, number in names.items() if said.startswith(name))
    inside = (number for name, number in names.items() if not name.isascii() and name in said)
    return next(begins, next(inside, 0))


def _may_leak(text: str) -> bool:
    # Every match of the pattern contains a tag, a fence, or a colon after a key; most texts contain none.
    return "<" in text or ("`" in text and "```" in text) or _AFTER_KEY.search(text) is not None


def _matching(messages: Iterable[Message], pattern: "re.Pattern[str]") -> list[int]:
    return [message.position for message in messages if pattern.search(message.text)]


def oddity_warnings(game: GameRecord, place: str) -> list[Fault]:
    return [Fault(place, odd.code, odd.says, is_warning=True) for odd in list_oddities(game)]


def find_repeated(messages: list[Message]) -> list[Message]:
    """The messages that repeat an earlier one (same player, text and time). A message without a time never counts."""
    seen: set[tuple[int, str, str]] = set()
    repeated = []
    for message in messages:
        if message.time is None:
            continue
        key = (message.player, message.text, message.time)
        if key in seen:
            repeated.append(message)
        seen.add(key)
    return repeated


def without_repeated(game: GameRecord) -> GameRecord:
    """The game without its repeated messages: positions are renumbered; a reply to a repeat points to the first one."""
    repeated = {message.position for message in find_repeated(game.messages)}
    first: dict[tuple[int, str, str | None], int] = {}
    places: dict[int, int] = {}
    count = 0
    for message in game.messages:
        key = (message.player, message.text, message.time)
        if message.position not in repeated:
            count += 1
            first[key] = count
        places[message.position] = first[key]
    kept = [message for message in game.messages if message.position not in repeated]
    moves = [(one, places[one.position], places.get(one.reply_to or 0)) for one in kept]
    moved = [structs.replace(one, position=at, reply_to=to) for one, at, to in moves]
    return structs.replace(game, messages=moved)


def _times_back(messages: list[Message]) -> Iterator[int]:
    """Positions of messages that are earlier than the message before them that has a time of the same kind."""
    times = [message.time for message in messages if message.time]
    # Dates, or times of day, of one length are in order as texts are.
    is_even = len(set(map(len, times))) < 2 and times == sorted(times)
    if is_even and (not times or _IN_ORDER.fullmatch("\n".join([*times, ""]))):
        return
    before: dict[str, float] = {}
    for message in messages:
        kind, seconds = _parse_time(message.time or "")
        fall = before.get(kind, seconds) - seconds
        # A time of day that drops by more than half a day has passed midnight.
        if fall > 0 and not (kind == "clock" and fall > _HALF_A_DAY):
            yield message.position
        before[kind] = seconds


def _parse_time(text: str) -> tuple[str, float]:
    """Its kind ("clock", "number", "date", "date in a zone" or "" for none) and its seconds from a fixed start."""
    # Nearly all times are dates, and a date is never a clock time or a number.
    if text[4:5] != "-":
        if clock := _CLOCK.fullmatch(text):
            hours, minutes, seconds = clock.groups(default="0")
            return "clock", int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        if _NUMBER.fullmatch(text):
            return "number", float(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "", 0.0
    if moment.tzinfo is None:
        return "date", (moment.replace(tzinfo=UTC) - _EPOCH).total_seconds()
    return "date in a zone", (moment - _EPOCH).total_seconds()


def _by_one_speaker(game: GameRecord) -> list[int]:
    """The positions of the messages of the player who wrote more than half of them, if there is such a player."""
    if len(game.players) < _FEWEST_PLAYERS:
        return []
    counts = Counter([message.player for message in game.messages])
    most = {player for player, count in counts.items() if 2 * count > len(game.messages)}
    return [message.position for message in game.messages if message.player in most]
