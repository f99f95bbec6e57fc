"""The pages of webhooks (a project's list, one with its form and deliveries) and of one's own notifications."""

from datetime import UTC, datetime

from django.db.models import Count
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workspace.jobs.pages import worker_note
from workspace.models import Delivery, Notification, NotificationSettings, Person, Webhook
from workspace.models.webhooks import DELIVERED, FAILED, WAITING
from workspace.outbox import queries
from workspace.outbox.actions import changes
from workspace.outbox.actions.send import send_again, send_test
from workspace.outbox.core import AT_ONCE
from workspace.outbox.forms import NotificationSettingsForm, ReadUntilForm, WebhookChangeForm, WebhookForm
from workspace.outbox.permissions import check_manage_webhooks
from workspace.web.bind_form import bind_form, parse_number, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond

LIST, ONE = "workspace/outbox/webhooks.html", "workspace/outbox/webhook.html"
DELIVERIES = "workspace/outbox/_deliveries.html"
# The words for the states of a delivery, and the tones of their chips.
DELIVERY_STATES = {
    WAITING: (gettext_lazy("waiting"), "pending"),
    DELIVERED: (gettext_lazy("delivered"), "pass"),
    FAILED: (gettext_lazy("failed"), "fail"),
}


@require("manage_webhooks", methods=("GET", "POST"))
def webhooks(request: SignedIn, slug: str) -> HttpResponse:
    """The webhooks of a project, and the form for a new one; its secret is shown once, in the answer."""
    project = project_or_404(request.user, slug, check_manage_webhooks)

    def create(form: WebhookForm) -> dict[str, object]:
        now, values = timezone.now(), form.cleaned_data
        return {"made": changes.create_webhook(project=project, **values, by=request.user, now=now)}

    def context() -> dict[str, object]:
        webhooks = list(queries.present_webhooks(project))
        waiting = Delivery.objects.filter(webhook__in=webhooks, state=WAITING).values_list("webhook")
        counts = dict(waiting.annotate(Count("pk")).order_by())
        lines = [(row, *describe_state(row), counts.get(row.pk, 0)) for row in webhooks]
        return {"lines": lines, "made": None, **frame(request.user, project, "webhooks")}

    return form_page(request, WebhookForm, create, page=LIST, context=context)


