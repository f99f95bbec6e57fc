"""The form of a button that sends nothing else, and how Django draws the fields of forms."""

from typing import Any

from django import forms
from django.forms.renderers import DjangoTemplates

from workspace.markup import plain

CHOICES = ("select", "radio", "checkbox_select")


class NothingForm(forms.Form):
    pass


class PlainChoices(DjangoTemplates):
    """Names hidden characters in choices, many of which are names that people gave; what they typed stays as it is."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        drawn: str = super().render(template_name, context, request)
        is_choice = template_name in [f"django/forms/widgets/{name}.html" for name in CHOICES]
        return plain(drawn) if is_choice else drawn
