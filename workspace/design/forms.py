"""The form that shows every kind of field."""

from django import forms
from django.utils.translation import gettext_lazy as _


class SampleForm(forms.Form):
    name = forms.CharField(label=_("Text"), help_text=_("What the field is for."))
    kind = forms.ChoiceField(label=_("Choice"), choices=(("a", _("First")), ("b", _("Second"))))
    text = forms.CharField(label=_("Long text"), widget=forms.Textarea(attrs={"rows": 3}))
    count = forms.IntegerField(label=_("Number with a fault"))
    is_on = forms.BooleanField(label=_("Yes or no"), required=False)

    def clean(self) -> None:
        self.add_error(None, _("What is wrong with the whole form."))
