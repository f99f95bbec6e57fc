"""Everybody with an account, for admins; and the page behind the link of an invitation."""

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.actions.accounts import deactivate_person, reactivate_person
from workspace.actions.invitations import accept_invitation, invite, withdraw_invitation
from workspace.core.identifiers import secret_hash
from workspace.core.refusals import Refusal
from workspace.forms.people import AcceptForm, AdminInvitationForm, JoinForm, NothingForm
from workspace.models import Invitation, Person
from workspace.pages.frame import frame
from workspace.pages.people import invitation_page, people_page
from workspace.permissions import check_change_account, check_manage_people, check_see_people
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, number_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.limits import limited
from workspace.views.members import link_of


@needs("see_people")
def people(request: SignedIn) -> HttpResponse:
    """All accounts, by pages."""
    check_see_people(request.user)
    return show_people(request, AdminInvitationForm())


@needs("manage_people", methods=("POST",))
def invite_admin(request: SignedIn) -> HttpResponse:
    """Invite somebody as admin; the link is shown this once."""
    check_manage_people(request.user)
    form = typed(request, AdminInvitationForm)
    if not form.is_valid():
        return show_people(request, form, status=422)
    email = form.cleaned_data["email"]
    try:
        invited = invite(email=email, role="admin", project=None, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_people(request, form, status=fault_of(form, refusal))
    return show_people(request, AdminInvitationForm(), link=link_of(request, invited.secret))


@needs("manage_people", methods=("POST",))
def withdraw_admin(request: SignedIn, invitation: int) -> HttpResponse:
    """Make the invitation of an admin useless."""
    check_manage_people(request.user)
    found = get_object_or_404(Invitation, pk=invitation, project=None)
    typed(request, NothingForm)
    withdraw_invitation(invitation=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("people"))


@needs("change_account", methods=("POST",))
def switch_off(request: SignedIn, person: int) -> HttpResponse:
    """Switch an account off."""
    found = person_or_refusal(request, person)
    deactivate_person(person=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("people"))


@needs("change_account", methods=("POST",))
def switch_on(request: SignedIn, person: int) -> HttpResponse:
    """Switch an account on again."""
    found = person_or_refusal(request, person)
    reactivate_person(person=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("people"))


@needs("anyone", methods=("GET", "POST"))
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """What somebody with the link of an invitation sees and fills in."""
    limited(request, "invitation", "20/m/ip")
    now = timezone.now()
    rows = Invitation.objects.open(now=now).select_related("project", "created_by")
    found = rows.filter(secret_hash=secret_hash(secret)).first()
    if found is None:
        raise Http404
    person = request.user if isinstance(request.user, Person) else None
    form_class: type[Form] = AcceptForm if person is None else JoinForm
    form, status = form_class(initial={"name": found.name}), 200
    if request.method == "POST":
        form, status = typed(request, form_class), 422
        if form.is_valid():
            given = {"name": "", "password": ""} | form.cleaned_data
            try:
                accept_invitation(secret=secret, by=person, now=now, **given)
                to = reverse("projects") if person else f"{reverse('account_login')}?account=made"
                return answer(request, page="", redirect=to)
            except Refusal as refusal:
                status = fault_of(form, refusal)
    context = {"page": invitation_page(invitation=found), "form": form}
    return answer(request, page="workspace/invitation_accept.html", context=context, status=status)


def person_or_refusal(request: SignedIn, person: int) -> Person:
    """The person of that number, for admins only; strangers learn nothing of which numbers exist."""
    check_see_people(request.user)
    found = get_object_or_404(Person, pk=person)
    check_change_account(request.user, found)
    typed(request, NothingForm)
    return found


def show_people(
    request: SignedIn, form: AdminInvitationForm, *, link: str = "", status: int = 200
) -> HttpResponse:
    """The page, with the form as it stands and a new link when there is one."""
    after = number_of(only_parameters(request, "after")["after"])
    page = people_page(person=request.user, after=after, now=timezone.now())
    context = {"page": page, "form": form, "link": link, **frame(request.user, None, "people")}
    return answer(request, page="workspace/person_list.html", context=context, status=status)
