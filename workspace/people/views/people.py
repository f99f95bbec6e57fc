"""The members of a project, everybody with an account, the page of an invitation, and personal settings."""

from collections.abc import Mapping
from functools import partial

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from django.conf import settings as site
from django.contrib.auth import update_session_auth_hash
from django.db.models import Prefetch, Q
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workspace.access.permissions import check_see_people, get_refusal
from workspace.authentication.queries import people_with_factor
from workspace.authentication.views import describe_factor
from workspace.core.identifiers import plain_email, secret_hash
from workspace.core.refusals import Malformed
from workspace.models import Invitation, Membership, Person, Project, SignIn
from workspace.outbox.queries import sends_email
from workspace.people import permissions
from workspace.people.actions.people import (
    Invited,
    accept_invitation,
    change_email,
    change_keys,
    change_password,
    change_settings,
    choose_password,
    deactivate_person,
    end_other_sign_ins,
    invite,
    make_password_link,
    reactivate_person,
    withdraw_invitation,
)
from workspace.people.actions.projects import add_member, change_role, end_membership
from workspace.people.forms import (
    AcceptForm,
    AdminInvitationForm,
    ChosenPasswordForm,
    EmailForm,
    JoinForm,
    KeysForm,
    MemberForm,
    PasswordForm,
    RoleForm,
    SettingsForm,
    ThemeForm,
)
from workspace.people.labels import keys_of
from workspace.people.queries import PRESENT, ROLES, last_seen, open_invitations, person_of_link
from workspace.web.bind_form import bind_form, parse_number, project_or_404
from workspace.web.form_page import form_page, press
from workspace.web.forms import NothingForm
from workspace.web.next_page import next_page
from workspace.web.rate_limits import limited
from workspace.web.views import SignedIn, frame, odd_address, only_parameters, require, respond

# The link of a new invitation, or the address to which it is sent.
NOTHING_MADE = {"link": "", "sent_to": ""}
PEOPLE_A_PAGE = 100
MEMBERS, PEOPLE = "workspace/people/member_list.html", "workspace/people/person_list.html"
ROLE_LABELS = {
    "": gettext_lazy("all"),
    "admin": gettext_lazy("admins"),
    "lead": gettext_lazy("team leads"),
    "evaluator": gettext_lazy("evaluators"),
    "service": gettext_lazy("service accounts"),
    "off": gettext_lazy("deactivated"),
}


@require("see_members")
def members(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, permissions.check_see_members)
    return show_members(request, project)


@require("manage_members", methods=("POST",))
def add_to_project(request: SignedIn, slug: str) -> HttpResponse:
    """Add somebody: at once when they have an account, else by an invitation whose link is shown only once."""
    project = project_or_404(request.user, slug, permissions.check_manage_members)

    def add(form: MemberForm) -> str | dict[str, str]:
        values, now = form.cleaned_data, timezone.now()
        person = Person.objects.active().filter(email=plain_email(values["email"])).first()
        if person is not None:
            add_member(project=project, person=person, role=values["role"], by=request.user, now=now)
            return reverse("members", args=[slug])
        return describe_invited(request, invite(**values, project=project, by=request.user, now=now))

    return form_page(request, MemberForm, add, page=MEMBERS, context=partial(list_members, request, project))


@require("change_membership", methods=("POST",))
def change_member(request: SignedIn, slug: str, membership: int) -> HttpResponse:
    member = membership_or_404(request, slug, membership)
    permissions.check_change_membership(request.user, member)
    form = bind_form(request, RoleForm)
    if not form.is_valid():
        return show_members(request, member.project, status=422)
    change_role(membership=member, role=form.cleaned_data["role"], by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("members", args=[slug]))


@require("change_membership", methods=("POST",))
def end_member(request: SignedIn, slug: str, membership: int) -> HttpResponse:
    member = membership_or_404(request, slug, membership)
    permissions.check_change_membership(request.user, member)
    return press(request, end_membership, reverse("members", args=[slug]), membership=member)


@require("manage_members", methods=("POST",))
def withdraw_from_project(request: SignedIn, slug: str, invitation: int) -> HttpResponse:
    project = project_or_404(request.user, slug, permissions.check_manage_members)
    opened = get_object_or_404(Invitation, pk=invitation, project=project)
    return press(request, withdraw_invitation, reverse("members", args=[slug]), invitation=opened)


def membership_or_404(request: SignedIn, slug: str, membership: int) -> Membership:
    """The membership with that number in that project, when the viewer may know of the project.

    Of one that has ended the action says so: a page that was opened before still names it.
    """
    project = project_or_404(request.user, slug)
    rows = Membership.objects.select_related("project", "person")
    return get_object_or_404(rows, pk=membership, project=project)


def describe_invited(request: SignedIn, invited: Invited) -> dict[str, str]:
    """The link to send to the invited person, or the address to which it is sent by e-mail."""
    if invited.is_sent:
        return NOTHING_MADE | {"sent_to": invited.invitation.email}
    return NOTHING_MADE | {"link": request.build_absolute_uri(reverse("invitation", args=[invited.secret]))}


