"""One's own notifications: the list, one of them, reading all, and which one gets."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.mail.queries import sends_email
from workspace.models import Notification, NotificationSettings
from workspace.notifications.actions.changes import change_notifications, mark_all_read, mark_read
from workspace.notifications.core import AT_ONCE
from workspace.notifications.forms import NotificationSettingsForm, ReadForm
from workspace.notifications.queries import find_page, kinds_of, list_burst, notifications_page
from workspace.web.bind_form import bind_form, only_parameters, parse_number
from workspace.web.form_page import form_page
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond


@require("sign_in")
def notifications(request: SignedIn) -> HttpResponse:
    """One's own notifications, newest first."""
    asked = only_parameters(request, "before", "show")
    unread = asked["show"] == "unread"
    page = notifications_page(
        person=request.user, before=parse_number(asked["before"]), unread=unread, is_joined=True
    )
    context = {"page": page, "unread": unread, **frame(request.user, None, "notifications")}
    return respond(request, page="workspace/notifications/list.html", context=context)


@require("sign_in")
def notification(request: SignedIn, notification: int) -> HttpResponse:
    """Redirect to the subject of a notification; this marks it as read, with those in one line with it.

    Reading twice changes nothing, so a link may do it.
    """
    rows = Notification.objects.filter(person=request.user).visible().select_related("project")
    opened = get_object_or_404(rows, pk=notification)
    burst = [row.pk for row in list_burst(opened)]
    if request.method == "GET":
        mark_read(notifications=burst, by=request.user, now=timezone.now())
    return HttpResponseRedirect(find_page(opened, count=len(burst)))


@require("sign_in", methods=("POST",))
def read_all(request: SignedIn) -> HttpResponse:
    """Mark as read what the page showed, and everything before it."""
    form = bind_form(request, ReadForm)
    if form.is_valid():
        mark_all_read(until=form.cleaned_data["until"], by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("notifications"))


@require("sign_in", methods=("GET", "POST"))
def notification_settings(request: SignedIn) -> HttpResponse:
    """Which notifications the person gets, and how."""
    person, kinds, sends = request.user, kinds_of(request.user), sends_email()
    chosen = NotificationSettings.objects.filter(person=person).first()
    chosen = chosen or NotificationSettings(person=person, digest=AT_ONCE)

    def change(form: NotificationSettingsForm) -> str:
        values = {"mailed": None, "digest": chosen.digest} | form.cleaned_data
        change_notifications(offered=kinds, **values, by=person, now=timezone.now())
        return f"{reverse('notification_settings')}?done=saved"

    present: dict[str, object] = {
        "shown": [kind for kind in kinds if kind not in chosen.hidden.split()],
        "mailed": [kind for kind in kinds if kind not in chosen.unmailed.split()],
        "digest": chosen.digest,
    }
    done = only_parameters(request, "done")["done"] == "saved" and request.method == "GET"
    context = {"sends_email": sends, "done": done, **frame(person, None, "notifications")}
    return form_page(
        request,
        NotificationSettingsForm,
        change,
        page="workspace/notifications/settings.html",
        context=lambda: context,
        initial=present,
        kinds=kinds,
        sends_email=sends,
    )
