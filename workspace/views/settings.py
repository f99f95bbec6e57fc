"""What people set for themselves: name, time zone, single keys, password, light or dark."""

from django.conf import settings as site
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from workspace.actions.accounts import change_password, change_settings, end_other_sign_ins
from workspace.core.refusals import Malformed, Refusal
from workspace.forms.people import NothingForm, PasswordForm, SettingsForm, ThemeForm
from workspace.pages.frame import frame
from workspace.pages.second_factors import factor_page, sign_in_lines
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.limits import limited
from workspace.views.next_page import next_page

YEAR = 365 * 24 * 3600


@needs("sign_in", methods=("GET", "POST"))
def settings(request: SignedIn) -> HttpResponse:
    """One's own settings."""
    person = request.user
    present = {"name": person.name, "time_zone": person.time_zone, "has_single_keys": person.has_single_keys}
    form, status = SettingsForm(initial=present), 200
    if request.method == "POST":
        form, status = typed(request, SettingsForm), 422
        if form.is_valid():
            try:
                change_settings(**form.cleaned_data, by=person, now=timezone.now())
                return answer(request, page="", redirect=reverse("settings"))
            except Refusal as refusal:
                status = fault_of(form, refusal)
    key = request.session.session_key or ""
    lines = sign_in_lines(person=person, key=key, now=timezone.now())
    factor = factor_page(person=person)
    context = {"form": form, "sign_ins": lines, "factor": factor, **frame(person)}
    return answer(request, page="workspace/settings_change.html", context=context, status=status)


@needs("sign_in", methods=("GET", "POST"))
def password(request: SignedIn) -> HttpResponse:
    """A new password; this sign-in goes on, all others end."""
    form, status = PasswordForm(), 200
    if request.method == "POST":
        limited(request, "change_password", "5/m/user")
        form, status = typed(request, PasswordForm), 422
        if form.is_valid():
            given = form.cleaned_data
            try:
                change_password(
                    old=given["old"],
                    new=given["password"],
                    by=request.user,
                    now=timezone.now(),
                    keep=request.session.session_key or "",
                )
                update_session_auth_hash(request, request.user)
                return answer(request, page="", redirect=reverse("settings"))
            except Refusal as refusal:
                status = fault_of(form, refusal)
    context = {"form": form, **frame(request.user)}
    return answer(request, page="workspace/password_change.html", context=context, status=status)


@needs("sign_in", methods=("POST",))
def end_others(request: SignedIn) -> HttpResponse:
    """End one's sign-ins in all other browsers."""
    typed(request, NothingForm)
    end_other_sign_ins(by=request.user, now=timezone.now(), keep=request.session.session_key or "")
    return answer(request, page="", redirect=reverse("settings"))


@needs("anyone", methods=("POST",))
def set_theme(request: SignedIn) -> HttpResponse:
    """Keep the choice of light or dark in a cookie, and go back."""
    form = typed(request, ThemeForm)
    if not form.is_valid():
        raise Malformed("Choose light, dark or as the system has it.")
    back = HttpResponseRedirect(next_page(request), status=303)
    choice = form.cleaned_data["theme"]
    if choice == "auto":
        back.delete_cookie("theme", samesite="Lax")
    else:
        secure = site.SESSION_COOKIE_SECURE
        back.set_cookie("theme", choice, max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    return back
