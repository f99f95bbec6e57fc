"""Who writes below a flag and resolves it."""

from django.utils.translation import gettext as _

from discussions.models import Remark
from workspace.access.permissions import role_in
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_answer_flag(person: Person, flag: Remark) -> None:
    """The evaluator who set the flag, while in the project, and the leads of the project."""
    role = role_in(person, flag.evaluation.game.project)
    if role not in ("admin", "lead") and (role is None or flag.evaluation.evaluator_id != person.pk):
        raise NotAllowed(_("Only team leads and the evaluator who set this flag answer it."))
