"""Forms of categories: a code on a message or game, and what is done with a category."""

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.agents.actions import LONGEST_NAME, MERGE, REMOVE, RENAME, RESTORE
from discussions.models import Category
from workspace.models import Project


class CodingForm(forms.Form):
    game = forms.IntegerField(label=_("Game"), min_value=1)
    message = forms.IntegerField(
        label=_("Message"), min_value=1, required=False, help_text=_("Empty: the whole game.")
    )
    name = forms.CharField(
        label=_("Category"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"list": "category-names", "autocomplete": "off"}),
    )


class FoundForm(forms.Form):
    """A name for all that a search finds; the other fields are those of its address."""

    name = CodingForm.base_fields["name"]

    def __init__(self, *args: object, searched: Iterable[str], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        for name in searched:
            self.fields[name] = forms.CharField(required=False, strip=False)


class CategoryForm(forms.Form):
    do = forms.ChoiceField(choices=[(do, do) for do in (RENAME, MERGE, REMOVE, RESTORE)])
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, required=False)
    into = forms.ModelChoiceField(label=_("Into"), queryset=Category.objects.none(), required=False)

    def __init__(self, *args: object, project: Project, **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["into"].queryset = Category.objects.filter(project=project, end=None)  # type: ignore[attr-defined]
