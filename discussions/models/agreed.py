"""Blind answers of evaluators of the same games: rows in, records of the core out, in a fixed number of queries."""

from collections.abc import Iterable
from sys import intern

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from discussions.core import kinds
from discussions.core.agreement_figures import AgreementFigures, agreement_figures_of
from discussions.core.blind_answers import MARKS, OF_PARTS, Answer, Thing, by_evaluators
from discussions.core.evaluator_agreement import headline
from discussions.core.moves import SUBMITTED
from discussions.models.evaluations import Evaluation, Judgement
from discussions.models.sampled import handed_in
from discussions.models.slots import REPEAT
from discussions.models.standings import rubric_record
from rubric.core.agreement.estimates import Agreement
from workspace.models import Project

COMPARED = (*OF_PARTS, *MARKS, kinds.QUESTION, kinds.RATING)
_CHUNK = 5_000


def agreement_figures(project: Project) -> AgreementFigures:
    """How far the project's evaluators agree, on all that was handed in of games that two or more rated."""
    shared = handed_in(project).filter(game__in=shared_games(project))
    counted = shared.aggregate(n=Count("pk"), games=Count("game", distinct=True))
    return agreement_figures_of(
        read_answers(_first(project).filter(kind__in=COMPARED)),
        read_answers(_twice(project).filter(kind__in=COMPARED)),
        games=counted["games"],
        handed_in=counted["n"],
        questions=_questions(project),
    )


def rating_agreement(project: Project) -> tuple[Agreement, int]:
    """The headline of the rating, and over how many games; computed from the rows as they are now."""
    answers = read_answers(_first(project).filter(kind=kinds.RATING))
    (answered,) = by_evaluators([Thing(kinds.RATING)], answers)
    return headline(answered), answered.shared_groups


def answers_in_cell(project: Project, thing: Thing, row: str, column: str) -> list[Answer]:
    """The first blind answers about that thing with one of two values."""
    rows = _first(project).filter(kind=thing.kind, blind_value__in={row, column})
    return read_answers(rows.filter(subject=thing.question) if thing.question else rows)


def repeats(project: Project) -> "QuerySet[Evaluation]":
    """The hidden repeats that were handed in, of games that count in averages."""
    rows = Evaluation.objects.filter(game__project=project, game__withdrawn_at=None)
    return rows.filter(purpose=REPEAT, state=SUBMITTED)


def shared_games(project: Project) -> "QuerySet[Evaluation, int]":
    """The games that two evaluators or more have handed in, by key."""
    counted = handed_in(project).order_by().values("game").annotate(people=Count("pk"))
    return counted.filter(people__gt=1).values_list("game", flat=True)


def read_answers(rows: "QuerySet[Judgement]") -> list[Answer]:
    """The blind answers among these judgements; whoever said nothing before the reveal gave none."""
    columns = ("evaluation__game_id", "evaluation_id", "evaluation__evaluator_id", "evaluation__purpose")
    blind = rows.exclude(blind_value="").values_list(*columns, "kind", "subject", "blind_value")
    return list(_answers(blind.order_by().iterator(chunk_size=_CHUNK)))


def _answers(rows: Iterable[tuple[int, int, int, str, str, str, str]]) -> Iterable[Answer]:
    # The same few words stand in all rows; kept once, they take a third of the memory.
    for game, evaluation, evaluator, *words in rows:
        yield Answer(game, evaluation, evaluator, *map(intern, words))


def _first(project: Project) -> "QuerySet[Judgement]":
    evaluations = handed_in(project).filter(game__in=shared_games(project))
    return Judgement.objects.filter(evaluation__in=evaluations)


def _twice(project: Project) -> "QuerySet[Judgement]":
    """What people said of games that they were dealt a second time, both times."""
    same = {"game": OuterRef("game"), "evaluator": OuterRef("evaluator")}
    first = handed_in(project).filter(Exists(repeats(project).filter(**same)))
    again = repeats(project).filter(Exists(handed_in(project).filter(**same)))
    return Judgement.objects.filter(
        Q(evaluation__in=first.values("pk")) | Q(evaluation__in=again.values("pk"))
    )


def _questions(project: Project) -> list[str]:
    """The questions of the newest rubric version under which somebody handed in."""
    columns = ("measured__rubric_version", "measured__rubric_version__sha256")
    versions = handed_in(project).order_by().values(*columns).annotate(newest=Max("pk")).order_by("-newest")
    newest = versions.values_list(*columns).first()
    return list(rubric_record(*newest).criterion("engagement").guiding_questions) if newest else []
