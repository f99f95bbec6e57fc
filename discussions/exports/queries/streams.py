"""Everything that one export holds, as a stream of lines: all of a project or a part of it, or one's own work."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from msgspec import Raw, Struct

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.exports.core.items import (
    ExportedDecision,
    ExportedIteration,
    ExportedStage,
    OwnEvaluation,
    OwnGame,
    OwnRemark,
)
from discussions.exports.queries.games import fill, load_judgements, stream_games
from discussions.exports.queries.names import Names
from discussions.models import Decision, Evaluation, Game, Iteration, Measured, Remark, Stage
from discussions.rating.queries import load_state
from rubric.exports.queries import get_version_name, stream_own_reviews, stream_set, stream_versions
from rubric.models import Comparison, ComparisonSet, Review
from workspace.exports.core.choices import (
    GAME,
    GAMES,
    ITERATION,
    JSONL,
    PROJECT,
    SET,
    STAGE,
    Subject,
    parse_subject,
)
from workspace.exports.core.items import FORMAT, AuditHead, ExportHead
from workspace.models import Chain, Export, Person, Project

_OWN_BATCH = 50


def read_subject(export: Export) -> Subject:
    """Read the subject of the export."""
    return parse_subject(export.subject) or Subject(PROJECT)


def stages_of(project: Project, subject: Subject) -> "QuerySet[Stage]":
    """The stages that belong to a subject."""
    rows = Stage.objects.filter(project=project)
    numbered = {
        STAGE: Q(number=subject.number),
        ITERATION: Q(iterations__number=subject.number),
        GAME: Q(iterations__games__number=subject.number),
        GAMES: Q(pk__in=_chosen(project, subject).values("iteration__stage")),
    }
    return _select(rows, subject, numbered).order_by("pk")


def iterations_of(project: Project, subject: Subject) -> "QuerySet[Iteration]":
    """The iterations that belong to a subject."""
    rows = Iteration.objects.filter(project=project)
    numbered = {
        STAGE: Q(stage__number=subject.number),
        ITERATION: Q(number=subject.number),
        GAME: Q(games__number=subject.number),
        GAMES: Q(pk__in=_chosen(project, subject).values("iteration")),
    }
    return _select(rows, subject, numbered).order_by("pk")


def games_of(project: Project, subject: Subject) -> "QuerySet[Game]":
    """The games that belong to a subject."""
    rows = Game.objects.filter(project=project)
    numbered = {
        STAGE: Q(iteration__stage__number=subject.number),
        ITERATION: Q(iteration__number=subject.number),
        GAME: Q(number=subject.number),
        GAMES: Q(number__in=subject.numbers),
    }
    return _select(rows, subject, numbered)


def _chosen(project: Project, subject: Subject) -> "QuerySet[Game]":
    """The games of a subject that names several."""
    return Game.objects.filter(project=project, number__in=subject.numbers).order_by()


def sets_of(project: Project, subject: Subject) -> "QuerySet[ComparisonSet]":
    """The comparison sets that belong to a subject."""
    rows = ComparisonSet.objects.filter(project=project).select_related("project", "rubric_version__rubric")
    return _select(rows, subject, {SET: Q(number=subject.number)}).order_by("pk")


def _select(rows: "QuerySet[Any]", subject: Subject, numbered: dict[str, Q]) -> "QuerySet[Any]":
    """All rows for a project, those of the subject else, none where the subject has no such rows."""
    if subject.kind == PROJECT:
        return rows
    condition = numbered.get(subject.kind)
    return rows.none() if condition is None else rows.filter(condition)


def count_items(export: Export) -> int:
    """Roughly how many lines the stream has, for its progress."""
    project, subject = export.project, read_subject(export)
    if not export.is_unblinded:
        own = Evaluation.objects.visible_to(export.created_by).filter(game__project=project).count()
        reviews = Review.objects.visible_to(export.created_by).filter(reviewer__set__project=project).count()
        return own + reviews
    comparisons = Comparison.objects.filter(set__in=sets_of(project, subject)).count()
    return games_of(project, subject).count() + comparisons


def stream_export(export: Export, *, why_left_out: Callable[[ComparisonSet], str]) -> Iterator[Struct]:
    """Every line of the export but the last: all of the subject, or its owner's own work in the project.

    `why_left_out` says for a set why the owner may not see its reviews and authors, "" where they may.
    """
    names = Names(export)
    if not export.is_unblinded:
        yield _head(export, names, None)
        yield from _own_evaluations(export, names)
        yield from stream_own_reviews(export.project, export.created_by, names.person)
        return
    project, subject = export.project, read_subject(export)
    yield _head(export, names, _audit_head(project))
    iterations, sets = iterations_of(project, subject), sets_of(project, subject)
    yield from stream_versions(_list_versions(project, subject), names.person)
    yield from (_stage(row, names) for row in stages_of(project, subject))
    for iteration in iterations.select_related(
        "stage", "rubric_version__rubric", "compared_with", "baseline", "replay_of"
    ):
        yield _iteration(iteration, names)
    has_findings = export.format == JSONL
    yield from stream_games(games_of(project, subject), names, has_findings=has_findings)
    for row in sets:
        left_out = why_left_out(row)
        yield from stream_set(row, left_out=left_out, name=names.person, reviewer_name=names.reviewer)


def _head(export: Export, names: Names, audit_head: AuditHead | None) -> ExportHead:
    return ExportHead(
        format=FORMAT,
        project=export.project.slug,
        project_name=export.project.name,
        subject=export.subject,
        holds="everything" if export.is_unblinded else "own work",
        has_pseudonyms=export.has_pseudonyms,
        made_at=export.created_at,
        made_by=names.person(export.created_by_id) or "",
        site_version=settings.VERSION,
        audit_head=audit_head,
    )


def _audit_head(project: Project) -> AuditHead | None:
    chain = Chain.objects.filter(project=project).first()
    return AuditHead(chain.seq, chain.mac) if chain else None


def _list_versions(project: Project, subject: Subject) -> set[int]:
    """Every version that judged anything in the subject."""
    iterations, games = iterations_of(project, subject), games_of(project, subject)
    measured = Measured.objects.filter(game__in=games).order_by()
    return {
        *iterations.values_list("rubric_version", flat=True),
        *measured.values_list("rubric_version", flat=True).distinct(),
        *sets_of(project, subject).values_list("rubric_version", flat=True),
    }


def _stage(row: Stage, names: Names) -> ExportedStage:
    return ExportedStage(
        number=row.number,
        name=row.name,
        goal=row.goal,
        streak_unit=row.streak_unit,
        engagement_rule=row.engagement_rule,
        created_at=row.created_at,
        created_by=names.person(row.created_by_id),
        stated_at=row.stated_at,
        stated_by=names.person(row.stated_by_id),
        statement=row.statement,
        closed_at=row.closed_at,
        closed_by=names.person(row.closed_by_id),
        door=Raw(row.door or "null"),
        override_reason=row.override_reason,
    )


def _iteration(row: Iteration, names: Names) -> ExportedIteration:
    decisions = Decision.objects.filter(iteration=row).select_related("compared_with").order_by("number")
    return ExportedIteration(
        number=row.number,
        stage=row.stage.number if row.stage else None,
        stage_name=row.stage.name if row.stage else "",
        name=row.name,
        iteration_kind=row.kind,
        state=row.state,
        rubric_version=get_version_name(row.rubric_version),
        evaluator_count=row.evaluator_count,
        reveal=row.reveal,
        identification=row.identification,
        prompt=row.prompt,
        prompt_sha256=row.prompt_sha256,
        compared_with=row.compared_with.number if row.compared_with else None,
        baseline=row.baseline.number if row.baseline else None,
        replay_of=row.replay_of.number if row.replay_of else None,
        target=row.target,
        material=Raw(row.material),
        change_note=row.change_note,
        hunk_count=row.hunk_count,
        hunks_answer=row.hunks_answer,
        least_games=row.least_games,
        created_at=row.created_at,
        created_by=names.person(row.created_by_id),
        opened_at=row.opened_at,
        opened_by=names.person(row.opened_by_id),
        decisions=[_decision(decision, names) for decision in decisions],
    )


def _decision(row: Decision, names: Names) -> ExportedDecision:
    return ExportedDecision(
        number=row.number,
        compared_with=row.compared_with.number,
        look=row.look,
        choice=row.choice,
        reason=row.reason,
        proposal=Raw(row.proposal),
        basis=Raw(row.basis),
        basis_sha256=row.basis_sha256,
        at=row.created_at,
        by=names.person(row.created_by_id),
    )


def _own_evaluations(export: Export, names: Names) -> Iterator[OwnEvaluation]:
    """The owner's own evaluations, each with as much of the game as its own page shows."""
    person = export.created_by
    rows = Evaluation.objects.visible_to(person).filter(game__project=export.project).with_work()
    rows = rows.order_by("pk")
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:_OWN_BATCH]):
        last = batch[-1].pk
        keys = [evaluation.pk for evaluation in batch]
        judgements, remarks = load_judgements(keys, names), _own_remarks(keys)
        moments = {
            key: moments
            for key, *moments in Evaluation.objects.filter(pk__in=keys).values_list(
                "pk", "created_at", "submitted_at"
            )
        }
        for evaluation in batch:
            yield fill(
                OwnEvaluation,
                evaluation.pk,
                evaluation.game_number,
                names.person(person.pk),
                evaluation.state,
                *moments[evaluation.pk],
                evaluation.returned_comment,
                judgements.get(evaluation.pk, []),
                remarks.get(evaluation.pk, []),
                _own_game(evaluation, person),
            )


def _own_game(evaluation: Evaluation, person: Person) -> OwnGame | None:
    """The game as the evaluator sees it blind; None where it is closed to them, or was paused."""
    if evaluation.state not in (*OPEN, SUBMITTED):
        return None
    evaluation.evaluator = person
    state = load_state(evaluation)
    if not state.visibility.transcript:
        return None
    return OwnGame(state.seen.players, state.seen.messages, state.seen.votes)


def _own_remarks(evaluations: list[int]) -> dict[int, list[OwnRemark]]:
    found: dict[int, list[OwnRemark]] = {}
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, *values in rows.values_list("evaluation", "kind", "target", "text", "created_at"):
        found.setdefault(evaluation, []).append(fill(OwnRemark, *values))
    return found
