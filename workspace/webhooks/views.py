"""The pages of webhooks: a project's list with the form for a new one, and one webhook with its form and deliveries."""

from datetime import UTC, datetime

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workspace.core.refusals import Refusal
from workspace.jobs.pages import worker_note
from workspace.models import Delivery, Person, Webhook
from workspace.models.webhooks import DELIVERED, FAILED, WAITING
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, parse_number, project_or_404
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond
from workspace.webhooks.actions.changes import change_webhook, create_webhook, remove_webhook, replace_secret
from workspace.webhooks.actions.deliveries import send_again, send_test
from workspace.webhooks.forms import WebhookChangeForm, WebhookForm
from workspace.webhooks.permissions import check_manage_webhooks
from workspace.webhooks.queries import load_deliveries, present_webhooks

LIST, ONE = "workspace/webhooks/list.html", "workspace/webhooks/show.html"
DELIVERIES = "workspace/webhooks/_deliveries.html"
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
    only_parameters(request)
    form, status, made = WebhookForm(), 200, None
    if request.method == "POST":
        form, status = bind_form(request, WebhookForm), 422
        try:
            if form.is_valid():
                values = form.cleaned_data
                made = create_webhook(project=project, **values, by=request.user, now=timezone.now())
                form, status = WebhookForm(), 200
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    webhooks = list(present_webhooks(project))
    waiting = Delivery.objects.filter(webhook__in=webhooks, state=WAITING).values_list("webhook")
    counts = dict(waiting.annotate(Count("pk")).order_by())
    lines = [(row, *describe_state(row), counts.get(row.pk, 0)) for row in webhooks]
    context = {"lines": lines, "form": form, "made": made, **frame(request.user, project, "webhooks")}
    return respond(request, page=LIST, context=context, status=status)


@require("manage_webhooks", methods=("GET", "POST"))
def webhook(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """One webhook: its form, and its deliveries. While a first attempt is about to be made, the region polls."""
    hook = webhook_or_404(request.user, slug, webhook, for_act=request.method == "POST")
    check_manage_webhooks(request.user, hook.project)
    before = parse_number(only_parameters(request, "before")["before"])

    def change(form: WebhookChangeForm) -> str:
        change_webhook(webhook=hook, **form.cleaned_data, by=request.user, now=timezone.now())
        return address_of(hook)

    def context() -> dict[str, object]:
        return {"made": None, "here": request.get_full_path()} | show_webhook(request.user, hook, before)

    if request.method == "GET" and is_htmx(request):
        return respond(request, page=ONE, region=DELIVERIES, context=context())
    return form_page(request, WebhookChangeForm, change, page=ONE, context=context, initial=_values(hook))


def describe_state(webhook: Webhook) -> tuple[str, str]:
    """The word for the state of a webhook, and the tone of its chip."""
    if not webhook.is_active:
        return _("inactive"), "fail" if webhook.gave_up_at else ""
    return (_("failing"), "pending") if webhook.failing_since else (_("active"), "pass")


def show_webhook(person: Person, webhook: Webhook, before: int = 0) -> dict[str, object]:
    """What the page of a webhook shows with its deliveries; it is live while a first attempt is about to be made."""
    now, (deliveries, older) = timezone.now(), load_deliveries(webhook, before)
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
    """What the form of a webhook shows."""
    present = {name: getattr(webhook, name) for name in ("name", "url", "is_active")}
    return {**present, "events": webhook.events.split()}


@require("manage_webhooks", methods=("POST",))
def replace(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Give a webhook a new secret, which is shown once, in the answer."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    bind_form(request, NothingForm)
    made = replace_secret(webhook=hook, by=request.user, now=timezone.now())
    form = WebhookChangeForm(initial=_values(hook))
    # The address of this page accepts no query, so its region polls the webhook's own page.
    context = {"form": form, "made": made, "here": address_of(hook)}
    context |= show_webhook(request.user, webhook_or_404(request.user, slug, webhook))
    return respond(request, page=ONE, context=context)


@require("manage_webhooks", methods=("POST",))
def test(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Send a test event."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    bind_form(request, NothingForm)
    send_test(webhook=hook, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=address_of(hook))


@require("manage_webhooks", methods=("POST",))
def remove(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Remove a webhook."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    bind_form(request, NothingForm)
    remove_webhook(webhook=hook, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("webhooks", args=[slug]))


@require("manage_webhooks", methods=("POST",))
def again(request: SignedIn, slug: str, webhook: int, delivery: int) -> HttpResponse:
    """Send a delivery again."""
    hook = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, hook.project)
    rows = Delivery.objects.select_related("webhook__project").filter(webhook=hook)
    chosen = get_object_or_404(rows, pk=delivery)
    bind_form(request, NothingForm)
    send_again(delivery=chosen, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=address_of(hook))


def webhook_or_404(person: Person, slug: str, webhook: int, *, for_act: bool = True) -> Webhook:
    """The webhook with that number in that project, when the person may know of the project.

    An action finds also a removed one, and says that it was removed: a page that was opened before still names it.
    """
    rows = Webhook.objects.all() if for_act else Webhook.objects.present()
    project = project_or_404(person, slug)
    return get_object_or_404(rows.select_related("project", "created_by"), project=project, pk=webhook)


def address_of(webhook: Webhook) -> str:
    """The page of a webhook."""
    return reverse("webhook", args=[webhook.project.slug, webhook.pk])
