"""Who could hear a message, for all readers: everybody at the table, some players, or nobody but its author.

Only what everybody could hear is measured, sampled and shown; the rest is kept as a private track of the game.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

SPEECH, PRIVATE, THOUGHT = "speech", "private", "thought"
VOTE, OUT, IGNORE, ROUND = "vote", "elimination", "ignore", "round"
# What a row of a log can be; with ROUND a round begins.
KINDS = (SPEECH, VOTE, OUT, PRIVATE, THOUGHT, IGNORE, ROUND)
NAMED = "a player's name"
# A list that names everybody is public, where there are so many players that it says something.
LEAST_TABLE = 3
# Words in marks before a text are asked about from so many spaces in them.
LEAST_SPACES = 2
# Values that tell apart what players say: at most so many, codes or the sentences of tasks, and no measures.
_MOST_SIDES, _NUMBER_OF_TASK = 5, re.compile(r"\d+")
_CODE = re.compile(r"-?\d{0,3}(?:\.0)?|(?!\w{1,9}://)[^\s\d]\S{0,80}(?: \S{0,20}){0,30}")

_WORD = re.compile(r"[^\W\d_]+")
LEVELS = "TRACE DEBUG INFO NOTICE SUCCESS WARN WARNING ERROR CRITICAL FATAL".split()
_LEVEL = re.compile(r"\A(?:INFO|NOTICE|SUCCESS)\W+(?=\w)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# "not private", "mafia game" and "Secret Hitler" say nothing of who could hear a message.
_NEGATED = re.compile(
    r"\b(?:(?:non|not)[ -]+(?:private|secret|hidden)|secret\W{1,3}(?:hitler|mafia|werewol(?:f|ves))"
    r"|self\W{0,3}intro\w{0,9}|(?:mafia|werewol(?:f|ves)|wolf)\W{1,3}games?)\b"
)
_LONGEST_WORDS, _MOST_WORDS, _MOST_SPACES = 60, 20, 5
# Who speaks in a log without playing, case-folded.
NARRATORS = frozenset(
    "moderator,system,narrator,storyteller,god,game,game master,gamemaster,game-manager,game manager,gm,host,announcer,"
    "system prompt,prompt,instruction,instructions,observation,environment,tool,tool call,tool result,debug,"
    "the moderator,the narrator,the storyteller,game host,game bot,mod,town crier,referee,emcee,spielleiter,"
    "spielleitung,erzähler,moderateur,modérateur,meneur,narrateur,moderador,narrador,moderatore,narratore,ведущий,"
    "ведущая,рассказчик,модератор,prowadzący,法官,主持人,主持,旁白,上帝,司会,ゲームマスター,사회자,진행자".split(
        ","
    )
)
# What a line that is a thought may begin with in place of a name.
THOUGHT_NAMES = frozenset(
    f"{inner}{thought}"
    for inner in ("", "inner ", "internal ", "private ", "hidden ")
    for thought in "thought thoughts thinking reasoning monologue scratchpad rationale reflection".split()
)
# "wolf chat" is a part of a game that is hidden, "Werewolf 7" or "Game night" is none.
_ALONE = re.compile(
    r"\b(?:nights?|mafias?|werewol(?:f|ves)|wol(?:f|ves)|evil|dead|teams?|factions?)\b"
    r"(?!\W{1,3}(?:chat|channel|talk|discussion|room|den|only|actions?|messages?|phase|qt)\b)"
)

_THOUGHT = frozenset(
    "thought thoughts think thinking thinks reasoning reason reasons monologue monolog soliloquy scratchpad "
    "scratch cot reflection reflections reflect plan plans planning internal inner belief beliefs deliberation "
    "deliberate strategy memory memories note notes diary journal suspicion suspicions introspection rationale "
    "ponder pondering pondered musing musings contemplation contemplated reasoned reflected planned "
    "piensa piensan denkt pense pensa думает себя myśli myśl self nobody none mind analysis "
    "gedanke gedanken überlegung überlegungen denken pensée pensées réflexion "
    "pensamiento pensamientos razonamiento pensamento pensamentos raciocínio pensiero pensieri ragionamento мысль "
    "мысли размышление рассуждение".split()
)
_PRIVATE = frozenset(
    "aside private privately secret secretly secrets whisper whispers whispered whispering dm dms pm pms direct night "
    "nights wolf wolves werewolf werewolves mafia mafias mafioso evil dead ghost ghosts grave graveyard spectator "
    "spectators letter letters hidden lover lovers coven mason masons faction factions team teams teammate traitor "
    "traitors impostor impostors imposter imposters cult cultist cultists vampire vampires "
    "teammates backchannel confidential nur privat privée privé privado privada privato privata secreto secreta "
    "natt noc gece yö éjszaka ніч нощ νύχτα đêm malam ليلة الليل לילה रात gabi privés privées privados glissés tanière "
    "scum minions lobos loups lupi wölfe nocturnal nocturno nocturna nocturne nächtlich ночной ночная "
    "secrète segreto segredo geheim flüstern nacht nuit noche noite notte личное тайно шёпот ночь мёртвые".split()
)
_PUBLIC = frozenset(
    "all everyone everybody public publicly global town village townsfolk table group broadcast room main general open "
    "anyone players world alle allen öffentlich tous toutes publique todos todas público pública tutti pubblico "
    "aloud laut dorfplatz marktplatz plaza piazza lobby forum площадь "
    "öffentliche öffentlicher öffentliches participants agents daylight assembly "
    "всем все общий публично plenary 全员 全員 全体 全體 大家 所有人 모두 皆 みんな".split()
)
SPEAKERS = frozenset("human ai assistant user agent bot npc".split())
# What a model was told, or answered before somebody took from it what was said.
OF_CALLS = frozenset("llm ollama raw unparsed".split())
_SPEECH = SPEAKERS | frozenset(
    "speech speeches speak speaks speaking spoke spoken say says saying said "
    "talk talks talking chat chats chatting message messages msg conversation conversations discussion discussions "
    "discuss debate debates débat debat debatte statement statements utterance utterances dialogue dialog comment "
    "comments argument respond responds responded "
    "arguments defense defence accusation accusations question answer reply replies response responses turn post "
    "posts claim rebuttal counterargument plea remarks roundtable examination cross diskussion debatte discusión "
    "day days round rounds morning dawn noon afternoon evening dusk daytime meeting intro introduction "
    "introductions opening closing voting vote votes trial tiebreak runoff election nomination nominations pk "
    "prologue epilogue final last words testament announcement phase game text rede sprechen parole discours discurso "
    "discussione tag jour día dia giorno день речь чат dice dicen sagt dit diz mówi говорит".split()
)
_VOTE = frozenset(
    "vote votes voted voting ballot ballots stimme abstimmung voto votación votacion scrutin votazione votação "
    "vote_cast голос nominate votacao votações votacoes votaciones votazioni votos voti stimmen abstimmungen suffrages "
    "голоса голосования голосування гласуване głosowanie głosowania głosy oylar oylama stemmen stemming stemmer "
    "omröstning röster äänestys äänet szavazás szavazatok hlasování hlasy phiếu تصويت הצבעה ψηφοφορία".split()
)
_OUT = frozenset(
    "eliminate eliminated elimination eliminations death deaths die died killed kill kills execution executed "
    "execute exile exiled hanged bitten lynch lynched lynching banish banished banishment ejected ejection "
    "ausscheiden".split()
)
_ACTS = frozenset(("action", "actions", "act"))
_IGNORE = _ACTS | frozenset(
    "system moderator narrator narration host server setup start started begin begins end ended over result "
    "results summary final_results info log status config init initialization tool tools function usage token "
    "tokens error errors warning debug meta metadata score scores reward rewards assign assignment assigned "
    "observation prompt phase_change transition transitioned tally tallies count counts totals outcome winner ranks "
    "inspect investigate protect heal save see check divination guard attack".split()
)
_KNOWN = _PUBLIC | _SPEECH | _VOTE | _OUT | _IGNORE
# Scripts without spaces between words are searched for these.
_PARTS = (
    (
        THOUGHT,
        "内心 心里 心想 心理 思考 独白 思维 推理过程 理由 想法 心声 心の声 考え 思惑 생각 속마음".split(),
    ),
    (
        PRIVATE,
        "私聊 密谈 私密 夜晚 夜间 狼人 悄悄 耳语 耳打ち 密談 囁き 秘密 人狼 비밀 귓속말 마피아 밤 전용 占い 查验 "
        "預言結果".split(),
    ),
    (
        SPEECH,
        "公开 发言 遗言 遺言 讨论 白天 对话 全体 所有人 議論 発言 全員 公開 広場 广场 공개 광장 토론 발언 모두".split(),
    ),
    (VOTE, "投票 투표".split()),
)
# Of these, those that say so whatever else is said: "wolf room", "all wolves", but "whispers publicly".
_OPENLY = frozenset(
    "everyone everybody public publicly öffentlich pública público publique pubblico aloud".split()
)
# What may stand beside words for speech and says nothing of who hears it.
_NEUTRAL = frozenset(
    "player players alive living surviving remaining present the a an of in on at to for by and or from with per "
    "each before after during pre post new first second third sent send sends created create add added made make "
    "cast event entry item record line text list log history whole entire full hall square campaign candidate "
    "free open starting starts will now commence commences commencing opens continues it out initial guided "
    "structured live channel thread participants emergency content small calmly loudly angrily nervously plainly "
    "firmly coldly warmly sharply slowly quickly politely für pour para à os los les spieler jugadores joueurs "
    "prise de du la le der die das am im".split()
)
# "sheriff election", but not "sheriff message".
_OFFICES, _ELECTED = (
    frozenset("sheriff mayor captain".split()),
    frozenset("election campaign speech vote".split()),
)
# "1:1 message", "1 on 1 chat", "message to player", but not "discussion 11:10" and "self introduction".
_ONE_TO_ONE = re.compile(
    r"(?<![\w:.])(?:1|one)\W{0,3}(?:to|on|v|:|-)\W{0,3}(?:1|one)\W{1,3}(?=chat|message|talk|dm)"
    r"|\b(?:to|with) (?:the |a )?player\b"
)
_PUBLIC_PARTS = re.compile(
    "|".join(
        (
            *_PARTS[2][1],
            "自由|轮流|玩家|竞选|警上|可见|フェーズ|자유|[第天日轮回合阶段期的の之昼对一二三四五六七八九十낮]|단계|일차|전체",
        )
    )
)
# Signs of scripts without spaces; names have at most so many.
UNSPACED, _SIGNS_OF_NAME = re.compile("[\u2e80-\ud7ff\uf900-\ufaff]"), 4
# Keys that may say who could hear a message, or what kind of row it is; and what other scripts are searched for.
_HEARERS = frozenset(
    "to recipient recipients receiver receivers visible visibility audience audiences private privacy public "
    "type kind channel scope hearer hearers heard hears listener listeners addressee addressees whisper secret "
    "hidden group room venue thread only confidential thought thoughts thinking reasoning scratchpad monologue "
    "target addressed partner empfänger destinataire destinatario получатель кому адресат для für pour para "
    "sichtbar kanal canal".split()
)
# What such a key measures, and does not hold: "thinking_time".
_MEASURES = frozenset("time ms seconds duration latency tokens cost effort".split())
_HEARER_PARTS = "对象 可见 频道 类型 接收 宛先 対象 種類 대상 유형".split()
_FALSE = frozenset("false no 0 0.0 n f none null - falsch nein faux non falso não нет".split())
_TRUE = frozenset("true yes 1 y t wahr ja vrai oui verdadero verdadeiro vero sí sim sì да".split())


def count_gaps(text: str) -> int:
    """How many gaps between words a text has: spaces, or those of a script without them, of which words are short."""
    return text.strip().count(" ") + max(0, len(UNSPACED.findall(text)) - _SIGNS_OF_NAME) // 2


def words_of(text: str) -> list[str]:
    """The words of a key or a value, case-folded: "nightTalk_2" is night, talk."""
    return _WORD.findall(_CAMEL.sub(" ", text).replace("_", " ").casefold())


@lru_cache(maxsize=4096)
def kind_of_type(value: str) -> str:
    """What a row of this type is, one of KINDS; "" when the words are not known. "INFO" before them says nothing."""
    value = _LEVEL.sub("", value)
    plain = _NEGATED.sub("public", _CAMEL.sub(" ", value).replace("_", " ").casefold())
    words = words_of(_ONE_TO_ONE.sub("private ", plain))
    known = set(words)
    if known & _THOUGHT:
        return THOUGHT
    if known & _PRIVATE and not known & _OPENLY:
        return PRIVATE
    # Of "agent_schemed" nobody can tell.
    others = known - SPEAKERS
    # "ejection votes", but not "lynched by vote".
    known -= {one for one in _OUT if not one.endswith("ed")} if _VOTE & {*words[-1:]} else set()
    # What somebody does before everybody is mostly what they say.
    known -= _ACTS if known & {"public", "publicly"} else set()
    known = set() if others and others.isdisjoint(_KNOWN) else known
    known -= _SPEECH if known & OF_CALLS else set()
    for kind, names in ((IGNORE, _IGNORE), (OUT, _OUT), (VOTE, _VOTE), (SPEECH, _PUBLIC | _SPEECH)):
        if known & names:
            # "scum chat": an unknown word beside a known one may say that not everybody heard it.
            return (
                kind
                if kind != SPEECH or known <= _KNOWN | _NEUTRAL | (_OFFICES if known & _ELECTED else set())
                else ""
            )
    kind = next((kind for kind, parts in _PARTS if any(part in value for part in parts)), "")
    return "" if kind == SPEECH and UNSPACED.search(_PUBLIC_PARTS.sub("", value)) else kind


def is_half_known(words: str) -> bool:
    """Whether some of the words are known, and what all say together is not."""
    some = any(map(kind_of_type, words_of(words))) or any(
        part in words for _kind, parts in _PARTS for part in parts
    )
    return some and not kind_of_type(words)


def is_clear(kind: str) -> bool:
    """Whether the words of a type say one thing, which is read. Levels of logs say nothing, but debugging may do so."""
    words = words_of(kind)
    kinds = {kind_of_type(word) for word in words if word.upper() not in LEVELS}
    return kinds - {""} in ({THOUGHT}, {PRIVATE}, {THOUGHT, PRIVATE}) or (
        len(kinds) == 1 and not kinds & {IGNORE, ""} and {"debug", "trace"}.isdisjoint(words)
    )


def is_hidden(words: str) -> bool:
    """Whether words say that not everybody could hear what they stand for."""
    return kind_of_type(words) in (PRIVATE, THOUGHT) and not is_measure(words)


def is_measure(key: str) -> bool:
    """Whether a key is called after what it measures, and holds no text: "thinking_time"."""
    return not _MEASURES.isdisjoint(words_of(key)[-1:])


def kind_of_title(title: str) -> str:
    """PRIVATE or THOUGHT, if the name of a part of a log, or of its file, says that not everybody could hear it."""
    kind = kind_of_type(_ALONE.sub(" ", _CAMEL.sub(" ", title).replace("_", " ").casefold()))
    return kind if kind in (PRIVATE, THOUGHT) else ""


def kind_of_audience(value: str, names: Collection[str], author: str = "") -> str:
    """SPEECH, PRIVATE, THOUGHT, or NAMED for names of some players (`names`, case-folded) alone; "" for other words."""
    said = value.strip().casefold()
    if said in ("*", "@all", "@everyone", "@here"):
        return SPEECH
    listed = [value.strip().casefold()] if said in names else [name.casefold() for name in split_names(value)]
    if listed and all(part in names for part in listed):
        own = author.strip().casefold()
        if {*listed, own} >= {*names} - NARRATORS and len(names) >= LEAST_TABLE:
            return SPEECH
        return THOUGHT if listed == [own] else NAMED
    kind = kind_of_type(value)
    return kind if kind in (SPEECH, PRIVATE, THOUGHT) else ""


def split_names(text: str) -> list[str]:
    """The names in a text such as "Ann, Bea and Cid", or in a list as Python writes it."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = re.sub(r"(?<![^\s,\[])['\"]|['\"](?![^\s,\]])", "", text)[1:-1]
    return [part.strip() for part in re.split(r"[,;|&]|\band\b", text) if part.strip()]


def kind_of_flag(value: str, *, is_private: bool) -> str:
    """SPEECH or PRIVATE, for a flag under a key such as "private" (`is_private`) or "public"; "" for other values."""
    said = value.strip().casefold()
    if said in _TRUE or said in _FALSE:
        return PRIVATE if (said in _TRUE) == is_private else SPEECH
    return ""


def looks_like_audience(key: str) -> bool:
    """Whether an unknown key, or one around it ("to.name"), may say who heard a message, or what kind of row it is."""
    around, _dot, last = key.rpartition(".")
    outer = {*words_of(around)}
    if not outer.isdisjoint(("setting", "settings", "config")):
        return False
    said = {*words_of(last), *(() if is_hidden(around) or "state" in outer else outer)}
    if said & {"reply", "replies", "replying", "responds", "responding"}:
        said.discard("to")
    is_called_so = not said.isdisjoint(_HEARERS) and not is_measure(last)
    return is_called_so or any(part in key for part in _HEARER_PARTS)


def say_hidden(values: Iterable[str]) -> bool:
    """Whether all values hide something, in words that differ by a name alone: "Ann is thinking (hidden)"."""
    shapes = distinct((_CAPITALISED.sub("", value) for value in values), _MOST_SHAPES + 1)
    return 0 < len(shapes) <= _MOST_SHAPES and all(
        len(shape) <= _LONGEST_WORDS and kind_of_title(shape) for shape in shapes
    )


_CAPITALISED, _MOST_SHAPES = re.compile(r"\b[A-Z][\w'’-]{0,30}"), 3
# How many players a mask has.
_OF_MASKS = frozenset(range(3, 21))
_MEDIA_TYPE = re.compile(r"(?:application|text|image|audio)/[a-z0-9.+-]{1,40}")


def may_hide(key: str, values: Iterable[str]) -> bool:
    """Whether an unknown key may say who could hear a message: by its name, or by a few short values that say it."""
    different = distinct(values, _MOST_WORDS + 1)
    if different and all(map(_MEDIA_TYPE.fullmatch, different)):
        return False
    if are_masks(different) or looks_like_audience(key) or say_hidden(different):
        return True
    # Sentences are no words for who could hear a message.
    if len(different) > _MOST_WORDS or any(
        len(value) > _LONGEST_WORDS or count_gaps(value) > _MOST_SPACES for value in different
    ):
        return False
    is_flag = is_hidden(key) and any(value.casefold() in _TRUE for value in different)
    is_open = any(set() < {*words_of(value)} <= _PUBLIC for value in different)
    is_mixed = "[]" in different and not all(value.startswith("[") for value in different)
    return is_flag or is_open or is_mixed or any(map(is_hidden, different))


def are_masks(values: Collection[str]) -> bool:
    """Whether values have one of two characters for each player: "101", or "x-x"."""
    lengths = {*map(len, values)}
    return len(values) > 1 and len(lengths) == 1 and lengths <= _OF_MASKS and len({*"".join(values)}) == 2


def tells_apart(rows: Iterable[tuple[tuple[str, ...], str]]) -> bool:
    """Whether a few codes or sentences tell apart what is said where all else that is known of it is the same."""
    said: dict[tuple[str, ...], list[str]] = {}
    for known, value in rows:
        # Tasks are the same on each day: "Day 1: think in silence."
        said.setdefault(known, []).append(
            _NUMBER_OF_TASK.sub("", value) if value.count(" ") > LEAST_SPACES else value
        )
    different = set().union(*said.values())
    is_few = 1 < len(different) <= _MOST_SIDES and 2 * len(different) <= sum(map(len, said.values()))
    return (
        is_few
        and all(map(_CODE.fullmatch, different))
        and any(len({*values}) > 1 for values in said.values())
    )


def as_names(value: Any) -> str:
    """A list of names as one text, as an audience; other values as text."""
    if type(value) is list:
        return ", ".join(str(item) for item in value) if value else "[]"
    return "" if value is None else str(value)


def distinct(values: Iterable[str], most: int = 50) -> list[str]:
    """The first different values, in order."""
    found: dict[str, None] = {}
    for value in values:
        if value not in found and len(found) < most:
            found[value] = None
    return list(found)
