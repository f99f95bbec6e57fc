"""Who works with judges: leads and admins. Evaluators see nothing of them."""

from django.conf import settings
from django.utils.translation import gettext as _

from discussions.models import Judge
from rubric.model_reviewers.queries import is_callable
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_judges(person: Person, project: Project) -> None:
    check_leads(person, project, _("Only team leads of this project work with its judges. Ask one of them."))


def check_use_judge(person: Person, judge: Judge) -> None:
    """New prompts, calls and answers: not for a judge that is suspended or ended."""
    check_judges(person, judge.project)
    if judge.ended_at is not None:
        raise NotAllowed(_("This judge was ended. Add it again with another prompt or other parameters."))
    if judge.suspended_at is not None:
        raise NotAllowed(_("This judge is suspended. Resume it first."))


def check_call_judge(person: Person, judge: Judge) -> None:
    check_use_judge(person, judge)
    if not judge.is_called:
        raise NotAllowed(_("The answers of this judge are pasted or uploaded."))
    if not is_callable(judge.model):
        raise NotAllowed(
            _("This site may not call %(model)s. An admin allows it in REVIEW_MODELS, or upload its answers.")
            % {"model": judge.model}
        )
    if judge.budget_usd is not None and judge.model not in settings.REVIEW_PRICES:
        says = _(
            "The judge has a budget, but no price is known for %(model)s. An admin sets it in REVIEW_PRICES."
        )
        raise NotAllowed(says % {"model": judge.model})
