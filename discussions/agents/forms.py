"""Forms of categories: a code on a message or game, and what is done with a category."""

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.models import Category
from workspace.models import Project

RENAME, MERGE, REMOVE = "rename", "merge", "remove"


class CodeForm(forms.Form):
    game = forms.IntegerField(label=_("Game"), min_value=1)
    message = forms.IntegerField(
        label=_("Message"), min_value=1, required=False, help_text=_("Empty: the whole game.")
    )
    name = forms.CharField(
        label=_("Category"),
        max_length=80,
        widget=forms.TextInput(attrs={"list": "category-names", "autocomplete": "off"}),
    )


class CategoryForm(forms.Form):
    do = forms.ChoiceField(choices=[(do, do) for do in (RENAME, MERGE, REMOVE)])
    name = forms.CharField(label=_("Name"), max_length=80, required=False)
    into = forms.ModelChoiceField(label=_("Into"), queryset=Category.objects.none(), required=False)

    def __init__(self, *args: object, project: Project, **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["into"].queryset = Category.objects.filter(project=project, end=None)  # type: ignore[attr-defined]
