"""Who searches in messages, and by what."""

from django.utils.translation import gettext as _

from workspace.access.permissions import may_lead, role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person, Project


def check_search_messages(person: Person, project: Project) -> None:
    """Leads and admins search in all games, evaluators in those that they rated and do not judge now."""
    if role_in(person, project) is None:
        raise NotAllowed(_("Only people of this project search in its messages."))


def check_filter_unblinded(person: Person, project: Project, asked: list[str]) -> None:
    """Roles, models, iterations and judgements are for leads: who rates must not learn them from what is found."""
    if any(asked) and not may_lead(person, project):
        says = _(
            "Only team leads search by role, model, iteration or judgement: who rates must not know them."
        )
        raise NotAllowed(says)
