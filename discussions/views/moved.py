"""What a form is answered when the thing that it is about moved meanwhile: the same page, with everything typed."""

from django.forms import BaseForm

from workspace.core.refusals import NotAllowed, Refusal
from workspace.views.bodies import fault_of


def kept_status(form: BaseForm, refusal: Refusal) -> int:
    """Put a refusal into the form and give the status to answer with; what is not about the form is raised on.

    As `fault_of`, and also for a refusal that is about the state of the thing and not about the person: those carry a
    code of their own. What was typed while it could still be done is then not lost.
    """
    if isinstance(refusal, NotAllowed) and refusal.code != NotAllowed.default_code:
        form.add_error(None, refusal.sentence)
        return refusal.status
    return fault_of(form, refusal)
