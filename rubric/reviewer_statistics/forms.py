"""Forms of the statistics pages: which figures are asked for, and which fitted weights are adopted."""

from django import forms

from rubric.reviewer_statistics.core.figure_kinds import KINDS


class KindForm(forms.Form):
    """The page that asks for figures, to which the answer leads back."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])


class AdoptForm(forms.Form):
    """Which fit is adopted; `basis` is the hash of what the figures that were looked at come from."""

    target = forms.ChoiceField(choices=[("holistic", "holistic"), ("preferences", "preferences")])
    basis = forms.CharField(max_length=64)
