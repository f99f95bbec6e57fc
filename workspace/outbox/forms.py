"""Forms of webhooks and notifications; the actions judge the values."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from workspace.outbox.core import LONGEST_URL, LONGEST_WEBHOOK_NAME
from workspace.outbox.labels import DIGEST_CHOICES, EVENT_CHOICES, KIND_LABELS


class WebhookForm(forms.Form):
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
    has_scores = forms.BooleanField(
        label=_("With scores"),
        required=False,
        help_text=_("Messages of game.measured and verdict.recorded hold the game's scores."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.OTLP_LOGS_URL:
            says = _("To %(url)s scores go as OpenTelemetry events.") % {"url": settings.OTLP_LOGS_URL}
            self.fields["url"].help_text = f"{self.fields['url'].help_text} {says}"


class WebhookChangeForm(WebhookForm):
    is_active = forms.BooleanField(
        label=_("Active"),
        required=False,
        help_text=_("Inactive: its events are not stored, and waiting messages are not sent."),
    )


class ReadUntilForm(forms.Form):
    until = forms.IntegerField(min_value=0, max_value=2**53)


class NotificationSettingsForm(forms.Form):
    shown = forms.MultipleChoiceField(
        label=_("In the app"), required=False, widget=forms.CheckboxSelectMultiple
    )
    mailed = forms.MultipleChoiceField(
        label=_("By e-mail"), required=False, widget=forms.CheckboxSelectMultiple
    )
    digest = forms.ChoiceField(label=_("E-mails are sent"), choices=DIGEST_CHOICES, widget=forms.RadioSelect)

    def __init__(
        self, *args: object, kinds: Sequence[str] = (), sends_email: bool = True, **kwargs: object
    ) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        if not sends_email:
            del self.fields["mailed"], self.fields["digest"]
        choices = [(kind, KIND_LABELS[kind]) for kind in kinds]
        for name in {"shown", "mailed"} & set(self.fields):
            self.fields[name].choices = choices  # type: ignore[attr-defined]
