"""What who leads a game says of it, in chats of every form: that a round or a night begins, who votes, who leaves."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct

from discussions.transcripts.core import audience
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.draft import KILLED, VOTED_OUT
from workspace.core.words import mark

NIGHTS = "night|nacht|noche|nuit|notte|noite|ночь"
PARTS = rf"round|day|phase|{NIGHTS}|runde|tag|ronda|d[ií]a|jour|giorno|rodada|день|раунд"
# Who is named in a sentence; models have colons and slashes inside their names.
WHO = r"[^\W_](?:[\w .'’-]|[:/](?=\d{0,3}[^\W\d_])(?!\d\d[ap]m)){0,39}?"
# A name with a role after it: "Ann (villager)", "Ann [Seer]", "Ann / Seer".
_WITH_ROLE = re.compile(
    r"(?P<name>[^()\[\]]{1,60}?)(?: ?[(\[](?:the )?(?P<role>[^()\[\]]{1,30})[)\]]|\s{0,3}/ ?(?P<bare>[^()\[\]/]{1,30}))"
)
# The words of titles without a number: of a night and a day, of those who are awake, and beside these.
_NIGHT_WORDS = frozenset(
    "night nacht noche nuit notte noite ночь whisper whispers 夜 夜晚 夜间 黑夜 夜晚阶段 夜晚降临 天黑了 "
    "狼人夜谈 狼人讨论 狼人请睁眼 夜フェーズ 夜の会話 人狼の会話 밤".split()
)
_DAY_WORDS = frozenset(
    "day daytime dawn tag día jour giorno dia день "
    "昼 朝 白天 白天阶段 天亮了 白天讨论 公开讨论 昼フェーズ 村の会議 낮".split()
)
_NIGHT_SIDES = frozenset("mafia wolf wolves werewolf werewolves secret private".split())
_DAY_SIDES = frozenset("public town village villagers everyone".split())
# The whole of a line that says that a game is over, and who has won.
ENDS_GAME = re.compile(
    r"\W{0,9}(?:game over|the end|(?:the )?(?:villag(?:e|ers?)|town(?:s?folk|speople)?|mafia|(?:were)?wol(?:f|ves)"
    r"|impostors?|crew(?:mates?)?|good|evil|liberals?|fascists?|resistance|spies|traitors|faithful)(?: team| side)?"
    r" (?:wins?|won|has won|have won)(?: the game)?)\W{0,9}",
    re.IGNORECASE,
)
# What says that a part of the game begins.
_COMING = (
    "fall falls fallen begin begins begun come comes start starts started here arrive arrives break breaks broken dawn "
    "dawns rise rises risen settles"
).split()
_PART_WORDS = frozenset(
    "phase stage turn time chat channel talk talking discussion discuss meeting den room square team action actions "
    "has have wake wakes up open your eyes choose pick victim target".split()
).union(_COMING)
_FILLERS = frozenset("a the of to it is are s only now please entering changed current game".split())
_LONGEST_TITLE = 60
ROLE = re.compile(
    r"(?:villager|townsfolk|town|citizen|civilian|werewolf|wolf|mafia|mafioso|godfather|seer|detective|sheriff|cop|doctor"
    r"|healer|medic|guard|bodyguard|hunter|witch|cupid|little girl|minion|spy|merlin|percival|morgana|mordred|oberon"
    r"|assassin|loyal servant|servant|resistance|liberal|fascist|hitler|imp[oa]st[oe]r|crewmate|vigilante|jester|medium"
    r"|possessed|bystander|investigator|平民|村民|狼人|预言家|預言家|女巫|猎人|獵人|守卫|守衛|人狼|村人|占い師|霊媒師|狂人|狩人"
    r"|(?:dorfbewohner|bürger|jäger|seher|heiler|detektiv)(?:in)?|werwolf|werwölfin|hexe|arzt|ärztin|villageoise?"
    r"|loup-garou|voyante|sorcière|chasseur|médecin|aldean[oa]|lob[oa]|vidente|bruj[oa]|cazador|médic[oa]|veggente|lupo"
    r"|strega|medico|мафия|мирный(?: житель)?|оборотень|ведьма|доктор|комиссар|шериф|의사|경찰|마피아|시민|늑대인간)s?",
    re.IGNORECASE,
)
VOTES = re.compile(
    rf"(?:[-*•] )?(?:\[?vote[\]:] )?(?P<name>{WHO})(?: ?(?:投票?[给給]了?|投了|投票)\s?"
    r"| (?:(?:(?:has |have )?(?:votes?|voted|points?|pointed|stimmte?|vota|votó|голосует) ?)?"
    r"(?:for|against|at|für|gegen|por|contra|за|против|-{1,2}>|→|=>|➜|➔)"
    r"|(?:has |a |ha )?(?:votes?|voted|vot(?:a|ó|é|ou|ato)|głosuje)"
    r"(?: (?:contre|pour|per|em|na|to (?:eliminate|kill|banish|exile|execute|eject|lynch|hang|remove)))?) )"
    rf"(?P<target>{WHO})[.!。]?(?: \([^()\n]{{1,40}}\))?",
    re.IGNORECASE,
)
# What stands behind "[ACTION] Ann:" or "[VOTE] Ann:".
_BALLOT = re.compile(
    r"(?P<act>(?i:(?:I )?vote[sd]?)(?: (?i:for|against)\b)? ?[:(]? ?)?"
    r"(?P<target>(?!\d)\w[\w.'’-]{0,30}(?: (?=[^\W_a-z])[\w.'’-]{1,30}){0,2})\)?[.!]?"
)
_VOTE = "(?:vote|voto|lynch|stimme|голос|投票)"
# A message that is nothing but a vote: "!vote Ann", "##vote: Ann", "[vote] Ann", "vote: Ann".
VOTE_COMMAND = re.compile(
    rf"(?:[!/.$#~]{{1,3}}\s?{_VOTE}[ :]|[\[(*<_]{{1,3}}\s?{_VOTE}\s?[\])*>_:]{{1,4}}"
    rf"|\W{{0,3}}{_VOTE}(?:s| for)?\s?[:：=→>-]{{1,3}}|(?-i:VOTE|LYNCH) )\s?"
    rf"(?:(?:for|against) )?@?(?P<target>{WHO})(?:に投票(?:し?ます|する|しました|した)?)?[\W_]{{0,4}}(?:</{_VOTE}>)?",
    re.IGNORECASE,
)
# How often who is called like no narrator begins rounds; who is called like a bot does once.
_LEAST_BEGUN = 2
_LEAST_BALLOTS, _LEAST_COUNTED, _LONGEST_BALLOT = 3, 6, 40
# What the system tells all players in a chat is short.
TOLD, LONGEST_TOLD = "told", 300
NARRATED = mark('Messages of who leads the game and is no player were left out: {count} (first of "{what}").')
_BOT = re.compile(r"(?:bot|serv|app|engine|server)\W{0,2}\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_BULLET = re.compile(r"\A[^\w]{1,9}")
# "Dr. Bean" and "gpt-4.1" end no sentence.
_SENTENCE = re.compile(r"(?:\b(?:Dr|Mrs?|Ms|St|Prof)\. |[^.!?;\n。！？]|[.!?](?=[^\s.!?;])){1,300}")
CHINESE = "一二三四五六七八九"
CARDINALS, _ORDINALS, _SIGNS = (
    {word: number for number, word in enumerate(words.split(), start=1)}
    for words in (
        "one two three four five six seven eight nine",
        "first second third fourth fifth sixth seventh eighth ninth",
        " ".join(CHINESE),
    )
)
_WRITTEN = CARDINALS | _ORDINALS | _SIGNS
# "Day 2", "NIGHT PHASE - ROUND 1", "DAY_DISCUSSION (Day 1)".
_HEADING = re.compile(
    r"(?P<sign>[^\w\s]{0,20})\s{0,5}(?:(?P<part>[^\W\d_][^\d\n:]{0,40}?)\s{0,3}[–:|(-]\s{0,3})?"
    rf"(?P<kind>{PARTS})\s{{0,3}}#?(?P<number>\d{{1,9}}|(?:{'|'.join(CARDINALS)})(?!\w))\)?"
    r"(?:\s{0,5}(?P<end>[^\w\s]{1,20})|(?P<more>\s{0,3}[:–-]\s.{0,80}|\s.{0,80}))?\s{0,5}",
    re.IGNORECASE,
)
_CLOSED_INSIDE = re.compile(r"[\])】]\W{0,9}\w")
# "第2天", "2日目", "2日目の夜".
_CJK_HEADING = re.compile(
    rf"[^\w\s]{{0,20}}\s?第?\s?(?P<number>\d{{1,3}}|[{CHINESE}])\s?(?P<kind>[天轮輪回夜晚]合?|日目|일차)"
    r"(?:の(?P<part>夜|昼|朝|議論|投票)(?:フェーズ)?|開始|开始)?"
    r"(?:\s?[^\w\s]{0,20}|\s?(?P<sign>[:：\s])\s?(?P<more>[^\n]{1,80}))"
)
ROUND_IN = re.compile(
    rf"(?:^|[\]\-|=#*:>.]|\b(?:{'|'.join(audience.LEVELS)}))\s{{0,3}}[=#*~-]{{0,9}}[\[(]?\s?(?P<kind>{PARTS}|(?-i:[DN])(?=\d{{1,2}}(?:\]|$)))"
    r"\s{0,3}#?(?P<number>\d{1,4})\b",
    re.IGNORECASE,
)
# What has rounds only where somebody leads the game.
_STEPS = rf"{PARTS}|quest|mission|meeting|runda|gün|tura"
_TOLD_ROUND = re.compile(
    rf"(?P<before>.{{0,80}}?)(?<!\w)(?:(?P<nth>\d{{1,3}}(?=st|nd|rd|th)|{'|'.join(_ORDINALS)})(?:st|nd|rd|th)?"
    rf" (?P<last>{_STEPS})\b|(?P<kind>{_STEPS}) ?#?(?P<number>\d{{1,9}}\b|(?:{'|'.join(CARDINALS)})\b)"
    rf"|第?\s?(?P<sign>\d{{1,3}}|[{CHINESE}])\s?(?P<cjk>[天轮輪夜晚]|日目|일차))(?P<more>.*)",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:it(?: is|['’]s)|discuss(?:ion)?|debate|talk"
    r"|begins?|began|begun|beginning|starts?|started|starting|opens?|welcome|enter(?:s|ing)?|now|dawns?|breaks?"
    r"|morning|rises?|wakes?|awakens?|comes?|falls?|fallen|arrives?|let['’]?s|moving|move|proceed|next|beginnt|startet"
    r"|bricht|empieza|comienza|inicia|commence|débute|começa|inizia|comincia|начинается|наступает|настал[ао]?)\b|开始|開始",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:ends?|ended|over|finish\w*|closed?|concludes?d?|done|results?|votes?|voted|voting|elimina\w*|survived?|last"
    r"|until|after|before|endet|vorbei|terminad?\w?|finie?|закончен\w*)\b|结束|投票",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"[^\w\s]{0,9}\s?(?:(?P<short>(?-i:[DN]))(?P<counted>\d{1,2})|[^\W\d_]{1,12}[ .#-]{0,2}(?P<number>\d{1,3})"
    rf"\s?[^\w\s]{{0,3}}\s?(?P<part>{NIGHTS}|day|tag|d[ií]a|jour|giorno|dia|день))\s?[^\w\s]{{0,9}}",
    re.IGNORECASE,
)
# What is said after "Round 1 is over" belongs to the next one.
_OVER = re.compile(
    r"\W{0,3}(?:(?:is|has|ist) )?(?:over|ends|ended|done|finished|endet|vorbei)\W{0,9}", re.IGNORECASE
)
# The same around the words for this part: "night begins", "it is night", "to night".
_COMES = (
    rf"(?:[- ]?time)?(?: phase| stage| discussion)? (?:has |have |is )?(?:{'|'.join(_COMING)}|upon us)\b"
    r"(?! (?:soon|shortly|within|in (?:an?|one|two|three|five|ten|\d+))\b)"
)
# "Night falls. Sleep well."
_COMES_FIRST = re.compile(rf"(?P<title>(?:the )?\w{{3,9}}{_COMES})[.!:…].{{0,80}}", re.IGNORECASE)
_IT_IS = r"(?:\bit(?: is|['’]s| becomes| gets| turns| has become)|\bnow)(?: now)? (?:the )?"
_GOES_TO = (
    r"\b(?:(?:enter|start)(?:s|ing)?|begin(?:s|ning)?|now in|phase[:>→ -]{1,4}"
    r"|(?:mov\w+|switch\w*|turn\w*|chang\w+|proceed\w*|transition\w*|back|continu\w+)(?: on| now| over)? (?:in)?to)"
    r" (?:the )?"
)
_SIDE = r"(?:mafiosi|mafia|(?:were)?wolves|impostors|traitors|spies)(?: (?:members|players|team))?"
_FALLS = re.compile(
    rf"\b(?:night|darkness|dusk){_COMES}|nightfall|{_IT_IS}(?:night(?:[- ]?time)?|dark)\b"
    rf"|{_GOES_TO}night(?:[- ]?time)?\b"
    r"|\b(?:sun(?: has)? sets?|(?:go|goes) to sleep|closes? (?:your|their) eyes"
    rf"|{_SIDE},? (?:please )?(?:wakes?|opens?|choose|pick|select|decide|discuss)"
    rf"|only (?:the )?{_SIDE} (?:can|may|could|will) (?:now )?(?:communicate|talk|speak|chat|discuss|see|hear|write)"
    r"|(?:secret|mafia|wolf) (?:chat|channel) is (?:now )?open|nacht bricht|cae la noche|la nuit tombe)\b|天黑",
    re.IGNORECASE,
)
_BREAKS = re.compile(
    rf"\b(?:day|dawn|morning|sun|(?:new|next) round){_COMES}|{_IT_IS}(?:day(?:[- ]?time)?|morning|dawn)\b"
    rf"|{_GOES_TO}day(?:[- ]?time)?\b|\A\W*(?:a new day|dawn)\W*\Z|天亮"
    r"|\b(?:sunrise|good morning|daybreak|wake up,? everyone|der tag bricht|amanece|le jour se lève|наступает утро"
    r"|(?:everyone|everybody|village|villagers|town|townsfolk|all players) (?:wakes?|woke|awakens?"
    r"|(?:can|may) (?:now |again )?(?:communicate|talk|speak|chat|discuss)))\b",
    re.IGNORECASE,
)
_BEGUN = {"night": _FALLS, "day": _BREAKS}
# "Talk until night falls", "Before the day begins, choose somebody".
_NOT_NOW = re.compile(r"\b(?:before|until|till|during|since|last)\b[^,;:]{1,60}", re.IGNORECASE)
_LEAVES = re.compile(
    rf"(?:^|[,:(]\s?)[^\w\s]{{0,3}}\s{{0,3}}(?P<name>{WHO}),? "
    r"(?:(?:was|were|is|has been|have been|got|gets|wurde|fue|foi) )?(?:found )?"
    r"(?:(?P<killed>dead|killed|eaten|murdered|died|dies|slain)"
    r"|eliminated|voted (?:out|off)|lynched|executed|banished|exiled|ejected|hanged|removed|arrested|leaves"
    r"|(?<=is )out|(?<=was )out)\b",
    re.IGNORECASE,
)
_NOBODY_LEFT = re.compile(
    r"\b(?:no ?one|nobody|no player)\b.{0,20}\b(?:killed|died|dies|eliminated)\b", re.IGNORECASE
)
_OTHERS = frozenset(
    "a all an another any anyone both everyone he i it no nobody none one she someone somebody that the there they "
    "this two three we who will you player players".split()
)


class Rounds(Struct):
    """Where a game is while who leads it speaks: its round, and whether it is night. Without numbers talk counts on."""

    number: int | None = None
    is_night: bool = False
    is_numbered: bool = False
    has_talk: bool = False
    over: int = 0

    def begin(self, number: int, *, is_night: bool) -> None:
        self.number, self.is_night = number, is_night
        self.is_numbered = self.is_numbered or not is_night
        self.has_talk, self.over = False, 0

    def talk(self) -> None:
        """Somebody who plays has spoken to all."""
        self.number = self.over + 1 if self.over else self.number
        self.has_talk, self.over = True, 0

    def hear_unsaid(self, text: str) -> bool:
        """As `hear`, of what nobody may have said: a word alone is what begins."""
        return self.hear(f"{text} begins" if text.isalpha() else text)

    def hear(self, text: str) -> bool:
        """Take a sentence, or several, of who leads the game; whether a round, a day or a night begins with it."""
        events = list(_rounds_in(text))
        # Who died is told in the morning.
        if self.is_night and not events and any(leavers(text)):
            events = [(0, "day")]
        for number, kind in events:
            if kind == "over":
                self.over = 0 if self.is_numbered else number
            elif number:
                self.begin(number, is_night=kind == "night")
            elif kind == "night":
                self.is_night = True
            else:
                self.number = self.number if self.is_numbered else (self.number or 1) + self.has_talk
                self.is_night, self.has_talk = False, False
        return any(kind != "over" for _number, kind in events)


def to_number(written: str) -> int:
    """A number in figures or, up to nine, in words or Chinese signs."""
    return int(_WRITTEN.get(written.casefold(), written))


def is_night(part: str) -> bool:
    return part.casefold() in (*NIGHTS.split("|"), "夜", "晚")


@lru_cache(maxsize=1024)
def part_of_day(title: str) -> str:
    """ "night" or "day", if a title without a number names nothing else: "NIGHT PHASE", "Wolves' den"; else ""."""
    title = found["title"] if (found := _COMES_FIRST.fullmatch(title)) else title
    is_title = len(title) < _LONGEST_TITLE and not any(map(str.isdigit, title))
    words = (
        {*audience.words_of(title)} - _FILLERS if is_title and "game night" not in title.casefold() else set()
    )
    sides = {"night": _NIGHT_WORDS | _NIGHT_SIDES, "day": _DAY_WORDS | _DAY_SIDES}
    named = [part for part, known in sides.items() if words & known and words <= known | _PART_WORDS]
    return "" if words <= _NIGHT_SIDES | _DAY_SIDES else "".join(named)


def read_role(name: str) -> tuple[str, str]:
    """A name and the known role in brackets or behind a stroke after it; "" for other words."""
    found = _WITH_ROLE.fullmatch(name.strip())
    role = (found["role"] or found["bare"]).strip() if found else ""
    return (found["name"].strip(), role) if found and ROLE.fullmatch(role) else (name, "")


def ballot(tag: str, text: str) -> str:
    """Whom a text votes for behind a tag and a name, as in "[ACTION] Ann: vote Bea"; "" for other texts."""
    found, kind = _BALLOT.fullmatch(text), audience.kind_of_type(tag)
    is_vote = found and (kind == audience.VOTE or (kind == audience.IGNORE and found["act"]))
    return found["target"].rstrip(".") if found and is_vote else ""


def read_label(line: str) -> tuple[int, str]:
    """The number and "night" or "day" of a line such as "N1", "T1: NIGHT" or "turn 2 night"; (0, "") of others."""
    found = _LABELLED.fullmatch(line.strip())
    if found is None:
        return 0, ""
    part = found["part"] or found["short"]
    return int(found["number"] or found["counted"]), "night" if part == "N" or is_night(part) else "day"


def read_heading(line: str) -> tuple[str, int, str] | None:
    """ "night" or "heading", the number and the text after it, of the heading of a round; None for other lines."""
    cjk = None if line.isascii() else _CJK_HEADING.fullmatch(line.strip())
    # "第1天 Day 1", "第1天：平安夜", but not the sentence "第1天 很安静".
    more = (cjk["part"] or cjk["more"] or "") if cjk else ""
    is_more = cjk is not None and (cjk["part"] or not more or not cjk["sign"].isspace())
    if cjk and (is_more or part_of_day(more) or read_heading(more)):
        return begun(cjk, more)
    number, part = read_label(line)
    if part:
        return ("night" if part == "night" else "heading", number, "")
    match = _HEADING.fullmatch(line.strip())
    # A bare line that goes on after the number is a sentence ("Day 2 was quiet") unless signs mark it as a heading.
    if match is None or (match["more"] and not match["sign"] and not part_of_day(match["more"])):
        return None
    if match["part"] and (match["more"] or not part_of_day(match["part"])):
        return None
    # "[Day 1 - Talk] Ann: Hello." is a line of its own.
    if match["sign"][-1:] in ("[", "(", "【") and _CLOSED_INSIDE.search(match["more"] or ""):
        return None
    return begun(match, match["part"] or (match["more"] or "").strip(f" :–-{match['sign']}"))


def without_counter(lines: list[str]) -> list[str]:
    """The lines without what counts them, if most have a number of their own: "Round 8 - Ann: ..."."""
    found = [ROUND_IN.match(line) for line in lines]
    numbers = [one["number"] for one in found if one]
    is_own = len(numbers) >= _LEAST_COUNTED and len(numbers) == len({*numbers})
    if not is_own or 2 * len(numbers) <= sum(map(bool, lines)):
        return lines
    return [row[one.end() :].lstrip(" -–—:|") if one else row for row, one in zip(lines, found, strict=True)]


def begun(found: "re.Match[str]", text: str) -> tuple[str, int, str]:
    """The heading of a round or a night, with the text after it."""
    is_at_night = (is_night(found["kind"]) and not tells_end(text)) or part_of_day(text) == "night"
    return ("night" if is_at_night else "heading", to_number(found["number"]), text)


def tells_end(text: str) -> bool:
    """Whether what follows a night is what everybody hears in the morning: "Night 1: Nobody was killed."."""
    return text.rstrip().endswith((".", "!")) and (any(leavers(text)) or bool(_NOBODY_LEFT.search(text)))


def sentences(text: str) -> list[str]:
    """The sentences of a text, and its lines, without what ends them."""
    return _SENTENCE.findall(text)


def _rounds_in(text: str) -> Iterator[tuple[int, str]]:
    """What each sentence says of a round: its number, 0 without one, and "day" or "night" that begins, or "over"."""
    for sentence in sentences(text):
        if found := _TOLD_ROUND.fullmatch(sentence):
            value = to_number(found["number"] or found["nth"] or found["sign"])
            part = found["kind"] or found["last"] or found["cjk"]
            if _is_begun(found):
                yield value, "night" if is_night(part) else "day"
            elif _OVER.fullmatch(found["more"]) or found["before"].casefold().strip().startswith("end of"):
                yield value, "over"
        elif part := next(
            (part for part, shape in _BEGUN.items() if shape.search(_NOT_NOW.sub("", sentence))), ""
        ):
            yield 0, part


def begun_by(text: str) -> tuple[int, str]:
    """The number of the round that a text says begins, and "heading" or "night"; 0 where it says none."""
    begun = ((number, part) for number, part in _rounds_in(text) if number and part != "over")
    return next(((number, part if part == "night" else "heading") for number, part in begun), (0, ""))


def _is_begun(found: "re.Match[str]") -> bool:
    """Whether a sentence with a round says that it begins: "Round 2 starts", "Day 2: discuss", "Welcome to day 2"."""
    before, more = found["before"].strip(" \t*_#=~-–—"), found["more"].strip()
    is_first = not _WORD.search(before)
    if is_first and (not _WORD.search(more) or _BEGINS.match(more.removeprefix("has ").removeprefix("is "))):
        return True
    said = f"{before} {more}"
    is_title = is_first and more[:1] in (*":,–—-(", "：")
    # "Scene 1: Day 1".
    is_title = is_title or (not more and found["before"].rstrip()[-1:] in tuple(":,–—-|"))
    return bool(is_title or _BEGINS.search(said)) and not _ENDS.search(said)


def leavers(text: str, players: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Who leaves the game by these sentences, and how; of "Sadly Ann", the known player."""
    for sentence in sentences(text):
        for found in _LEAVES.finditer(sentence.strip()):
            for name in re.split(", | and ", found["name"]):
                words = name.split()
                known = (part for at in range(len(words)) if (part := " ".join(words[at:])) in players)
                own = next(known, "")
                # "Player 2" may be called "2".
                words = words[len(words) > 1 and words[0].casefold() == "player" :]
                is_name = len(words) == 1 or all(not word[0].islower() for word in words)
                is_other = not words or words[0].casefold() in _OTHERS or ROLE.fullmatch(name)
                if own or (is_name and not is_other):
                    yield own or " ".join(words), KILLED if found["killed"] else VOTED_OUT


