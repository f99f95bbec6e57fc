"""The rules of an iteration that a lead changes."""

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.models.iterations import QUESTION, TEST


class IterationForm(forms.Form):
    """How evaluators are asked who said what."""

    identification = forms.ChoiceField(
        label=_("Who said it"),
        choices=(
            (QUESTION, _("a question beside the transcript: could I identify this agent by its language?")),
            (TEST, _("a test before the transcript opens: unseen messages are given to agents")),
        ),
        help_text=_("For games taken from now on; whoever has begun keeps the form they began with."),
    )
