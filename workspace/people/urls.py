"""Addresses of people and projects."""

from django.urls import URLPattern, path

from workspace.people import password_reset
from workspace.people.views import people, projects

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path("settings/", people.settings, name="settings"),
    path("settings/keys/", people.own_keys, name="own_keys"),
    path("settings/password/", people.password, name="account_change_password"),
    path("settings/sign-ins/end/", people.end_other_browsers, name="end_other_sign_ins"),
    path("settings/theme/", people.set_theme, name="set_theme"),
    path(f"{PROJECT}people/", people.members, name="members"),
    path(f"{PROJECT}people/add/", people.add_to_project, name="add_to_project"),
    path(f"{PROJECT}people/<int:membership>/role/", people.change_member, name="change_member"),
    path(f"{PROJECT}people/<int:membership>/end/", people.end_member, name="end_member"),
    path(
        f"{PROJECT}people/invitations/<int:invitation>/withdraw/",
        people.withdraw_from_project,
        name="withdraw_from_project",
    ),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite_admin, name="invite_admin"),
    path("people/<int:person>/off/", people.switch_off, name="switch_off"),
    path("people/<int:person>/on/", people.switch_on, name="switch_on"),
    path("people/<int:person>/email/", people.email, name="change_email"),
    path("people/<int:person>/password/", people.password_link, name="password_link"),
    path("password/<int:person>/<str:token>/", people.password_by_link, name="password_by_link"),
    path("forgotten-password/", password_reset.forgotten, name="account_reset_password"),
    path("forgotten-password/sent/", password_reset.link_sent, name="account_reset_password_done"),
    path(
        "new-password/<str:uidb36>/<str:key>/", password_reset.reset, name="account_reset_password_from_key"
    ),
    path("people/invitations/<int:invitation>/withdraw/", people.withdraw_admin, name="withdraw_admin"),
    path("invitations/<str:secret>/", people.invitation, name="invitation"),
    path("projects/", projects.projects, name="projects"),
]
