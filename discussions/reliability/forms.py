"""The form that asks for statistics."""

from django import forms

from discussions.reliability.queries import KINDS


class TeamKindForm(forms.Form):
    """The page to return to."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
