"""Who may open an iteration."""

from django.utils.translation import gettext as _

from discussions.core.evaluation_states import OPEN
from discussions.iterations.permissions import check_stage_open
from discussions.models import Evaluation, Game, Iteration, Stage
from discussions.models.slots import RATING
from rubric.models import RubricVersion
from rubric.models.rubrics import PUBLISHED
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_open_iteration(person: Person, stage: Stage) -> None:
    """Only leads of the project and admins open iterations, while the stage is not closed."""
    check_leads(
        person, stage.project, _("Only team leads of this project create iterations. Ask one of them.")
    )
    check_stage_open(stage)


MOST_GAMES = 100


def check_change_version(person: Person, iteration: Iteration) -> None:
    """Leads of the project and admins, for an iteration of a stage in which nobody rates at this moment."""
    sentence = _(
        "Only team leads of this project move its iterations to another rubric version. Ask one of them."
    )
    check_leads(person, iteration.project, sentence)
    if iteration.is_unsorted:
        raise NotAllowed(
            _("Unsorted games belong to no iteration. Move them into one first."), code="unsorted"
        )
    games = Game.objects.filter(iteration=iteration)
    if (count := games.count()) > MOST_GAMES:
        says = _(
            "Iteration %(number)d has %(count)d games. An iteration of more than %(most)d games cannot be moved."
        )
        given = {"number": iteration.number, "count": count, "most": MOST_GAMES}
        raise NotAllowed(says % given, code="too_many")
    working = Evaluation.objects.filter(game__in=games, purpose=RATING, state__in=OPEN)
    if count := working.count():
        says = _(
            "Evaluations of this iteration's games that are not submitted yet: %(count)d. Wait until they are "
            "submitted, or release the slots. Then move the iteration."
        )
        raise NotAllowed(says % {"count": count}, code="being_rated")


def check_measure_again(person: Person, project: Project) -> None:
    """Leads of the project and admins: the automatic scores of games without a verdict may change."""
    sentence = _("Only team leads of this project measure its games again. Ask one of them.")
    check_leads(person, project, sentence)


def check_newer(iteration: Iteration, version: RubricVersion) -> None:
    """Whether the version is a published one of the same rubric, newer than the iteration's."""
    own = iteration.rubric_version
    is_newer = version.rubric_id == own.rubric_id and version.pk > own.pk
    if version.state != PUBLISHED or not is_newer:
        says = _("Choose a published version of the same rubric that is newer than %(own)s.")
        raise NotAllowed(says % {"own": own}, code="not_newer")
