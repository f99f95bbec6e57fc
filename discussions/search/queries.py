"""Which messages a search finds, and what its page shows of their games.

Hides from evaluators every game that waits for their rating, and everything but names and texts of the others.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef
from msgspec import Struct

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.core.judgement_kinds import MESSAGE_KINDS, REFERENCE, VALUES, parse_subject
from discussions.core.records import GameRecord
from discussions.models import (
    Evaluation,
    Game,
    GameText,
    IndexedMessage,
    Judgement,
    MeasuredFindings,
    UnindexedGame,
)
from discussions.search.core import (
    KEYS,
    PROJECT,
    Asked,
    index_game,
    sign,
    write_match,
    write_tsquery,
    write_vector,
)
from workspace.database.unions import capped_count
from workspace.models import Person, Project

# Messages are counted up to this number, and so many games are looked into for who said it.
MOST_FOUND, MOST_LOOKED = 1000, 200
# PostgreSQL reads so many of the newest games first. What it finds there is enough to show if it is this much.
NEWEST_GAMES, ENOUGH = 1000, 100
RULE, PEOPLE = "rule", "people"
# Such as "people-coherence-no": who judged, what, and how. The rule labels no reference.
JUDGED = tuple(
    f"{who}-{kind}-{value}"
    for who in (RULE, PEOPLE)
    for kind in (*MESSAGE_KINDS, REFERENCE)
    if who == PEOPLE or kind != REFERENCE
    for value in VALUES[kind]
)
Judged = Literal[("", *JUDGED)]  # type: ignore[valid-type]
_ANY = "SELECT rowid FROM discussions_indexedmessage WHERE words @@ %s::tsquery AND rowid < %s LIMIT %s"
_IN_ORDER = _ANY.replace("LIMIT", "ORDER BY rowid DESC LIMIT")
_IN_GAMES = """
SELECT said.rowid FROM unnest(%s::bigint[]) AS game(key) CROSS JOIN LATERAL (
    SELECT rowid, words FROM discussions_indexedmessage
    WHERE rowid > game.key AND rowid < game.key + 1048576 OFFSET 0
) AS said
WHERE said.words @@ %s::tsquery AND said.rowid < %s ORDER BY said.rowid DESC LIMIT %s
"""
_BY_MATCH = """
SELECT rowid FROM discussions_indexedmessage WHERE discussions_indexedmessage MATCH %s AND rowid >= %s AND rowid < %s
ORDER BY rowid DESC LIMIT %s
"""
_SET_SCANS = "SELECT set_config('enable_seqscan', %s, true), set_config('enable_indexscan', %s, true)"

# Key of a game -> positions of the messages that were found, in order; newest game first.
Found = dict[int, list[int]]
# What is asked, signs that all messages have, and signs of which they have one, if there are any.
Wanted = tuple[Asked, list[str], list[str]]


class Scope(Struct, frozen=True):
    """Where a person may search: in all of the projects that they lead, and in games of the others that they rated.

    `own` is key of such a game -> the evaluation in which the person rated it. `is_closed` says that a project has a
    game under a shown number for the person to judge: a search would tell whether it is a duplicate.
    """

    projects: Mapping[int, Project]
    led: frozenset[int]
    own: Mapping[int, int]
    is_closed: bool


def load_scope(person: Person, projects: Iterable[Project]) -> Scope:
    """A game that the person judges now is not in it."""
    known = {project.pk: project for project in projects}
    led = frozenset(Project.objects.led_by(person).filter(pk__in=known).values_list("pk", flat=True))
    rest = known.keys() - led
    evaluations = Evaluation.objects.filter(evaluator=person, game__project__in=rest)
    held = evaluations.exclude(state=SUBMITTED).exclude(shown_number=None)
    closed = set(held.values_list("game__project", flat=True)) if rest else set()
    own: dict[int, int] = {}
    if rest - closed:
        mine = Evaluation.objects.filter(game=OuterRef("game"), evaluator=person, state__in=OPEN)
        rows = Evaluation.objects.submitted_ratings().visible_to(person)
        rows = rows.filter(~Exists(mine), game__project__in=rest - closed, game__erased_at=None)
        own = dict(rows.values_list("game", "pk"))
    return Scope(known, led, own, bool(closed))


def find_messages(
    scope: Scope, asked: Asked, signs: list[str], *, games: Collection[int] | None = None, before: int = 0
) -> tuple[Found, bool]:
    """The newest messages of the scope, or of these games in it, that hold what is asked; and whether all were read.

    With `before`, those in games below that key.
    """
    whole = scope.led if games is None else ()
    among = sorted(scope.own if games is None else games, reverse=True)
    newest = Game.objects.filter(project__in=whole).order_by("-pk").values_list("pk", flat=True).first()
    last = max(newest or 0, among[0] if among else 0)
    end = (min(before, last + 1) if before else last + 1) * KEYS
    rows: list[int] = []
    is_all = True
    if newest:
        places = sorted(sign(PROJECT, key) for key in whole)
        if (asked.wanted or signs) and not Project.objects.exclude(pk__in=whole).exists():
            places = []  # all messages are of these projects
        if connection.vendor == "postgresql":
            rows, is_all = _find_by_vector((asked, signs, places), end, whole)
        else:
            rows = _run(_BY_MATCH, write_match(asked, signs, places), 0, end)
            is_all = len(rows) <= MOST_FOUND
    if among:
        # SQLite finds nothing by exclusions alone.
        places = [] if asked.wanted or signs else sorted(sign(PROJECT, key) for key in scope.projects)
        singly = _find_in_games((asked, signs, places), among, end)
        # Where there are more, what is older than the last of them waits for the next part.
        rows += [key for key in singly if is_all or key > rows[-1]]
        is_all = is_all and len(singly) <= MOST_FOUND
    found: Found = {}
    for key in sorted(rows, reverse=True)[:MOST_FOUND]:
        found.setdefault(key // KEYS, []).insert(0, key % KEYS)
    return found, is_all and len(rows) <= MOST_FOUND


def _find_by_vector(wanted: Wanted, end: int, projects: Collection[int]) -> tuple[list[int], bool]:
    """The newest messages of these projects below this key, and whether these are all.

    The newest games are read without the index, whose work grows with how often words are said. It is asked for what
    they say seldom. PostgreSQL thinks that words which never meet are found anywhere, and would read all messages: then
    it may use only the index of words.
    """
    games = Game.objects.filter(project__in=projects, pk__lt=end // KEYS).order_by("-pk")
    keys = list(games.values_list("pk", flat=True)[:NEWEST_GAMES])
    newest = _find_in_games(wanted, keys, end)
    if len(newest) >= ENOUGH:
        return newest, len(newest) <= MOST_FOUND and len(keys) < NEWEST_GAMES
    query = write_tsquery(*wanted)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SET_SCANS, ["off", "off"])
        rows = _run(_ANY, query, end)
        is_all = len(rows) <= MOST_FOUND
        rows = sorted(rows, reverse=True) if is_all else _run(_IN_ORDER, query, end)
        cursor.execute(_SET_SCANS, ["on", "on"])
    return rows, is_all


def _find_in_games(wanted: Wanted, games: list[int], end: int) -> list[int]:
    if connection.vendor == "postgresql":
        return _run(_IN_GAMES, [game * KEYS for game in games], write_tsquery(*wanted), end)
    rows: list[int] = []
    match = write_match(*wanted)
    for game in games:
        if len(rows) <= MOST_FOUND:
            rows += _run(_BY_MATCH, match, game * KEYS, min(end, (game + 1) * KEYS))
    return rows


def _run(sql: str, *values: Any) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [*values, MOST_FOUND + 1])
        return [key for (key,) in cursor.fetchall()]


def load_records(scope: Scope, games: Iterable[int]) -> dict[int, GameRecord]:
    rows = GameText.objects.filter(
        game__in=list(games), game__erased_at=None, game__project__in=scope.projects
    )
    return {row.pk: row.to_record() for row in rows}


def keep_judged(found: Found, judged: str) -> Found:
    """The messages that were judged so: by the rule, or by anybody whose evaluation of the game is submitted."""
    who, kind, value = judged.split("-")
    so = set(_judged_by_rule(found, kind, value) if who == RULE else _judged_by_people(found, kind, value))
    kept = {game: [at for at in places if (game, at) in so] for game, places in found.items()}
    return {game: places for game, places in kept.items() if places}


def _judged_by_people(games: Mapping[int, object], kind: str, value: str) -> Iterator[tuple[int, int]]:
    rows = Judgement.objects.filter(
        evaluation__in=Evaluation.objects.submitted_ratings().filter(game__in=list(games)),
        kind=kind,
        value=value,
    )
    for game, subject in rows.values_list("evaluation__game", "subject"):
        yield game, parse_subject(subject)[0]


def _judged_by_rule(games: Mapping[int, object], kind: str, value: str) -> Iterator[tuple[int, int]]:
    rows = MeasuredFindings.objects.filter(
        measured__game__in=list(games),
        measured__rubric_version=F("measured__game__iteration__rubric_version"),
    ).order_by("measured")
    newest = {row.measured.game_id: row for row in rows.select_related("measured")}
    for game, row in newest.items():
        for finding in row.to_records()[kind].messages:
            if finding.machine_value(kind) == value:
                yield game, finding.message


def build_rows(games: Iterable[Game]) -> Iterator[tuple[int, str]]:
    """What the index has to hold of these games, which come with their texts: key of each message -> words."""
    is_vector = connection.vendor == "postgresql"
    for game in games:
        record, place = game.text.to_record(), {"project": game.project_id, "iteration": game.iteration_id}
        for key, words, signs in index_game(record, key=game.pk, **place):
            yield key, write_vector(words, signs) if is_vector else " ".join([*words, *signs])


def find_misindexed(games: Collection[Game]) -> Iterator[tuple[Game, int, bool]]:
    """Each of these games, how many messages of it are indexed, and whether they are those that it has."""
    for game in games:
        keys = (game.pk * KEYS, game.pk * KEYS + KEYS - 1)
        rows = dict(IndexedMessage.objects.filter(key__range=keys).values_list("key", "words"))
        # PostgreSQL gives the words of a vector in its own order.
        due = {key: sorted(words.split()) for key, words in build_rows([game])}
        yield game, len(rows), due == {key: sorted(words.split()) for key, words in rows.items()}


def count_unindexed(projects: Collection[int], most: int) -> int:
    # SQLite would read all games of a project first.
    theirs = Game.objects.filter(pk=OuterRef("pk"), project__in=projects)
    return capped_count(UnindexedGame.objects.filter(Exists(theirs)), most)
