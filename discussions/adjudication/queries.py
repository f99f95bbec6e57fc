"""Adjudications and disagreements of one game or of many, read in few queries into core records."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any

import msgspec
from django.db.models import Count, Max, Q, QuerySet, Subquery
from msgspec import Struct

from discussions.adjudication.core import effective
from discussions.adjudication.core.authorship_test import DrawnTest, draw_test, read_draw_rule
from discussions.adjudication.core.disagreements import AdjudicationRecord, Disagreement, find_disagreements
from discussions.adjudication.core.effective import AdjudicatedAnswer as BasisAdjudication
from discussions.adjudication.core.judgeable import judgeable_subjects
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.judgement_kinds import JudgeableSubjects
from discussions.core.records import Measurement
from discussions.models import Adjudication, Evaluation, Game, Judgement, MeasuredFindings
from discussions.models.slots import RATING
from discussions.queries import game_record, load_measurements, measured_for, newest_measured, rubric_record
from workspace.database.locked_texts import keyed_text
from workspace.models import Event, Person, Project

_RESOLVED = (
    *("id", "kind", "subject", "number", "value", "reason", "adopted_id", "sides_sha256"),
    *("created_by_id", "created_by__name", "created_at"),
)


def load_adjudicated_by_game(games: Collection[int]) -> dict[int, list[AdjudicationRecord]]:
    """Game -> its adjudications that are not superseded, oldest first; games without one are left out."""
    rows = Adjudication.objects.not_superseded().filter(game__in=games).order_by("pk")
    found: dict[int, list[AdjudicationRecord]] = defaultdict(list)
    for game, *values in rows.values_list("game_id", *_RESOLVED):
        found[game].append(AdjudicationRecord(*values))
    return dict(found)


def load_adjudication_history(game: int) -> list[AdjudicationRecord]:
    rows = Adjudication.objects.filter(game=game).order_by("pk")
    return [AdjudicationRecord(*values) for values in rows.values_list(*_RESOLVED)]


def adjudications_in(games: Collection[int]) -> dict[int, list[BasisAdjudication]]:
    """Game -> its adjudications that are not superseded, as a basis holds them; in one query."""
    found: dict[int, list[BasisAdjudication]] = defaultdict(list)
    rows = Adjudication.objects.not_superseded().filter(game__in=games).order_by("pk")
    for game, *values in rows.values_list("game_id", *BasisAdjudication.__struct_fields__):
        found[game].append(BasisAdjudication(*values))
    return found


def adjudicated_so_far() -> dict[str, int | None]:
    return Adjudication.objects.aggregate(Count("pk"), Max("pk"))


def disagreements_in(game: Game) -> list[Disagreement]:
    """The disagreements of the submitted evaluations of a measured game, and their adjudications; three queries.

    Raises LookupError when the game is not measured. Fetch the game with its iteration and rubric version.
    """
    return _find_disagreements(game, load_adjudicated_by_game([game.pk]).get(game.pk, ()))


def load_sides_hashes(game: Game, subjects: Collection[effective.Key]) -> dict[effective.Key, str]:
    """(Kind, subject) -> hash of the current answers, like `Adjudication.sides_sha256`; empty without a measurement.

    Fetch the game with its iteration and rubric version.
    """
    nobody = ("", "", None, "", 0, "", datetime.min.replace(tzinfo=UTC))
    wanted = [AdjudicationRecord(0, kind, subject, 1, *nobody) for kind, subject in subjects]
    try:
        found = _find_disagreements(game, wanted)
    except LookupError:
        return {}
    return {(one.kind, one.subject): one.sides_sha256 for one in found if one.resolved}


def _find_disagreements(game: Game, resolved: Iterable[AdjudicationRecord]) -> list[Disagreement]:
    rows = Judgement.objects.counting().filter(
        evaluation__game=game, evaluation__purpose=RATING, evaluation__state=SUBMITTED
    )
    judged, reasons = _read_judged(rows.order_by("pk").values_list(*_JUDGED))
    seed = letters_seed(game.pk)
    return find_disagreements(judged, load_machine_values(game), resolved, seed=seed, reasons=reasons)


_JUDGED = ("evaluation_id", "kind", "subject", "value", "blind_value", "reason")


def _read_judged(
    rows: Iterable[tuple[Any, ...]],
) -> tuple[list[effective.Judged], dict[tuple[int, str, str], str]]:
    """Submitted judgements, and their reasons by (evaluation, kind, subject)."""
    judged, reasons = [], {}
    for evaluation, kind, subject, value, blind_value, reason in rows:
        judged.append(effective.Judged(evaluation, kind, subject, value, blind_value, is_submitted=True))
        if reason:
            reasons[evaluation, kind, subject] = reason
    return judged, reasons


def letters_seed(game: int) -> str:
    """The seed for the letters of a game's evaluators; it cannot be computed without the installation's key."""
    return keyed_text("letters", str(game))


def handle_of(evaluation: int) -> str:
    """A handle for an evaluation, used with its letter; it does not reveal the key, which the audit log shows."""
    return keyed_text("evaluation handle", str(evaluation))[:16]


def find_by_handle(game: Game, handle: str) -> Evaluation | None:
    """The evaluation of the game with that handle, with the related rows that a lead's acts need."""
    rows = game.evaluations.select_related("game__project", "evaluator")
    return next((row for row in rows if handle_of(row.pk) == handle), None)


