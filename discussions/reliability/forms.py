"""The form that asks for statistics."""

from django import forms

from discussions.reliability.queries import KINDS


class TeamKindForm(forms.Form):
    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
