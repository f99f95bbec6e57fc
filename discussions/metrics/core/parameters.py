"""The parameters of a rubric version, prepared for measuring: sets, compiled patterns, and flags for every word.

They include the parameters and lists that belong to no metric or to several, and the map of roles to sides: an unknown
role has no side.
"""

import re
from collections.abc import Collection, Mapping
from functools import reduce
from itertools import cycle
from operator import or_
from typing import Any

from msgspec import Struct

from discussions.core.records import MAFIA, VILLAGE, GameRecord
from discussions.metrics.core.names import fold
from discussions.metrics.core.patterns import (
    ANY_NAME,
    HALF,
    Bits,
    Clues,
    PatternGroup,
    Vocabulary,
    build_clues,
    compile_group,
    join_groups,
)
from discussions.metrics.core.references.vote_record import Doubts
from discussions.metrics.core.text import END, decode_player
from rubric.core.records import RubricRecord
from rubric.versions.core.game_specs import ParameterSpecs

NAME, KEYWORD, STRATEGIC, ORDINARY, ENDS, YOU = 1, 2, 4, 8, 16, 32
_OF_TOKENS = NAME | KEYWORD | STRATEGIC | ORDINARY | ENDS | YOU
_BITS = [1 << index for index in range(_OF_TOKENS.bit_length(), 2 * HALF)]


class Parameters(Struct, frozen=True, eq=False):
    """Every choice by its name in the rubric version, and its lists compiled."""

    choices: Mapping[str, Any]
    keywords: "KeywordList"
    weak_keywords: "KeywordList"
    stop_words: frozenset[str]
    game_terms: frozenset[str]
    ambiguous_names: frozenset[str]
    groups: Mapping[str, PatternGroup]
    clues: Clues
    role_map: Mapping[str, frozenset[str]]
    accusing: PatternGroup
    against_fellow: int
    doubts: Doubts
    phrases_to_avoid: tuple[str, ...]
    vocabulary: Vocabulary

    def choice(self, name: str) -> Any:
        """The value of one parameter; raises KeyError when the version has no such parameter."""
        return self.choices[name]

    def mask(self, *names: str) -> int:
        return reduce(or_, (self.groups[name].mask for name in names))

    def number(self, name: str) -> int:
        return int(self.choices[name])


class KeywordList(Struct, frozen=True):
    words: frozenset[str]
    stems: tuple[str, ...]

    def holds(self, token: str) -> bool:
        """Whether the token is a listed word, or a listed stem continued by letters only."""
        if token in self.words:
            return True
        if not token.startswith(self.stems):
            return False
        return any(
            token.startswith(stem) and (len(token) == len(stem) or token[len(stem) :].isalpha())
            for stem in self.stems
        )


def keyword_list(entries: list[str]) -> KeywordList:
    """Parse entries like `because` (a word) and `vote*` (a stem)."""
    words = frozenset(entry.lower() for entry in entries if not entry.endswith("*"))
    return KeywordList(words, tuple(entry[:-1].lower() for entry in entries if entry.endswith("*")))


def compute_bits(token: str, parameters: Parameters) -> Bits:
    """The bits of one token: name, end of a message or word, and the patterns that it may belong to."""
    if token == END:
        first, second = parameters.clues.always
        return ENDS | first, _OF_TOKENS | second
    if decode_player(token):
        first, second = parameters.clues.bits(ANY_NAME)
        return NAME | (KEYWORD if parameters.choice("coherence_names") else 0) | first, second
    first, second = parameters.clues.bits(token)
    if token == "you" or token.startswith("you'"):
        first |= YOU
    if len(token) >= parameters.number("coherence_min_characters") and token not in parameters.stop_words:
        first |= KEYWORD
    if parameters.keywords.holds(token):
        first |= STRATEGIC
    if token not in parameters.game_terms:
        first |= ORDINARY
    return first, second


def read_parameter(parameters: Mapping[str, Any], name: str) -> Any:
    """The value of a version's parameter that belongs to no metric, or the default if the version lacks it."""
    return parameters[name] if name in parameters else SHARED.defaults[name]


def read_message_score(parameters: Mapping[str, Any], key: str) -> str:
    """How a version scores a metric of messages: COUNTED, PEOPLE or IF_CONTRADICTED."""
    return str(read_parameter(parameters, f"{key}_score"))


def divides_by_judge(parameters: Mapping[str, Any]) -> bool:
    """Whether a version divides people's estimates by an admitted judge, too."""
    return scores_by_people(parameters) and read_parameter(parameters, "strata") == BY_JUDGE


def scores_by_people(parameters: Mapping[str, Any]) -> bool:
    """Whether a version scores a metric by people's estimate."""
    names = (name for name, choices in SHARED.choices.items() if choices is MESSAGE_SCORES)
    return any(read_parameter(parameters, name) != COUNTED for name in names)


_READY: dict[int, tuple[RubricRecord, Parameters]] = {}


def get_parameters(rubric: RubricRecord) -> Parameters:
    """The version's parameters, compiled once for each record; equal records share them.

    Raises KeyError when a list is missing.
    """
    known = _READY.get(id(rubric))
    if known is not None and known[0] is rubric:
        return known[1]
    parameters = next(
        (parameters for other, parameters in _READY.values() if _is_same(other, rubric)), None
    ) or _compiled(rubric)
    if len(_READY) >= 8:
        _READY.clear()
    _READY[id(rubric)] = (rubric, parameters)
    return parameters


def _is_same(first: RubricRecord, other: RubricRecord) -> bool:
    return first.lists == other.lists and first.parameters == other.parameters


