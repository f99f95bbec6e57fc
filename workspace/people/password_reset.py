"""A new password by e-mail: allauth's views and tokens, with our pages, password rules and audit lines.

Without a mail server these pages do not exist. The answers do not reveal whether an account has the address.
"""

from typing import cast

from allauth.account.views import PasswordResetDoneView, PasswordResetFromKeyView, PasswordResetView
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.outbox.queries import sends_email
from workspace.people.actions.people import choose_password
from workspace.people.forms import ForgottenPasswordForm, ResetPasswordForm
from workspace.web.bind_form import add_refusal
from workspace.web.views import require


class ForgottenPassword(PasswordResetView):
    form_class = ForgottenPasswordForm
    template_name = "workspace/people/password_forgotten.html"

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """The same form with the faults of the address itself."""
        return self.render_to_response(self.get_context_data(form=form), status=422)


class LinkSent(PasswordResetDoneView):
    """The page shown to everybody who asked."""

    template_name = "workspace/people/password_link_sent.html"


class ResetPassword(PasswordResetFromKeyView):
    """The page that the link leads to: its secret is moved from the address to the session."""

    form_class = ResetPasswordForm
    template_name = "workspace/people/password_reset.html"

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Set the password by our rules; all sign-ins of the account end."""
        try:
            choose_password(
                secret=self.key,
                password=form.cleaned_data["password"],
                by=self.reset_user,
                now=timezone.now(),
            )
        except Refusal as refusal:
            return self._refused(form, add_refusal(form, refusal))
        self.request.session.flush()
        return redirect(f"{reverse('account_login')}?done=password")

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        return self._refused(form, 422)

    def _refused(self, form: BaseForm, status: int) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=status)


_forgotten, _sent, _reset = ForgottenPassword.as_view(), LinkSent.as_view(), ResetPassword.as_view()


@require("anyone", methods=("GET", "POST"))
def forgotten(request: HttpRequest) -> HttpResponse:
    _must_send_email()
    return cast(HttpResponse, _forgotten(request))


@require("anyone")
def link_sent(request: HttpRequest) -> HttpResponse:
    _must_send_email()
    return cast(HttpResponse, _sent(request))


@require("anyone", methods=("GET", "POST"))
def reset(request: HttpRequest, uidb36: str, key: str) -> HttpResponse:
    _must_send_email()
    answer = cast(HttpResponse, _reset(request, uidb36=uidb36, key=key))
    answer["Cache-Control"] = "no-store"
    return answer


def _must_send_email() -> None:
    if not sends_email():
        raise Http404