def votes_in(text: str) -> Iterator[tuple[str, str]]:
    """The voters and whom they vote for, of the sentences that are votes."""
    for sentence in sentences(text):
        if vote := VOTES.fullmatch(_BULLET.sub("", sentence.strip())):
            yield vote["name"].strip(), vote["target"].strip()


def tells(text: str, *, with_votes: bool = True) -> bool:
    return any(_rounds_in(text)) or any(leavers(text)) or (with_votes and any(votes_in(text)))


def find_narrators(said: Collection[tuple[str, str]]) -> frozenset[str]:
    """Who leads the game, case-folded: half their texts tell of rounds or votes; beside bots one, whom none names."""
    spoken: dict[str, list[str]] = {}
    for name, text in said:
        spoken.setdefault(name.casefold(), []).append(text)
    whole = "\n".join(text for _name, text in said).casefold()
    found, likely = set(audience.NARRATORS), []
    for name, texts in spoken.items():
        is_called_so = _BOT.search(name) or audience.kind_of_type(name) in (audience.IGNORE, audience.OUT)
        is_called_so = bool(is_called_so or not audience.NARRATORS.isdisjoint(_WORD.findall(name)))
        named = rf"votes?(?: for)?\W{{1,3}}{re.escape(name)}" if is_called_so else re.escape(name)
        if name in found or re.search(named, whole):
            continue
        begun, told = sum(any(_rounds_in(text)) for text in texts), sum(map(tells, texts))
        if is_called_so and (begun or told == len(texts)) and 2 * told >= len(texts):
            found.add(name)
        elif begun >= _LEAST_BEGUN and 2 * told >= len(texts):
            likely.append(name)
    # Players who begin their texts by the day are several.
    return frozenset(found.union(likely if len(likely) == 1 else ()))


