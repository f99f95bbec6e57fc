"""Forms of webhooks; the actions judge the values."""

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.webhooks.core import LONGEST_URL, LONGEST_WEBHOOK_NAME
from workspace.webhooks.labels import EVENT_CHOICES


class WebhookForm(forms.Form):
    """A new webhook."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_WEBHOOK_NAME,
        help_text=_("The program that listens, such as “training pipeline”."),
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        help_text=_("Messages are sent to it by POST, such as https://ci.example.org/evalsite."),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"), choices=EVENT_CHOICES, widget=forms.CheckboxSelectMultiple
    )


class WebhookChangeForm(WebhookForm):
    """New values for a webhook."""

    is_active = forms.BooleanField(
        label=_("Active"),
        required=False,
        help_text=_("Inactive: its events are not stored, and waiting messages are not sent."),
    )