def _compiled(rubric: RubricRecord) -> Parameters:
    lists = rubric.lists
    patterns = lists["patterns"]
    mafia_words = list(patterns["mafia_word"])
    bits = cycle(_BITS)
    sources = {name: patterns[name] for name in PATTERNS}
    sources |= {name: patterns.get(name, ()) for name in OPTIONAL_PATTERNS}
    groups = {name: compile_group(list(group), mafia_words, bits) for name, group in sources.items()}
    # If a version defines patterns for calling somebody mafia, the word alone accuses nobody.
    calls_mafia = groups["calls_mafia"] if groups["calls_mafia"].patterns else groups["mafia_word"]
    accusing = join_groups(groups["accuse"], calls_mafia)
    return Parameters(
        choices=SHARED.defaults | rubric.parameters,
        keywords=keyword_list(lists["strategic_keywords"]),
        weak_keywords=keyword_list(lists["weak_keywords"]),
        stop_words=frozenset(lists["stop_words"]),
        game_terms=frozenset(lists["game_terms"]),
        ambiguous_names=frozenset(lists["ambiguous_names"]),
        groups=groups,
        clues=build_clues(groups.values()),
        accusing=accusing,
        against_fellow=accusing.mask | groups["votes_for"].mask,
        doubts=Doubts(groups["negation"], groups["not_a_negation"], groups["conditional"]),
        role_map={side: frozenset(roles) for side, roles in lists["role_map"].items()},
        phrases_to_avoid=tuple(lists["phrases_to_avoid"]),
        vocabulary=Vocabulary(),
    )


_GAPS = re.compile(r"[\s_-]+")


def parse_side(role: str | None, role_map: Mapping[str, Collection[str]]) -> str | None:
    """MAFIA, VILLAGE, or None for a missing or unknown role; case, dashes and underscores do not matter."""
    if not role:
        return None
    plain = _GAPS.sub(" ", fold(role)).strip().lower()
    for side in (MAFIA, VILLAGE):
        if plain in role_map.get(side, ()):
            return side
    return None


def list_sides(game: GameRecord, role_map: Mapping[str, Collection[str]]) -> list[str]:
    """The side of the speaker of each message, "" where it is not known."""
    sides = [parse_side(player.role, role_map) or "" for player in game.players]
    return [sides[message.player - 1] for message in game.messages]


PATTERNS = (
    "reference", "possible_reference", "mafia_word", "accuse", "reason", "confess", "deflect", "vouch", "certain",
    "negation", "not_a_negation", "conditional", "act", "votes_for",
)  # fmt: skip

# Groups that version 1.0 lacks.
OPTIONAL_PATTERNS = ("calls_mafia", "report", "aside", "condition", "counterfactual")

# The editions of the rules that are code because no list can express them; a version without the parameter keeps 1.0.
RULES = ("1.0", "1.1")

# How a metric of messages is scored: as the rule counts the messages that nobody judged, or as people would.
COUNTED, PEOPLE, IF_CONTRADICTED = "counted", "people", "people_if_contradicted"
MESSAGE_SCORES = (COUNTED, PEOPLE, IF_CONTRADICTED)
# What divides the messages of people's estimate: the rule's value, or also what an admitted judge says.
BY_RULE, BY_JUDGE = "rule", "judge"
# When more messages than the sample are asked for: after contradictions, or while the interval holds the threshold.
IF_MANY_CONTRADICT, WHILE_OPEN = "contradicted", "while_open"
# Whether an evaluation waits for an answer on each suggested reference.
OFFERED, ASKED = "offered", "asked"
# What the blind test of who said it counts: messages given to the right agent, or agents that were identified.
BY_MESSAGES, BY_AGENTS = "messages", "agents"

SHARED = ParameterSpecs(
    choices={
        "rules": RULES, "combining_marks": (False, True), "more_messages": (IF_MANY_CONTRADICT, WHILE_OPEN),
        "suggested_references": (OFFERED, ASKED), "identification_test": (BY_MESSAGES, BY_AGENTS),
        "strategic_depth_score": MESSAGE_SCORES, "coherence_score": MESSAGE_SCORES,
        "role_consistency_score": MESSAGE_SCORES, "strata": (BY_RULE, BY_JUDGE),
    },
    counts={
        "baseline_game_count": (1, 1000), "iteration_game_count": (1, 1000),
        "changes_per_iteration": (1, 100), "successes_in_a_row": (1, 100), "sample_percent": (0, 100),
        "sample_min": (0, 1000), "sample_max": (0, 1000), "role_more_count": (0, 100), "role_more_percent": (1, 100),
        "more_batches": (1, 100),
    },
    amounts={
        "cost_limit_usd": (0, 1_000_000), "cost_success_usd": (0, 1_000_000),
        "cache_hit_percent": (0, 100),
    },
    word_lists=(
        "strategic_keywords", "weak_keywords", "stop_words", "game_terms", "ambiguous_names", "phrases_to_avoid",
    ),
    patterns=PATTERNS,
    defaults={
        "rules": "1.0", "combining_marks": False, "role_more_count": 0, "role_more_percent": 30,
        "more_messages": IF_MANY_CONTRADICT, "more_batches": 1, "suggested_references": OFFERED,
        "strategic_depth_score": COUNTED, "coherence_score": COUNTED, "role_consistency_score": COUNTED,
        "identification_test": BY_MESSAGES, "strata": BY_RULE,
    },
    optional_patterns=OPTIONAL_PATTERNS,
)  # fmt: skip
