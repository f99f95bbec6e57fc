"""The people of a project: who belongs to it, who is invited; adding, changing, ending."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from workspace.actions.invitations import invite, withdraw_invitation
from workspace.actions.projects import add_member, change_role, end_membership
from workspace.core.identifiers import plain_email
from workspace.core.refusals import Refusal
from workspace.forms.people import MemberForm, NothingForm, RoleForm
from workspace.models import Invitation, Membership, Person, Project
from workspace.pages.frame import frame
from workspace.pages.projects import members_page
from workspace.permissions import check_change_membership, check_manage_members, check_see_members
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404


@needs("see_members")
def members(request: SignedIn, slug: str) -> HttpResponse:
    """Members and open invitations of a project."""
    project = project_or_404(request.user, slug)
    check_see_members(request.user, project)
    return show_members(request, project, MemberForm())


@needs("manage_members", methods=("POST",))
def add_to_project(request: SignedIn, slug: str) -> HttpResponse:
    """Let somebody in: at once when they have an account, else by an invitation whose link is shown this once."""
    project = project_or_404(request.user, slug)
    check_manage_members(request.user, project)
    form = typed(request, MemberForm)
    if not form.is_valid():
        return show_members(request, project, form, status=422)
    email, role, now = form.cleaned_data["email"], form.cleaned_data["role"], timezone.now()
    try:
        person = Person.objects.active().filter(email=plain_email(email)).first()
        if person is not None:
            add_member(project=project, person=person, role=role, by=request.user, now=now)
            return answer(request, page="", redirect=reverse("members", args=[slug]))
        invited = invite(email=email, role=role, project=project, by=request.user, now=now)
    except Refusal as refusal:
        return show_members(request, project, form, status=fault_of(form, refusal))
    return show_members(request, project, MemberForm(), link=link_of(request, invited.secret))


@needs("change_membership", methods=("POST",))
def change_member(request: SignedIn, slug: str, membership: int) -> HttpResponse:
    """Give a member another role."""
    found = membership_or_404(request, slug, membership)
    check_change_membership(request.user, found)
    form = typed(request, RoleForm)
    if not form.is_valid():
        return show_members(request, found.project, MemberForm(), status=422)
    change_role(membership=found, role=form.cleaned_data["role"], by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("members", args=[slug]))


@needs("change_membership", methods=("POST",))
def end_member(request: SignedIn, slug: str, membership: int) -> HttpResponse:
    """Take a member out of the project."""
    found = membership_or_404(request, slug, membership)
    check_change_membership(request.user, found)
    typed(request, NothingForm)
    end_membership(membership=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("members", args=[slug]))


@needs("manage_members", methods=("POST",))
def withdraw_from_project(request: SignedIn, slug: str, invitation: int) -> HttpResponse:
    """Make an invitation into the project useless."""
    project = project_or_404(request.user, slug)
    check_manage_members(request.user, project)
    found = get_object_or_404(Invitation, pk=invitation, project=project)
    typed(request, NothingForm)
    withdraw_invitation(invitation=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("members", args=[slug]))


def membership_or_404(request: SignedIn, slug: str, membership: int) -> Membership:
    """The present membership of that number in that project, when one may know of the project."""
    project = project_or_404(request.user, slug)
    rows = Membership.objects.select_related("project", "person")
    return get_object_or_404(rows, pk=membership, project=project, ended_at=None)


def link_of(request: SignedIn, secret: str) -> str:
    """The address to send to the person who is invited."""
    return request.build_absolute_uri(reverse("invitation", args=[secret]))


def show_members(
    request: SignedIn, project: Project, form: MemberForm, *, link: str = "", status: int = 200
) -> HttpResponse:
    """The page, with the form as it stands and a new link when there is one."""
    page = members_page(person=request.user, project=project, now=timezone.now())
    context = {"page": page, "form": form, "link": link, **frame(request.user, project, "members")}
    return answer(request, page="workspace/member_list.html", context=context, status=status)
