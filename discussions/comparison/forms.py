"""The form of a decision on a change."""

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from rubric.versions.forms import ParagraphField


class DecisionForm(forms.Form):
    basis_sha256 = forms.RegexField(r"\A[0-9a-f]{64}\Z", widget=forms.HiddenInput)
    choice = forms.ChoiceField(
        label=_("Decision"),
        choices=(
            (KEEP, _("Keep: the next change builds on this prompt")),
            (REVERT, _("Revert: the next change builds on the earlier prompt")),
            (INCONCLUSIVE, _("Inconclusive: nobody can tell, the earlier prompt stays")),
        ),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose keep, revert or inconclusive.")},
    )
    # Where the page goes from there: further games of this prompt are planned, with another target if one is given.
    then = forms.ChoiceField(choices=(("again", ""),), required=False, widget=forms.HiddenInput)
    target = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    reason = ParagraphField(label=_("Reason"), help_text=_("Why, briefly; kept with the decision."))
