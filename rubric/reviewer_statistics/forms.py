"""Forms of the statistics pages: which figures to compute, and which fitted weights to adopt."""

from django import forms

from rubric.reviewer_statistics.core.figure_kinds import KINDS


class KindForm(forms.Form):
    """The kind of figures to compute; it also names the page to redirect to."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])


class AdoptForm(forms.Form):
    """Which fit to adopt; `basis` is the hash of the input of the figures that the person saw."""

    target = forms.ChoiceField(choices=[("holistic", "holistic"), ("preferences", "preferences")])
    basis = forms.CharField(max_length=64)