def show_members(request: SignedIn, project: Project, *, status: int = 200) -> HttpResponse:
    context = {"form": MemberForm(), **list_members(request, project)}
    return respond(request, page=MEMBERS, context=context, status=status)


def list_members(request: SignedIn, project: Project) -> dict[str, object]:
    """The members, each with why the person may not change them, and the invitations."""
    refusal = get_refusal(permissions.check_manage_members, request.user, project)
    members = project.memberships.filter(ended_at=None).select_related("person", "project")
    return {
        "members": [
            (member, refusal or get_refusal(permissions.check_change_membership, request.user, member))
            for member in members.order_by("person__name", "pk")
        ],
        "invitations": open_invitations(project, now=timezone.now()),
        "manage_refusal": refusal,
        "sends_email": sends_email(),
        **NOTHING_MADE,
        **frame(request.user, project, "members"),
    }


@require("see_people", costs="searches")
def people(request: SignedIn) -> HttpResponse:
    check_see_people(request.user)
    context = {"form": AdminInvitationForm(), **describe_people(request)}
    return respond(request, page=PEOPLE, context=context)


@require("manage_people", methods=("POST",))
def invite_admin(request: SignedIn) -> HttpResponse:
    permissions.check_manage_people(request.user)

    def add(form: AdminInvitationForm) -> dict[str, str]:
        given = form.cleaned_data | {"role": "admin", "project": None}
        return describe_invited(request, invite(**given, by=request.user, now=timezone.now()))

    return form_page(
        request, AdminInvitationForm, add, page=PEOPLE, context=partial(describe_people, request)
    )


@require("manage_people", methods=("POST",))
def withdraw_admin(request: SignedIn, invitation: int) -> HttpResponse:
    permissions.check_manage_people(request.user)
    opened = get_object_or_404(Invitation, pk=invitation, project=None)
    return press(request, withdraw_invitation, reverse("people"), invitation=opened)


@require("change_account", methods=("POST",))
def switch_off(request: SignedIn, person: int) -> HttpResponse:
    return press(request, deactivate_person, reverse("people"), person=person_or_refusal(request, person))


@require("change_account", methods=("POST",))
def switch_on(request: SignedIn, person: int) -> HttpResponse:
    return press(request, reactivate_person, reverse("people"), person=person_or_refusal(request, person))


@require("change_email", methods=("GET", "POST"))
def email(request: SignedIn, person: int) -> HttpResponse:
    check_see_people(request.user)
    account = get_object_or_404(Person, pk=person)
    permissions.check_change_email(request.user, account)

    def act(form: EmailForm) -> str:
        change_email(person=account, by=request.user, now=timezone.now(), **form.cleaned_data)
        return reverse("people")

    context = {"person": account, **frame(request.user, None, "people")}
    page = "workspace/people/email_change.html"
    return form_page(request, EmailForm, act, page=page, context=lambda: context)


@require("anyone", methods=("GET", "POST"))
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """The page and form for somebody with the link of an invitation; a new account is signed in."""
    limited(request, "invitation", "20/m/ip")
    now = timezone.now()
    rows = Invitation.objects.open(now=now).select_related("project", "created_by")
    opened = rows.filter(secret_hash=secret_hash(secret)).first()
    if opened is None:
        raise Http404
    person = request.user if isinstance(request.user, Person) else None
    form_class: type[Form] = AcceptForm if person is None else JoinForm

    def accept(form: Form) -> str:
        values = {"name": "", "password": ""} | form.cleaned_data
        accepted = accept_invitation(secret=secret, by=person, now=now, **values)
        if person is None:  # a new account: its password was typed just now
            record_authentication(request, accepted, method="password", email=accepted.email)
            return str(perform_login(request, accepted, redirect_url=reverse("projects"))["Location"])
        return reverse("projects")

    has_account = Person.objects.filter(email=opened.email).exists()
    return form_page(
        request,
        form_class,
        accept,
        page="workspace/people/invitation_accept.html",
        context=lambda: {"invitation": opened, "has_account": has_account},
        initial={"name": opened.name},
    )


@require("make_password_link", methods=("GET", "POST"))
def password_link(request: SignedIn, person: int) -> HttpResponse:
    """Make a link by which somebody chooses a new password; it is shown only once."""
    account, link = get_object_or_404(permissions.people_under(request.user), pk=person), ""
    if request.method == "POST":
        bind_form(request, NothingForm)
        secret = make_password_link(person=account, by=request.user, now=timezone.now())
        link = request.build_absolute_uri(reverse("password_by_link", args=[account.pk, secret]))
    refusal = get_refusal(permissions.check_make_password_link, request.user, account)
    context = {"person": account, "refusal": refusal, "link": link, **frame(request.user)}
    return respond(request, page="workspace/people/password_link.html", context=context)


