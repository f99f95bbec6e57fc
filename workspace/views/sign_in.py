"""Signing in and out."""

import json

from allauth.account.forms import LoginForm
from allauth.account.views import LoginView
from django.contrib.auth import logout
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext_lazy as _

from workspace.views.gate import is_htmx, needs


class SignInForm(LoginForm):
    """E-mail and password; allauth checks and counts them."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("E-mail")
        self.fields["login"].widget.attrs = {"autocomplete": "username", "autofocus": True}
        self.fields["password"].label = _("Password")
        self.fields["password"].help_text = ""
        self.fields["password"].widget.attrs = {"autocomplete": "current-password"}


class SignIn(LoginView):
    """The sign-in page, and the same form in the dialog that opens in place when a sign-in has run out."""

    form_class = SignInForm
    template_name = "workspace/sign_in.html"

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Signed in: on to the page; the dialog closes and hands the page its new token."""
        answer = super().form_valid(form)
        if not is_htmx(self.request) or not self.request.user.is_authenticated:
            return answer
        region = render(self.request, "workspace/_signed_in.html")
        region["HX-Trigger"] = json.dumps({"signed-in": {"csrfToken": get_token(self.request)}})
        return region

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """Not signed in: the same form with what is wrong, nothing else told."""
        template = "workspace/_sign_in_dialog.html" if is_htmx(self.request) else self.template_name
        return render(self.request, template, self.get_context_data(form=form), status=422)


sign_in = needs("anyone", methods=("GET", "POST"))(SignIn.as_view())


@needs("anyone", methods=("POST",))
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session, here and on the server."""
    logout(request)
    return HttpResponseRedirect(resolve_url("account_login"), status=303)
