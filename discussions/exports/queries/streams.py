"""Everything that one export holds, as a stream of lines: all of a project or a part of it, or one's own work."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.exports.queries import lines
from discussions.exports.queries.lines import ExportNames
from discussions.iterations.queries import count_erased
from discussions.models import Evaluation, Game, Iteration, Judge, Measured, Stage
from discussions.queries import list_batches as list_game_batches
from discussions.rating.queries import load_state
from rubric.exports.queries import VERSIONS, stream_own_reviews, stream_set
from rubric.models import Comparison, ComparisonSet, Review
from workspace.exports.core import choices
from workspace.exports.queries import Line, list_batches
from workspace.models import Chain, Export, Person, Project

FORMAT = 1
_OWN_BATCH = 50
_BATCH = 200


def read_subject(export: Export) -> choices.ExportSubject:
    return choices.parse_subject(export.subject) or choices.ExportSubject(choices.PROJECT)


# How rows of a model are found by the number in a subject; for several games, what of these names the row.
_PATHS: dict[Any, dict[str, str]] = {
    Stage: {
        choices.STAGE: "number",
        choices.ITERATION: "iterations__number",
        choices.GAME: "iterations__games__number",
        choices.GAMES: "iteration__stage",
    },
    Iteration: {
        choices.STAGE: "stage__number",
        choices.ITERATION: "number",
        choices.GAME: "games__number",
        choices.GAMES: "iteration",
    },
    Game: {
        choices.STAGE: "iteration__stage__number",
        choices.ITERATION: "iteration__number",
        choices.GAME: "number",
        choices.GAMES: "pk",
    },
    ComparisonSet: {choices.SET: "number"},
}


def rows_in(model: Any, project: Project, subject: choices.ExportSubject) -> "QuerySet[Any]":
    """The rows of the model that belong to the subject: all for a project, none where it has no such rows."""
    rows = model.objects.filter(project=project).order_by("pk")
    if subject.kind == choices.PROJECT:
        return rows
    path = _PATHS[model].get(subject.kind)
    if path is None:
        return rows.none()
    if subject.kind == choices.GAMES:
        games = Game.objects.filter(project=project, number__in=subject.numbers).order_by()
        return rows.filter(pk__in=games.values(path))
    return rows.filter(**{path: subject.number})


def count_items(export: Export) -> int:
    """Roughly how many lines the stream has, for its progress."""
    project, subject = export.project, read_subject(export)
    if not export.is_unblinded:
        own = Evaluation.objects.visible_to(export.created_by).filter(game__project=project).count()
        reviews = Review.objects.visible_to(export.created_by).filter(reviewer__set__project=project).count()
        return own + reviews
    comparisons = Comparison.objects.filter(set__in=rows_in(ComparisonSet, project, subject)).count()
    return rows_in(Game, project, subject).count() + comparisons


def stream_export(export: Export, *, why_left_out: Callable[[ComparisonSet], str]) -> Iterator[Line]:
    """Every line of the export but the last: all of the subject, or its owner's own work in the project.

    `why_left_out` says for a set why the owner may not see its reviews and authors, "" where they may.
    """
    names = ExportNames(export)
    yield _head(export, names)
    if not export.is_unblinded:
        yield from _own_evaluations(export, names)
        yield from stream_own_reviews(export.project, export.created_by, names)
        return
    project, subject = export.project, read_subject(export)
    yield from VERSIONS.stream([_list_versions(project, subject)], names)
    yield from lines.STAGES.stream(list_batches(rows_in(Stage, project, subject), _BATCH), names)
    if subject.kind == choices.PROJECT:
        yield from lines.JUDGES.stream(list_batches(rows_in(Judge, project, subject), _BATCH), names)
    erased = count_erased(project=project)
    for line in lines.ITERATIONS.stream(list_batches(rows_in(Iteration, project, subject), _BATCH), names):
        yield line | {"erased_games": erased.get(line["number"], 0)}
    left_out = frozenset[str]() if export.format == choices.JSONL else frozenset({"findings"})
    yield from lines.GAMES.stream(list_game_batches(rows_in(Game, project, subject)), names, left_out)
    for row in rows_in(ComparisonSet, project, subject).select_related("project"):
        yield from stream_set(row, left_out=why_left_out(row), names=names)


def _head(export: Export, names: ExportNames) -> Line:
    """The first line: what the file holds, made by whom and when, with which version of the site.

    `audit_head` is the end of the project's audit chain: with it, `verify` detects a log that was cut or changed since.
    Owners of their own work alone may not see it.
    """
    chains = Chain.objects.filter(project=export.project) if export.is_unblinded else Chain.objects.none()
    return {
        "kind": "export",
        "format": FORMAT,
        "project": export.project.slug,
        "project_name": export.project.name,
        "subject": export.subject,
        "holds": "everything" if export.is_unblinded else "own work",
        "has_pseudonyms": export.has_pseudonyms,
        "made_at": export.created_at,
        "made_by": names.person(export.created_by_id) or "",
        "site_version": settings.VERSION,
        "audit_head": chains.values("seq", "mac").first(),
    }


def _list_versions(project: Project, subject: choices.ExportSubject) -> set[int]:
    iterations, games = rows_in(Iteration, project, subject), rows_in(Game, project, subject)
    measured = Measured.objects.filter(game__in=games).order_by()
    return {
        *iterations.values_list("rubric_version", flat=True),
        *measured.values_list("rubric_version", flat=True).distinct(),
        *rows_in(ComparisonSet, project, subject).values_list("rubric_version", flat=True),
    }


def _own_evaluations(export: Export, names: ExportNames) -> Iterator[Line]:
    """The owner's own evaluations, each with as much of the game as its own page shows."""
    person = export.created_by
    rows = Evaluation.objects.visible_to(person).filter(game__project=export.project)
    for keys in list_batches(rows, _OWN_BATCH):
        evaluations = Evaluation.objects.with_work().filter(pk__in=keys).order_by("pk")
        for evaluation, line in zip(evaluations, lines.OWN_EVALUATIONS.stream([keys], names), strict=True):
            yield {**line, "game": evaluation.game_number, "transcript": _own_game(evaluation, person)}


def _own_game(evaluation: Evaluation, person: Person) -> Line | None:
    """The game as the evaluator sees it blind; None where it is closed to them, or was paused."""
    if evaluation.state not in (*OPEN, SUBMITTED):
        return None
    evaluation.evaluator = person
    state = load_state(evaluation)
    if not state.visibility.transcript:
        return None
    return {"players": state.seen.players, "messages": state.seen.messages, "votes": state.seen.votes}
