"""Which messages a search finds, and what its page shows of their games.

Hides from evaluators every game that waits for their rating, and everything but names and texts of the others.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.core.judgement_kinds import MESSAGE_KINDS, REFERENCE, VALUES, machine_value, parse_subject
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
    GamePlace,
    index_game,
    sign,
    write_match,
    write_tsquery,
    write_vector,
)
from workspace.database.capped_counts import capped_count
from workspace.models import Person, Project

# Messages are counted up to this number, and so many games are looked into for who said it.
MOST_FOUND, MOST_LOOKED = 1000, 200
# PostgreSQL looks into the newest games first. What it finds there is enough to show if it is this much.
NEWEST_GAMES, ENOUGH = 500, 100
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
_IN_ORDER = """
SELECT rowid FROM discussions_indexedmessage WHERE words @@ %s::tsquery AND rowid >= %s AND rowid < %s
ORDER BY rowid DESC LIMIT %s
"""
_ANY = "SELECT rowid FROM discussions_indexedmessage WHERE words @@ %s::tsquery AND rowid < %s LIMIT %s"
_IN_GAMES = """
WITH own AS MATERIALIZED (
    SELECT said.rowid, said.words FROM unnest(%s::bigint[]) AS game(key) CROSS JOIN LATERAL (
        SELECT rowid, words FROM discussions_indexedmessage
        WHERE rowid > game.key AND rowid < game.key + 1048576 OFFSET 0
    ) AS said
) SELECT rowid FROM own WHERE words @@ %s::tsquery AND rowid < %s ORDER BY rowid DESC LIMIT %s
"""
_BY_MATCH = """
SELECT rowid FROM discussions_indexedmessage WHERE discussions_indexedmessage MATCH %s AND rowid >= %s AND rowid < %s
ORDER BY rowid DESC LIMIT %s
"""
_SET_SCANS = "SELECT set_config('enable_seqscan', %s, true), set_config('enable_indexscan', %s, true)"

# Key of a game -> positions of the messages that were found, in order; newest game first.
Found = dict[int, list[int]]


def find_messages(
    project: Project, asked: Asked, signs: Iterable[str], *, among: Collection[int] | None, before: int = 0
) -> tuple[Found, bool]:
    """The newest messages of the project, or of these games of it, that hold what is asked; and whether all were read.

    With `before`, those in games below that key.
    """
    newest = Game.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True).first() or 0
    end = (min(before, newest + 1) if before else newest + 1) * KEYS
    signs = [*signs, sign(PROJECT, project.pk)]
    if among is not None:
        rows = _find_in_games(asked, signs, sorted(among, reverse=True), end)
        is_all = len(rows) <= MOST_FOUND
    else:
        find = _find_by_vector if connection.vendor == "postgresql" else _find_by_match
        rows, is_all = find(asked, signs, end)
    found: Found = {}
    for key in sorted(rows, reverse=True)[:MOST_FOUND]:
        found.setdefault(key // KEYS, []).insert(0, key % KEYS)
    return found, is_all


def _find_by_match(asked: Asked, signs: list[str], end: int) -> tuple[list[int], bool]:
    rows = _run(_BY_MATCH, write_match(asked, signs), 0, end)
    return rows, len(rows) <= MOST_FOUND


def _find_by_vector(asked: Asked, signs: list[str], end: int) -> tuple[list[int], bool]:
    """The newest messages below this key, and whether these are all.

    Common words fill the newest games; where they do not, the index says whether there are many. PostgreSQL thinks that
    words which never meet are found anywhere, and would read all messages: then it may use only the index of words.
    """
    query, start = write_tsquery(asked, signs), max(0, end - NEWEST_GAMES * KEYS)
    newest = _run(_IN_ORDER, query, start, end)
    if len(newest) > MOST_FOUND or not start:
        return newest, len(newest) <= MOST_FOUND
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SET_SCANS, ["off", "off"])
        rows = _run(_ANY, query, end)
        if is_all := len(rows) <= MOST_FOUND:
            newest = rows
        elif len(newest) < ENOUGH:
            newest = _run(_IN_ORDER, query, 0, end)
        cursor.execute(_SET_SCANS, ["on", "on"])
    return newest, is_all


def _find_in_games(asked: Asked, signs: Iterable[str], games: list[int], end: int) -> list[int]:
    if connection.vendor == "postgresql":
        return _run(_IN_GAMES, [game * KEYS for game in games], write_tsquery(asked, signs), end)
    rows: list[int] = []
    match = write_match(asked, signs)
    for game in games:
        if len(rows) <= MOST_FOUND:
            rows += _run(_BY_MATCH, match, game * KEYS, min(end, (game + 1) * KEYS))
    return rows


def _run(sql: str, *values: Any) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [*values, MOST_FOUND + 1])
        return [key for (key,) in cursor.fetchall()]


def is_closed_to(person: Person, project: Project) -> bool:
    """Whether an evaluator has a game under a shown number to judge: a search would tell whether it is a duplicate."""
    held = Evaluation.objects.filter(evaluator=person, game__project=project).exclude(state=SUBMITTED)
    return held.exclude(shown_number=None).exists()


def load_own_games(person: Person, project: Project) -> dict[int, int]:
    """The games that an evaluator may search in: key -> the evaluation in which the person rated it.

    A game that the person judges now is none of them.
    """
    if is_closed_to(person, project):
        return {}
    mine = Evaluation.objects.filter(game=OuterRef("game"), evaluator=person, state__in=OPEN)
    rows = Evaluation.objects.submitted_ratings().visible_to(person).filter(game__project=project)
    rows = rows.filter(~Exists(mine), game__erased_at=None)
    return dict(rows.order_by("-game").values_list("game", "pk"))


def load_records(games: Iterable[int]) -> dict[int, GameRecord]:
    rows = GameText.objects.filter(game__in=list(games), game__erased_at=None)
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
            if machine_value(kind, finding) == value:
                yield game, finding.message


def build_rows(games: Iterable[Game]) -> Iterator[tuple[int, str]]:
    """What the index has to hold of these games, which come with their texts: key of each message -> words."""
    is_vector = connection.vendor == "postgresql"
    for game in games:
        place = GamePlace(game.pk, game.project_id, game.iteration_id)
        for key, words, signs in index_game(place, game.text.to_record()):
            yield key, write_vector(words, signs) if is_vector else " ".join([*words, *signs])


def find_misindexed(games: Collection[Game]) -> Iterator[tuple[Game, int, bool]]:
    """Each of these games, how many messages of it are indexed, and whether they are those that it has."""
    for game in games:
        keys = (game.pk * KEYS, game.pk * KEYS + KEYS - 1)
        rows = dict(IndexedMessage.objects.filter(key__range=keys).values_list("key", "words"))
        # PostgreSQL gives the words of a vector in its own order.
        due = {key: sorted(words.split()) for key, words in build_rows([game])}
        yield game, len(rows), due == {key: sorted(words.split()) for key, words in rows.items()}


def count_unindexed(project: Project, most: int) -> int:
    return capped_count(UnindexedGame.objects.filter(game__project=project), most)
