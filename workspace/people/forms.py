"""Forms of accounts, members and invitations: strings to typed values; the actions judge the values."""

from typing import Any

from allauth.account.forms import ResetPasswordForm as AllauthResetForm
from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from workspace.models.people import time_zones
from workspace.people.actions.projects import MOST_MEGABYTES
from workspace.people.labels import ACTS, DEFAULTS, find_key_faults
from workspace.people.queries import propose_slug

HARD_TO_GUESS = _("12 characters or more; several words are easy to remember and hard to guess.")
ROLE_CHOICES = (("evaluator", _("evaluator")), ("lead", _("team lead")))


def _own_name() -> forms.CharField:
    return forms.CharField(
        label=_("Your name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


def _new_password(label: Any, says: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
    return forms.CharField(label=label, max_length=256, strip=False, help_text=says, widget=widget)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=ROLE_CHOICES)


class AdminInvitationForm(forms.Form):
    email = forms.CharField(label=_("E-mail"), max_length=200, widget=forms.EmailInput)
    send = forms.BooleanField(label=_("Send the invitation by e-mail"), required=False)


class EmailForm(forms.Form):
    email = forms.CharField(label=_("New e-mail address"), max_length=200, widget=forms.EmailInput)
    reason = forms.CharField(label=_("Reason"), max_length=500)


class MemberForm(AdminInvitationForm, RoleForm):
    field_order = ("email", "role", "send")


class AcceptForm(forms.Form):
    name = _own_name()
    password = _new_password(_("Password"), HARD_TO_GUESS)


class JoinForm(forms.Form):
    """Accepting an invitation with an existing account: nothing to fill in."""


class SettingsForm(forms.Form):
    name = _own_name()
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False)
    has_single_keys = forms.BooleanField(
        label=_("Keyboard shortcuts act on the page where I rate"),
        required=False,
        help_text=_("Deactivate this if you use speech input or press keys by accident."),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        zones = [(zone, zone.replace("_", " ")) for zone in time_zones()]
        field = self.fields["time_zone"]
        field.choices = [("", _("The browser's")), *zones]  # type: ignore[attr-defined]
        shown_in = gettext("Times are shown in %(zone)s now.")
        field.help_text = shown_in % {"zone": timezone.get_current_timezone_name()}


class KeysForm(forms.Form):
    """One field for each act of the pages where one rates; an empty one, or all by `defaults`, takes the default."""

    defaults = forms.BooleanField(label=_("Reset to defaults"), required=False)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        attrs = {"class": "input small", "size": "2", "autocomplete": "off", "autocapitalize": "off"}
        for name, (_key, label, _where) in ACTS.items():
            widget = forms.TextInput(attrs=attrs)
            self.fields[name] = forms.CharField(label=label, max_length=9, required=False, widget=widget)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given.pop("defaults", False):
            return {}
        chosen = {name: key.lower() for name, key in given.items() if key}
        for name, fault in find_key_faults(DEFAULTS | chosen).items():
            self.add_error(name, fault)
        return chosen


class PasswordForm(forms.Form):
    old = forms.CharField(
        label=_("Present password"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    password = _new_password(
        _("New password"), _("12 characters or more. All other sign-ins of your account end.")
    )


class ChosenPasswordForm(forms.Form):
    password = _new_password(_("New password"), HARD_TO_GUESS)


class ForgottenPasswordForm(AllauthResetForm):
    """The address of a person who forgot the password; allauth finds the account and makes the link."""

    email = forms.EmailField(
        label=_("E-mail"),
        max_length=200,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )


class ResetPasswordForm(ChosenPasswordForm):
    """A password chosen by a link in an e-mail; allauth's view passes the person and the key."""

    def __init__(self, *args: object, user: object = None, temp_key: str = "", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(
        label=_("Theme"), choices=(("auto", _("system")), ("light", _("light")), ("dark", _("dark")))
    )
    next = forms.CharField(required=False, max_length=2000)


class ProjectForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        required=False,
        help_text=_("Small letters, digits and hyphens; it becomes part of every address and stays."),
    )

    def clean(self) -> dict[str, Any]:
        """Without a short name, put one that is made from the name into the field, to be checked."""
        given = self.cleaned_data
        if given.get("name") and given.get("slug") == "":
            proposed = propose_slug(given["name"])
            self.data = (
                {**self.data.dict(), "slug": proposed} if isinstance(self.data, QueryDict) else self.data
            )
            says = _("It was made from the name. It stays, so check it, then press “Create project” again.")
            self.add_error("slug", says if proposed else _("Write a short name, such as mafia-2026."))
        return given


class StorageLimitForm(forms.Form):
    megabytes = forms.IntegerField(
        label=_("Storage limit of this project, in MB"),
        required=False,
        min_value=1,
        max_value=MOST_MEGABYTES,
        help_text=_(
            "Empty: as much as other projects. A project that holds more keeps it, and takes nothing new."
        ),
    )
