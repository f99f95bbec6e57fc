"""The pages of webhooks: a project's list with the form for a new one, and one webhook with its form and deliveries."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.core.refusals import Refusal
from workspace.models import Delivery, Person, Webhook
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, parse_number, project_or_404
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond
from workspace.webhooks.actions.changes import change_webhook, create_webhook, remove_webhook, replace_secret
from workspace.webhooks.actions.deliveries import send_again, send_test
from workspace.webhooks.forms import WebhookChangeForm, WebhookForm
from workspace.webhooks.pages import webhook_page, webhooks_page
from workspace.webhooks.permissions import check_manage_webhooks

LIST, ONE = "workspace/webhooks/list.html", "workspace/webhooks/show.html"
DELIVERIES = "workspace/webhooks/_deliveries.html"


@require("manage_webhooks", methods=("GET", "POST"))
def webhooks(request: SignedIn, slug: str) -> HttpResponse:
    """The webhooks of a project, and the form for a new one; its secret is shown once, in the answer."""
    project = project_or_404(request.user, slug)
    check_manage_webhooks(request.user, project)
    only_parameters(request)
    form, status, made = WebhookForm(), 200, None
    if request.method == "POST":
        form, status = bind_form(request, WebhookForm), 422
        try:
            if form.is_valid():
                given = form.cleaned_data
                made = create_webhook(project=project, **given, by=request.user, now=timezone.now())
                form, status = WebhookForm(), 200
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    page = webhooks_page(project=project, now=timezone.now())
    context = {"page": page, "form": form, "made": made, **frame(request.user, project, "webhooks")}
    return respond(request, page=LIST, context=context, status=status)


@require("manage_webhooks", methods=("GET", "POST"))
def webhook(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """One webhook: its form, and its deliveries. While a first attempt is about to be made, the region polls."""
    found = webhook_or_404(request.user, slug, webhook, for_act=request.method == "POST")
    check_manage_webhooks(request.user, found.project)
    before = parse_number(only_parameters(request, "before")["before"])

    def change(form: WebhookChangeForm) -> str:
        change_webhook(webhook=found, **form.cleaned_data, by=request.user, now=timezone.now())
        return address_of(found)

    def context() -> dict[str, object]:
        page = webhook_page(webhook=found, now=timezone.now(), before=before)
        shown = {"page": page, "made": None, "here": request.get_full_path()}
        return shown | frame(request.user, found.project, "webhooks")

    if request.method == "GET" and is_htmx(request):
        return respond(request, page=ONE, region=DELIVERIES, context=context())
    return form_page(request, WebhookChangeForm, change, page=ONE, context=context, initial=_values(found))


def _values(webhook: Webhook) -> dict[str, object]:
    """What the form of a webhook shows."""
    present = {name: getattr(webhook, name) for name in ("name", "url", "is_active")}
    return {**present, "events": webhook.events.split()}


@require("manage_webhooks", methods=("POST",))
def replace(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Give a webhook a new secret, which is shown once, in the answer."""
    found = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, found.project)
    bind_form(request, NothingForm)
    now = timezone.now()
    made = replace_secret(webhook=found, by=request.user, now=now)
    page = webhook_page(webhook=webhook_or_404(request.user, slug, webhook), now=now)
    form = WebhookChangeForm(initial=_values(found))
    # The address of this page accepts no query, so its region polls the webhook's own page.
    context = {"page": page, "form": form, "made": made, "here": address_of(found)}
    context |= frame(request.user, found.project, "webhooks")
    return respond(request, page=ONE, context=context)


@require("manage_webhooks", methods=("POST",))
def test(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Send a test event."""
    found = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, found.project)
    bind_form(request, NothingForm)
    send_test(webhook=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=address_of(found))


@require("manage_webhooks", methods=("POST",))
def remove(request: SignedIn, slug: str, webhook: int) -> HttpResponse:
    """Remove a webhook."""
    found = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, found.project)
    bind_form(request, NothingForm)
    remove_webhook(webhook=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("webhooks", args=[slug]))


@require("manage_webhooks", methods=("POST",))
def again(request: SignedIn, slug: str, webhook: int, delivery: int) -> HttpResponse:
    """Send a delivery again."""
    found = webhook_or_404(request.user, slug, webhook)
    check_manage_webhooks(request.user, found.project)
    rows = Delivery.objects.select_related("webhook__project").filter(webhook=found)
    chosen = get_object_or_404(rows, pk=delivery)
    bind_form(request, NothingForm)
    send_again(delivery=chosen, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=address_of(found))


def webhook_or_404(person: Person, slug: str, webhook: int, *, for_act: bool = True) -> Webhook:
    """The webhook with that number in that project, when the person may know of the project.

    An act finds also a removed one, and says that it was removed: a page that was opened before still names it.
    """
    rows = Webhook.objects.all() if for_act else Webhook.objects.present()
    project = project_or_404(person, slug)
    return get_object_or_404(rows.select_related("project", "created_by"), project=project, pk=webhook)


def address_of(webhook: Webhook) -> str:
    """The page of a webhook."""
    return reverse("webhook", args=[webhook.project.slug, webhook.pk])