def leave_narration(
    rows: list[tuple[str, dict[str, Any]]], players: Collection[str], notes: Notes
) -> list[tuple[str, dict[str, Any]]]:
    """Placed messages without those of leaders, no `players`, who give rounds and nights, and of what was TOLD."""
    is_told = sum(TOLD in row for _place, row in rows) > 1
    rows = [(place, row) for place, row in rows if is_told or TOLD not in row]
    public = [row for _place, row in rows if row.get("message") and not row["audience"]]
    said = [(row["playerName"], row["message"]) for row in public]
    leaders = find_narrators(said) - {name.casefold() for name in players}
    if all(name.casefold() in leaders for name, _text in said):
        return [one for one in rows if TOLD not in one[1]]
    rounds, kept = Rounds(), []
    for place, row in rows:
        if TOLD in row:
            rounds.hear(row[TOLD])
            continue
        is_public = not row["audience"]
        if is_public and row["playerName"].casefold() in leaders:
            rounds.hear(row["message"] or "")
            notes.warn("narrated", place, row["playerName"], says=NARRATED)
            continue
        hidden = {"audience": {"channel": "night"}} if is_public and rounds.is_night else {}
        # By night and in private nobody opens the next round.
        if is_public and not hidden:
            rounds.talk()
        own = {"roundNumber": rounds.number} if row["roundNumber"] is None else {}
        kept.append((place, row | own | hidden))
    return kept


