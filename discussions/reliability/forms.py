"""Which figures of a team are asked for."""

from django import forms

from discussions.reliability.queries import KINDS


class TeamKindForm(forms.Form):
    """The page that asks for figures, to which the answer leads back."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