@require("anyone", methods=("GET", "POST"))
def password_by_link(request: HttpRequest, person: int, token: str) -> HttpResponse:
    """The page that a link for a new password leads to; an expired link says so before anything is typed."""
    limited(request, "password_by_link", "20/m/ip")
    account = person_of_link(person, token)

    def change(form: ChosenPasswordForm) -> str:
        choose_password(secret=token, by=account, now=timezone.now(), **form.cleaned_data)
        return f"{reverse('account_login')}?done=password"

    page = "workspace/people/password_by_link.html"
    return form_page(request, ChosenPasswordForm, change, page=page, context=lambda: {"person": account})


def person_or_refusal(request: SignedIn, person: int) -> Person:
    """The person with that number, for admins only; others cannot find out which numbers exist."""
    check_see_people(request.user)
    account = get_object_or_404(Person, pk=person)
    permissions.check_change_account(request.user, account)
    return account


def list_people(viewer: Person, *, after: int, query: str, role: str) -> dict[str, object]:
    """Up to a hundred accounts after `after`, by ascending number; `query` is part of a name or an address.

    Raises Malformed for an unknown role.
    """
    if role not in ROLES:
        raise odd_address()
    rows = Person.objects.filter(ROLES[role], is_system=False, pk__gt=after)
    if query := query.strip()[:200].replace("\0", ""):
        rows = rows.filter(Q(name__icontains=query) | Q(email__icontains=query))
    memberships = PRESENT.select_related("project").order_by("project__name")
    rows = rows.prefetch_related(Prefetch("memberships", memberships, to_attr="present_memberships"))
    accounts = list(rows.order_by("pk")[: PEOPLE_A_PAGE + 1])
    people = accounts[:PEOPLE_A_PAGE]
    return {
        "people": people,
        "refusals": {
            person.pk: get_refusal(permissions.check_change_account, viewer, person) for person in people
        },
        "with_factor": people_with_factor(people),
        "seen": last_seen(people),
        "after": str(people[-1].pk) if len(accounts) > PEOPLE_A_PAGE else "",
        "query": query,
        "role": role,
        "roles": ROLE_LABELS,
    }


def describe_people(request: SignedIn) -> dict[str, object]:
    asked = only_parameters(request, "after", "q", "role")
    return {
        **list_people(request.user, after=parse_number(asked["after"]), query=asked["q"], role=asked["role"]),
        "invitations": open_invitations(None, now=timezone.now()),
        "sends_email": sends_email(),
        **NOTHING_MADE,
        **frame(request.user, None, "people"),
    }


YEAR = 365 * 24 * 3600


@require("sign_in", methods=("GET", "POST"))
def settings(request: SignedIn) -> HttpResponse:
    person = request.user

    def change(form: SettingsForm) -> str:
        change_settings(**form.cleaned_data, by=person, now=timezone.now())
        return reverse("settings")

    def context() -> Mapping[str, object]:
        key, now = request.session.session_key or "", timezone.now()
        sign_ins = sorted(
            SignIn.objects.of(person).filter(expire_date__gt=now),
            key=lambda row: (row.pk != key, -(row.noted("seen") or now).timestamp()),
        )
        return {"sign_ins": sign_ins, "this": key, "factor": describe_factor(person), **frame(person)}

    page = "workspace/people/settings_change.html"
    present = {"name": person.name, "time_zone": person.time_zone, "has_single_keys": person.has_single_keys}
    return form_page(request, SettingsForm, change, page=page, context=context, initial=present)


@require("sign_in", methods=("GET", "POST"))
def own_keys(request: SignedIn) -> HttpResponse:
    """The keys of the pages where one rates; each person has their own."""

    def change(form: KeysForm) -> str:
        change_keys(keys=form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("own_keys")

    page, present = "workspace/people/keys_change.html", keys_of(request.user.keys)
    context = partial(frame, request.user)
    return form_page(request, KeysForm, change, page=page, context=context, initial={**present})


@require("sign_in", methods=("GET", "POST"))
def password(request: SignedIn) -> HttpResponse:
    """Set a new password; this sign-in stays, all others end."""
    if request.method == "POST":
        limited(request, "change_password", "5/m/user")

    def change(form: PasswordForm) -> str:
        values, key = form.cleaned_data, request.session.session_key or ""
        now = timezone.now()
        change_password(old=values["old"], new=values["password"], by=request.user, now=now, keep=key)
        update_session_auth_hash(request, request.user)
        return reverse("settings")

    page = "workspace/people/password_change.html"
    return form_page(request, PasswordForm, change, page=page, context=lambda: frame(request.user))


@require("sign_in", methods=("POST",))
def end_other_browsers(request: SignedIn) -> HttpResponse:
    return press(request, end_other_sign_ins, reverse("settings"), keep=request.session.session_key or "")


@require("anyone", methods=("POST",))
def set_theme(request: SignedIn) -> HttpResponse:
    """Store the choice of light or dark in a cookie, and go back."""
    form = bind_form(request, ThemeForm)
    if not form.is_valid():
        raise Malformed(_("Choose light, dark or system."))
    back = HttpResponseRedirect(next_page(request), status=303)
    choice = form.cleaned_data["theme"]
    if choice == "auto":
        back.delete_cookie("theme", samesite="Lax")
    else:
        secure = site.SESSION_COOKIE_SECURE
        back.set_cookie("theme", choice, max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    return back
