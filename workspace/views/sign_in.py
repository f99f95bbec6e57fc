"""Signing in and out."""

from allauth.account.forms import LoginForm
from allauth.account.stages import LoginStage
from allauth.account.views import LoginView
from django.contrib.auth import logout
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext_lazy as _

from workspace.views.gate import is_htmx, needs, sign_in_first, signed_in, ways_in
from workspace.views.second_step import ask_for_code


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

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        """The form, the other way in where there is one, and whether an account was made by an invitation just now."""
        is_new = self.request.GET.get("account") == "made"
        return super().get_context_data(**kwargs) | ways_in() | {"is_new": is_new}

    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """The form, also for somebody who gave the password and not yet the code: they may begin anew."""
        if is_htmx(request):
            return sign_in_first(request, anew=True, status=200)
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """On to the page, or to the second step; in the dialog the same without leaving what was typed."""
        answer = super().form_valid(form)
        if not is_htmx(self.request):
            return answer
        return signed_in(self.request) if self.request.user.is_authenticated else ask_for_code(self.request)

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """Not signed in: the same form with what is wrong, nothing else told."""
        template = "workspace/_sign_in_dialog.html" if is_htmx(self.request) else self.template_name
        return render(self.request, template, self.get_context_data(form=form), status=422)

    def _redirect_to_pending_stage(self, request: HttpRequest, stage: LoginStage) -> None:
        """No way back to the second step from here, see `get`."""


_sign_in = SignIn.as_view()


@needs("anyone", methods=("GET", "POST"))
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in; a page that signed in by another tab meanwhile is given its new token."""
    if is_htmx(request) and request.user.is_authenticated:
        return signed_in(request)
    return _sign_in(request)


@needs("anyone", methods=("POST",))
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session, here and on the server."""
    logout(request)
    return HttpResponseRedirect(resolve_url("account_login"), status=303)
