"""The pages of access tokens: one's own, those of a service account, and everybody's for admins."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.access.permissions import is_admin
from workspace.authentication.views import has_just_signed_in, proven
from workspace.core.refusals import Refusal
from workspace.models import AccessToken, Person
from workspace.tokens.actions import NewToken, create_service_account, create_token, revoke_token
from workspace.tokens.forms import ServiceAccountForm, TokenForm
from workspace.tokens.pages import all_tokens_page, describe_operations, tokens_page
from workspace.tokens.permissions import check_create_token, check_manage_tokens, check_revoke_token
from workspace.web.bind_form import bind_form, kept_status, only_parameters
from workspace.web.form_page import form_page
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, View, require
from workspace.web.respond import respond


@require("create_token", methods=("GET", "POST"))
def own_tokens(request: SignedIn) -> HttpResponse:
    """One's own tokens, and the form for a new one; its secret is shown once, in the answer."""
    return tokens_of(request, request.user)


@require("create_token", methods=("GET", "POST"))
def service_tokens(request: SignedIn, person: int) -> HttpResponse:
    """The tokens of a service account, for admins."""
    check_manage_tokens(request.user)
    return tokens_of(request, get_object_or_404(Person, pk=person, is_service=True))


def tokens_of(request: SignedIn, owner: Person) -> HttpResponse:
    """The page of a person's tokens; a posted form makes one."""
    check_create_token(request.user, owner)
    asks = not has_just_signed_in(request)
    form, status, made = TokenForm(asks_proof=asks), 200, None
    if request.method == "POST":
        form, status = bind_form(request, TokenForm, asks_proof=asks), 422
        try:
            if form.is_valid():
                made, status = make_token(request, owner, form), 200
                form = TokenForm(asks_proof=asks)
        except Refusal as refusal:
            status = kept_status(form, refusal)
    page = tokens_page(owner=owner, now=timezone.now())
    context = {"page": page, "form": form, "made": made, **frame(request.user)}
    return respond(request, page="workspace/tokens/list.html", context=context, status=status)


def make_token(request: SignedIn, owner: Person, form: TokenForm) -> NewToken:
    """Make the token of a valid form, after the proof of identity."""
    given = dict(form.cleaned_data)
    if proof := given.pop("proof", ""):
        proven(request, request.user, proof)
    return create_token(person=owner, **given, by=request.user, now=timezone.now())


@require("revoke_token", methods=("POST",))
def revoke(request: SignedIn, token: int) -> HttpResponse:
    """Revoke a token; redirects to the list that it was on."""
    rows = AccessToken.objects.select_related("person")
    # Others cannot find out which numbers exist.
    found = get_object_or_404(rows if is_admin(request.user) else rows.filter(person=request.user), pk=token)
    check_revoke_token(request.user, found)
    bind_form(request, NothingForm)
    revoke_token(token=found, by=request.user, now=timezone.now())
    back = "access_tokens" if found.person_id == request.user.pk else "all_access_tokens"
    return respond(request, page="", redirect=reverse(back))


@require("manage_tokens", methods=("GET", "POST"))
def all_tokens(request: SignedIn) -> HttpResponse:
    """Everybody's tokens, the service accounts, and the form for a new account; redirects to its tokens."""
    check_manage_tokens(request.user)

    def act(form: ServiceAccountForm) -> str:
        account = create_service_account(**form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("service_tokens", args=[account.pk])

    def context() -> dict[str, object]:
        return {"page": all_tokens_page(now=timezone.now()), **frame(request.user, None, "people")}

    return form_page(request, ServiceAccountForm, act, page="workspace/tokens/list_all.html", context=context)


def api_docs_with(describe: Callable[[], bytes]) -> View:
    """The view of the operations of the API, from `describe`, which `evalsite/urls.py` passes in."""

    @require("sign_in")
    def api_docs(request: SignedIn) -> HttpResponse:
        """Every operation with its scope, its input, its answer and an example."""
        only_parameters(request)
        page = describe_operations(describe(), host=request.build_absolute_uri("/").rstrip("/"))
        context = {"page": page, **frame(request.user)}
        return respond(request, page="workspace/tokens/api_docs.html", context=context)

    return api_docs


def openapi_with(describe: Callable[[], bytes]) -> View:
    """The view of the same description for programs. It says nothing about this installation, so anyone may read it."""

    @require("anyone")
    def openapi(_request: HttpRequest) -> HttpResponse:
        """The description as OpenAPI."""
        return HttpResponse(describe(), content_type="application/json")

    return openapi