@require("manage_webhooks", methods=("GET", "POST"))
def webhook(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    hook = webhook_or_404(request.user, slug, webhook, for_act=request.method == "POST")
    before = parse_number(only_parameters(request, "before")["before"])

    def change(form: WebhookChangeForm) -> str:
        changes.change_webhook(webhook=hook, **form.cleaned_data, by=request.user, now=timezone.now())
        return address_of(hook)

    def context() -> dict[str, object]:
        return {"made": None, "here": request.get_full_path()} | show_webhook(request.user, hook, before)

    if request.method == "GET" and is_htmx(request):
        return respond(request, page=ONE, region=DELIVERIES, context=context())
    return form_page(request, WebhookChangeForm, change, page=ONE, context=context, initial=_values(hook))


def describe_state(webhook: Webhook) -> tuple[str, str]:
    if not webhook.is_active:
        return _("inactive"), "fail" if webhook.gave_up_at else ""
    return (_("failing"), "pending") if webhook.failing_since else (_("active"), "pass")


def show_webhook(person: Person, webhook: Webhook, before: int = 0) -> dict[str, object]:
    """What the page of a webhook shows with its deliveries; it is live while a first attempt is about to be made."""
    now, (deliveries, older) = timezone.now(), queries.load_deliveries(webhook, before)
    is_live = webhook.is_active and any(
        delivery.state == WAITING and not delivery.attempt_count for delivery in deliveries
    )
    ends = [until for _locked, until in webhook.old_secrets if until > now.timestamp()]
    return {
        "webhook": webhook,
        "state": describe_state(webhook),
        "old_secret_ends_at": datetime.fromtimestamp(max(ends), UTC) if ends else None,
        "deliveries": deliveries,
        "delivery_states": DELIVERY_STATES,
        "older": older,
        "is_live": is_live,
        "worker_note": worker_note(now) if is_live else "",
        **frame(person, webhook.project, "webhooks"),
    }


def _values(webhook: Webhook) -> dict[str, object]:
    same = {name: getattr(webhook, name) for name in ("name", "url", "is_active", "has_scores")}
    return same | {"events": webhook.chosen}


@require("manage_webhooks", methods=("POST",))
def replace(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    hook = webhook_or_404(request.user, slug, webhook)

    def show(made: changes.NewWebhook) -> HttpResponse:
        # The address of this page accepts no query, so its region polls the webhook's own page.
        context = {"form": WebhookChangeForm(initial=_values(hook)), "made": made, "here": address_of(hook)}
        context |= show_webhook(request.user, webhook_or_404(request.user, slug, webhook))
        return respond(request, page=ONE, context=context)

    return press(request, changes.replace_secret, show, webhook=hook)


@require("manage_webhooks", methods=("POST",))
def test(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    hook = webhook_or_404(request.user, slug, webhook)
    return press(request, send_test, address_of(hook), webhook=hook)


@require("manage_webhooks", methods=("POST",))
def remove(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    hook = webhook_or_404(request.user, slug, webhook)
    return press(request, changes.remove_webhook, reverse("webhooks", args=[slug]), webhook=hook)


@require("manage_webhooks", methods=("POST",))
def again(request: SignedIn, slug: str, webhook: int, delivery: int) -> HttpResponse:
    hook = webhook_or_404(request.user, slug, webhook)
    chosen = get_object_or_404(hook.deliveries.select_related("webhook__project"), pk=delivery)
    return press(request, send_again, address_of(hook), delivery=chosen)


def webhook_or_404(person: Person, slug: str, webhook: int, *, for_act: bool = True) -> Webhook:
    """The webhook with that number in that project, when the person may know of the project. Raises NotAllowed.

    An action finds also a removed one, and says that it was removed: a page that was opened before still names it.
    """
    rows = Webhook.objects.all() if for_act else Webhook.objects.present()
    project = project_or_404(person, slug, check_manage_webhooks)
    return get_object_or_404(rows.select_related("project", "created_by"), project=project, pk=webhook)


def address_of(webhook: Webhook) -> str:
    return reverse("webhook", args=[webhook.project.slug, webhook.pk])


@require("sign_in")
def notifications(request: SignedIn) -> HttpResponse:
    asked = only_parameters(request, "before", "show")
    unread = asked["show"] == "unread"
    before = parse_number(asked["before"])
    lines, older = queries.notifications_page(
        person=request.user, before=before, unread=unread, is_joined=True
    )
    context = {
        "lines": lines,
        "files": queries.name_files(lines),
        "older": older,
        "unread_count": queries.count_unread_lines(request.user),
        "unread": unread,
        **frame(request.user, None, "notifications"),
    }
    return respond(request, page="workspace/outbox/notifications.html", context=context)


@require("sign_in")
def notification(request: SignedIn, notification: int) -> HttpResponse:
    """Redirect to the subject of a notification; this marks it as read, with those in one line with it.

    Reading twice changes nothing, so a link may do it.
    """
    rows = Notification.objects.filter(person=request.user).visible().select_related("project")
    opened = get_object_or_404(rows, pk=notification)
    line = queries.find_line(opened)
    if request.method == "GET":
        keys = [row.pk for row in line.burst]
        changes.mark_read(notifications=keys, by=request.user, now=timezone.now())
    return HttpResponseRedirect(line.page)


@require("sign_in", methods=("POST",))
def read_all(request: SignedIn) -> HttpResponse:
    form = bind_form(request, ReadUntilForm)
    if form.is_valid():
        changes.mark_all_read(until=form.cleaned_data["until"], by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("notifications"))


@require("sign_in", methods=("GET", "POST"))
def notification_settings(request: SignedIn) -> HttpResponse:
    person, kinds, sends = request.user, queries.kinds_of(request.user), queries.sends_email()
    chosen = NotificationSettings.objects.filter(person=person).first()
    chosen = chosen or NotificationSettings(person=person, digest=AT_ONCE)

    def change(form: NotificationSettingsForm) -> str:
        values = {"mailed": None, "digest": chosen.digest} | form.cleaned_data
        changes.change_notifications(offered=kinds, **values, by=person, now=timezone.now())
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
        page="workspace/outbox/notification_settings.html",
        context=lambda: context,
        initial=present,
        kinds=kinds,
        sends_email=sends,
    )
