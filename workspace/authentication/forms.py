"""Forms of the sign-in and of second factors: password, code, proof of identity, reason."""

from allauth.account.forms import LoginForm
from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_CODE, LONGEST_PROOF = 30, 257


def proof_field() -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
    label = _("Your password, or a code")
    return forms.CharField(label=label, max_length=LONGEST_PROOF, strip=False, widget=widget)


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=LONGEST_CODE,
        help_text=_("The 6 digits that your authenticator app shows, or one of your recovery codes."),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


class SetUpForm(forms.Form):
    """The first code of a new app; and, unless the person has just signed in, a proof of identity."""

    code = forms.CharField(
        label=_("Code"),
        max_length=LONGEST_CODE,
        help_text=_("The 6 digits that the app shows now."),
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
    proof = proof_field()
    next = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def __init__(
        self, *args: object, asks_proof: bool = True, has_one: bool = False, **kwargs: object
    ) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        if not asks_proof:
            del self.fields["proof"]
        else:
            both = _("Your password, or a code of your present device")
            self.fields["proof"].label = both if has_one else _("Your password")


class ProofForm(forms.Form):
    """The proof that it is still the person who signed in."""

    proof = proof_field()


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), max_length=500, help_text=_("It goes into the audit log of accounts.")
    )


class SignInForm(LoginForm):
    """E-mail and password; allauth checks and counts them."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("E-mail")
        self.fields["login"].widget.attrs = {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = _("Password")
        self.fields["password"].help_text = ""
        self.fields["password"].widget.attrs = {"autocomplete": "current-password"}