def take_ballots(game: dict[str, Any], names: Mapping[str, str]) -> list[str]:
    """Make votes of messages such as "+1 Ann", where three players in a row say some; their texts."""
    rows, taken = game["messages"], list[tuple[dict[str, Any], str]]()
    read = ((row, *_read_ballot(row["message"], names)) for row in rows if row["audience"] is None)
    for (*_same, is_ballot), same in groupby(read, lambda one: (one[0]["roundNumber"], one[1], one[2] != "")):
        run = [(row, target) for row, _sign, target in same]
        if is_ballot and len({row["playerName"] for row, _target in run}) >= _LEAST_BALLOTS:
            taken += run
    for row, target in taken:
        about = {"voterName": row["playerName"], "timestamp": row["timestamp"]}
        game["votes"].append({"roundNumber": row["roundNumber"] or 1, "targetName": target} | about)
    are_votes = {id(row) for row, _target in taken}
    game["messages"] = [row for row in rows if id(row) not in are_votes]
    return [row["message"] for row, _target in taken]


def _read_ballot(text: str, names: Mapping[str, str]) -> tuple[str, str]:
    """The sign and the player of a short text of both; "" for another text."""
    words = text.strip(" .!*_").casefold().split() if len(text) < _LONGEST_BALLOT else []
    at = next((at for at in range(1, len(words)) if " ".join(words[at:]) in names), 0)
    sign = " ".join(words[:at])
    is_sign = audience.kind_of_type(sign) == audience.VOTE or re.search(r"[^\W\d_]", sign) is None
    return (sign, names[" ".join(words[at:])]) if at and is_sign else ("", "")


# In scripts without spaces, what may be a speaker and more: "林晓（狼人）对周航耳语：".
_NAMED = re.compile(r"[(\[（【*]{0,2}(?P<head>[^:：,，.。!！?？\n]{1,40})[:：](?P<text>.*?)[)\]）】*]{0,2}")


def split_named(line: str, names: Iterable[str]) -> tuple[str, str, str]:
    """The player with whom a line of a script without spaces begins, what follows up to a colon, and the text."""
    found = _NAMED.fullmatch(line)
    bare = {name.partition("(")[0] for name in names if found and audience.UNSPACED.search(name)}
    name = next((name for name in bare if found and found["head"].startswith(name)), "")
    # A role may stand behind it.
    how = re.sub(r"\A\([^()]{0,20}\)(?=.)", "", found["head"][len(name) :]) if found else ""
    return (name, how, found["text"]) if found and name else ("", "", "")
