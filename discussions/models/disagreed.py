"""Where evaluators differ in many games at once, in a fixed number of queries: rows in, records of the core out."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from msgspec import Struct

from discussions.core.disagreements import Disagreement, Settled, disagreements_of
from discussions.core.effective import Judged, machine_values, settled_things, stands_of
from discussions.core.moves import SUBMITTED
from discussions.core.records import Measurement
from discussions.models.adjudicated import settled_in
from discussions.models.evaluations import Evaluation, Judgement
from discussions.models.games import Game
from discussions.models.measurements import Measured, MeasuredFindings
from discussions.models.slots import RATING
from workspace.models import Project


class Disagreed(Struct, frozen=True):
    """One measured game: where its submitted evaluations differ, and on how many things of each kind anybody spoke.

    `game` is its key, `version` the key of its rubric version with its hash.
    """

    number: int
    game: int
    version: tuple[int, str]
    measurements: dict[str, Measurement]
    evaluations: list[int]
    disagreements: list[Disagreement]
    judged: Mapping[str, int]


class _Row(NamedTuple):
    """A game with the columns that name what it is made of; `newest` is its measurement, None while there is none."""

    key: int
    number: int
    version: int
    version_sha256: str
    newest: int | None


class _Said(NamedTuple):
    """One judgement."""

    evaluation: int
    kind: str
    subject: str
    value: str
    blind_value: str
    reason: str


_COLUMNS = (
    "pk",
    "number",
    "iteration__rubric_version",
    "iteration__rubric_version__sha256",
    "newest",
)
_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])


def rated_by_several(project: Project) -> "QuerySet[Game]":
    """The games of a project that count and that two or more evaluators handed in, newest first."""
    done = Count("evaluations", filter=Q(evaluations__state=SUBMITTED, evaluations__purpose=RATING))
    games = Game.objects.filter(project=project, withdrawn_at=None).annotate(done=done)
    return games.filter(done__gte=2).order_by("-number")


def disagreed(games: "QuerySet[Game]") -> list[Disagreed]:
    """What evaluators differ about in these games, in their order; games without a measurement are left out."""
    newest = Measured.objects.filter(
        game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version")
    ).order_by("-pk")
    rows = [
        _Row(*row) for row in games.annotate(newest=Subquery(newest.values("pk")[:1])).values_list(*_COLUMNS)
    ]
    newest_of = {row.key: row.newest for row in rows if row.newest is not None}
    rows = [row for row in rows if row.key in newest_of]
    keys = list(newest_of)
    bodies = dict(
        MeasuredFindings.objects.filter(measured__in=newest_of.values()).values_list("measured", "body")
    )
    evaluations = _evaluations(keys)
    said = _said([key for those in evaluations.values() for key in those])
    settled = settled_in(keys)
    return [
        _disagreed(
            row,
            _FINDINGS.decode(bodies[newest_of[row.key]]),
            evaluations[row.key],
            said,
            settled.get(row.key, []),
        )
        for row in rows
    ]


def _evaluations(games: list[int]) -> dict[int, list[int]]:
    """Game -> its submitted evaluations."""
    found: dict[int, list[int]] = defaultdict(list)
    rows = Evaluation.objects.filter(game__in=games, purpose=RATING, state=SUBMITTED).order_by("pk")
    for game, key in rows.values_list("game", "pk"):
        found[game].append(key)
    return found


def _said(evaluations: list[int]) -> dict[int, list[_Said]]:
    found: dict[int, list[_Said]] = defaultdict(list)
    rows = Judgement.objects.filter(evaluation__in=evaluations).order_by("pk")
    for row in rows.values_list(*_Said._fields):
        found[row[0]].append(_Said(*row))
    return found


def _disagreed(
    row: _Row,
    measurements: dict[str, Measurement],
    evaluations: list[int],
    said: Mapping[int, list[_Said]],
    settled: list[Settled],
) -> Disagreed:
    rows = [one for key in evaluations for one in said.get(key, [])]
    judged = [
        Judged(one.evaluation, one.kind, one.subject, one.value, one.blind_value, is_submitted=True)
        for one in rows
    ]
    reasons = {(one.evaluation, one.kind, one.subject): one.reason for one in rows if one.reason}
    machine = machine_values(measurements)
    values = {(one.kind, one.subject): one.value for one in settled}
    things = settled_things(stands_of(judged, machine), values)
    return Disagreed(
        number=row.number,
        game=row.key,
        version=(row.version, row.version_sha256),
        measurements=measurements,
        evaluations=evaluations,
        disagreements=disagreements_of(judged, machine, settled, game=row.key, reasons=reasons),
        judged=Counter(kind for kind, _subject in things),
    )
