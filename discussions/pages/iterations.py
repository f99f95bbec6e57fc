"""The rules under which a project's unsorted games are judged."""

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.moves import OPEN
from discussions.models import Evaluation, Iteration
from discussions.models.iterations import ALONGSIDE, BLIND_FIRST, NEVER


class IterationPage(Struct, frozen=True):
    """One iteration's rules in words; `begun_count` counts the evaluations that keep the form they began with."""

    slug: str
    name: str
    evaluator_count: int
    reveal: str
    rubric: str
    rubric_key: str
    rubric_number: str
    identification: str
    begun_count: int


def build_iteration_page(*, iteration: Iteration) -> IterationPage:
    """The page of an iteration that was fetched with its project and rubric version."""
    reveals = {
        BLIND_FIRST: _("blind first: findings are shown once a person has judged for themselves"),
        ALONGSIDE: _("alongside: findings are shown from the start"),
        NEVER: _("never: findings are shown once a verdict is recorded"),
    }
    version = iteration.rubric_version
    begun = Evaluation.objects.filter(game__iteration=iteration, state__in=OPEN)
    return IterationPage(
        slug=iteration.project.slug,
        name=iteration.project.name,
        evaluator_count=iteration.evaluator_count,
        reveal=reveals[iteration.reveal],
        rubric=str(version),
        rubric_key=version.rubric.key,
        rubric_number=version.number,
        identification=iteration.identification,
        begun_count=begun.exclude(identification=iteration.identification).count(),
    )