def submitted_in(game: Game) -> dict[int, int]:
    rows = Evaluation.objects.submitted_ratings().filter(game=game).order_by("pk")
    return dict(rows.values_list("pk", "evaluator_id"))


def load_machine_values(game: Game) -> dict[effective.Key, str]:
    """The automatic value of each subject of the game from its newest measurement; LookupError without one."""
    measured = newest_measured(game)
    if measured is None:
        raise LookupError(f"game {game.pk} is not measured")
    return effective.machine_values(load_measurements(measured.pk, measured.findings_sha256))


def load_judgeable_subjects(game: Game) -> JudgeableSubjects:
    """The subjects to judge in the game, from its newest measurement; LookupError without one."""
    measured, version = newest_measured(game), game.iteration.rubric_version
    if measured is None:
        raise LookupError(f"game {game.pk} is not measured")
    rubric = rubric_record(version.pk, version.sha256)
    return judgeable_subjects(
        game_record(game.pk, game.content_sha256),
        load_measurements(measured.pk, measured.findings_sha256),
        rubric.parameters,
        len(rubric.criterion("engagement").guiding_questions),
    )


class GameDisagreements(Struct, frozen=True):
    """One measured game: the disagreements of its submitted evaluations, and the number of judged subjects by kind.

    `game` is its key, `version` the key of its rubric version with its hash.
    """

    number: int
    game: int
    version: tuple[int, str]
    measurements: dict[str, Measurement]
    evaluations: list[int]
    disagreements: list[Disagreement]
    judged: Mapping[str, int]


_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])


def rated_by_several(project: Project) -> "QuerySet[Game]":
    """The games of a project that count and that two or more evaluators submitted, newest first."""
    done = Count("evaluations", filter=Q(evaluations__state=SUBMITTED, evaluations__purpose=RATING))
    games = Game.objects.filter(project=project, withdrawn_at=None).annotate(done=done)
    return games.filter(done__gte=2).order_by("-number")


def load_disagreements(games: "QuerySet[Game]") -> list[GameDisagreements]:
    """The disagreements in these games, in their order; games without a measurement are left out."""
    newest = measured_for().order_by("-pk").values("pk")[:1]
    version = "iteration__rubric_version"
    columns = ("number", "pk", version, f"{version}__sha256", "newest")
    rows = games.annotate(newest=Subquery(newest)).values_list(*columns)
    measured = [row for row in rows if row[-1] is not None]
    keys = [row[1] for row in measured]
    bodies = dict(
        MeasuredFindings.objects.filter(measured__in=[row[-1] for row in measured]).values_list(
            "measured", "body"
        )
    )
    evaluations: dict[int, list[int]] = defaultdict(list)
    submitted = Evaluation.objects.submitted_ratings().filter(game__in=keys).order_by("pk")
    for game, evaluation in submitted.values_list("game", "pk"):
        evaluations[game].append(evaluation)
    answers: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    keys_of = [key for own in evaluations.values() for key in own]
    judgements = Judgement.objects.counting().filter(evaluation__in=keys_of)
    for answer in judgements.order_by("pk").values_list(*_JUDGED):
        answers[answer[0]].append(answer)
    resolved = load_adjudicated_by_game(keys)
    return [
        _find_in_game(
            number,
            game,
            (version_key, sha256),
            _FINDINGS.decode(bodies[findings]),
            {evaluation: answers[evaluation] for evaluation in evaluations[game]},
            resolved.get(game, []),
        )
        for number, game, version_key, sha256, findings in measured
    ]


def _find_in_game(
    number: int,
    game: int,
    version: tuple[int, str],
    measurements: dict[str, Measurement],
    answers: Mapping[int, list[tuple[Any, ...]]],
    resolved: list[AdjudicationRecord],
) -> GameDisagreements:
    judged, reasons = _read_judged(chain.from_iterable(answers.values()))
    machine = effective.machine_values(measurements)
    values = {(adjudication.kind, adjudication.subject): adjudication.value for adjudication in resolved}
    decided = effective.list_decided_items(effective.collect_counted_judgements(judged, machine), values)
    return GameDisagreements(
        number=number,
        game=game,
        version=version,
        measurements=measurements,
        evaluations=list(answers),
        disagreements=find_disagreements(judged, machine, resolved, seed=letters_seed(game), reasons=reasons),
        judged=Counter(kind for kind, _subject in decided),
    )


NAMES_SHOWN = "names:shown"


def has_seen_names(person: Person, game: Game) -> bool:
    lines = Event.objects.filter(by=person, chain__project=game.project_id, verb=NAMES_SHOWN)
    return lines.filter(object_kind="game", object_id=str(game.pk)).exists()


def load_drawn_test(evaluation: Evaluation, game: Game) -> DrawnTest | None:
    """The blind test of an evaluation that should start with one (TEST); None if too little was said for it."""
    version = evaluation.measured.rubric_version
    return _draw_test((game.pk, game.content_sha256), (version.pk, version.sha256), evaluation.seed)


@lru_cache(maxsize=64)
def _draw_test(game: tuple[int, str], version: tuple[int, str], seed: str) -> DrawnTest | None:
    return draw_test(game_record(*game), seed, read_draw_rule(rubric_record(*version)))
