"""Forms of access tokens and service accounts; the actions judge the values."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.authentication.forms import proof_field
from workspace.models import Project
from workspace.people.forms import ROLE_CHOICES
from workspace.tokens.core import ADMIN, DEFAULT_DAYS, IMPORT, LONGEST_TOKEN_NAME, MOST_DAYS, RATE, READ

SCOPE_CHOICES = (
    (READ, _("read: see what you see on the site")),
    (IMPORT, _("import: upload transcripts, comparisons and answers of reviewers")),
    (RATE, _("rate: work on your own evaluations")),
    (ADMIN, _("admin: record verdicts, run iterations, read the audit log, manage webhooks")),
)


class TokenForm(forms.Form):
    """A new access token; and, unless the person has just signed in, a proof of identity."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_TOKEN_NAME,
        help_text=_("The program that will use it, such as “nightly import”."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        choices=SCOPE_CHOICES,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one scope.")},
    )
    days = forms.IntegerField(
        label=_("Days until it ends"), min_value=1, max_value=MOST_DAYS, initial=DEFAULT_DAYS
    )
    proof = proof_field()

    def __init__(self, *args: Any, asks_proof: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks_proof:
            del self.fields["proof"]


class ServiceAccountForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("The pipeline, such as “Mafia pipeline”.")
    )
    project = forms.ModelChoiceField(label=_("Project"), queryset=Project.objects.none())
    role = forms.ChoiceField(label=_("Role"), choices=ROLE_CHOICES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["project"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Project.objects.order_by("name")
