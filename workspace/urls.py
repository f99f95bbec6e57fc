"""The addresses of the workspace wing. A new project is opened by the last wing's action: see evalsite/urls.py."""

from django.conf import settings as site
from django.urls import URLPattern, path

from workspace.views import (
    members,
    oversight,
    people,
    projects,
    second_factors,
    second_step,
    settings,
    sign_in,
)

urlpatterns: list[URLPattern] = [
    path("sign-in/", sign_in.sign_in, name="account_login"),
    path("sign-in/second-step/", second_step.second_step, name="second_step"),
    path("sign-out/", sign_in.sign_out, name="account_logout"),
    path("settings/", settings.settings, name="settings"),
    path("settings/password/", settings.password, name="account_change_password"),
    path("settings/sign-ins/end/", settings.end_others, name="end_other_sign_ins"),
    path("settings/second-factor/", second_factors.second_factor, name="second_factor"),
    path("settings/second-factor/set-up/", second_factors.set_up, name="set_up_second_factor"),
    path("settings/second-factor/codes/", second_factors.renew_codes, name="renew_recovery_codes"),
    path("settings/second-factor/off/", second_factors.switch_off, name="switch_off_second_factor"),
    path("settings/theme/", settings.set_theme, name="set_theme"),
    path("projects/", projects.projects, name="projects"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/people/", members.members, name="members"),
    path("projects/<slug:slug>/people/add/", members.add_to_project, name="add_to_project"),
    path("projects/<slug:slug>/people/<int:membership>/role/", members.change_member, name="change_member"),
    path("projects/<slug:slug>/people/<int:membership>/end/", members.end_member, name="end_member"),
    path(
        "projects/<slug:slug>/people/invitations/<int:invitation>/withdraw/",
        members.withdraw_from_project,
        name="withdraw_from_project",
    ),
    path("projects/<slug:slug>/audit/", oversight.audit, name="audit"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite_admin, name="invite_admin"),
    path("people/<int:person>/off/", people.switch_off, name="switch_off"),
    path("people/<int:person>/on/", people.switch_on, name="switch_on"),
    path("people/<int:person>/second-factor/", second_factors.reset, name="reset_second_factor"),
    path("people/invitations/<int:invitation>/withdraw/", people.withdraw_admin, name="withdraw_admin"),
    path("people/audit/", oversight.site_audit, name="site_audit"),
    path("invitations/<str:secret>/", people.invitation, name="invitation"),
    path("status/", oversight.status, name="status"),
    path("healthz", oversight.healthz, name="healthz"),
    path("readyz", oversight.readyz, name="readyz"),
]

if site.OIDC_ISSUER:  # what it needs is loaded only where it is configured
    from workspace.views import oidc

    urlpatterns += [
        path("sign-in/outside/", oidc.begin, {"provider_id": oidc.PROVIDER}, name="openid_connect_login"),
        path(
            "sign-in/outside/back/",
            oidc.come_back,
            {"provider_id": oidc.PROVIDER},
            name="openid_connect_callback",
        ),
    ]
