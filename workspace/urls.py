"""The addresses of the workspace app. A new project is opened by the last app's action: see evalsite/urls.py."""

from django.conf import settings as site
from django.urls import URLPattern, path

from workspace.audit import views as audit
from workspace.authentication import views as authentication
from workspace.checks import views as checks
from workspace.design import views as design
from workspace.exports import views as exports
from workspace.outbox import views as outbox
from workspace.people import password_reset
from workspace.people.views import people, projects
from workspace.tokens import views as tokens

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}audit/", audit.audit, name="audit"),
    path(f"{PROJECT}audit.<str:format_name>", audit.audit_file, name="audit_file"),
    path("people/audit.<str:format_name>", audit.site_audit_file, name="site_audit_file"),
    path("people/audit/", audit.site_audit, name="site_audit"),
    path("sign-in/", authentication.sign_in, name="account_login"),
    path("sign-in/second-step/", authentication.second_step, name="second_step"),
    path("sign-out/", authentication.sign_out, name="account_logout"),
    path("settings/second-factor/", authentication.second_factor, name="second_factor"),
    path("settings/second-factor/set-up/", authentication.set_up, name="set_up_second_factor"),
    path("settings/second-factor/codes/", authentication.renew_codes, name="renew_recovery_codes"),
    path("settings/second-factor/off/", authentication.switch_off, name="switch_off_second_factor"),
    path("people/<int:person>/second-factor/", authentication.reset, name="reset_second_factor"),
    path(f"{PROJECT}exports/", exports.exports, name="exports"),
    path(f"{PROJECT}exports/<int:export>/file/", exports.download_export, name="download_export"),
    path(f"{PROJECT}exports/<int:export>/cancel/", exports.cancel, name="cancel_export"),
    path(f"{PROJECT}exports/<int:export>/remove/", exports.remove, name="remove_export"),
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
    path("settings/tokens/", tokens.own_tokens, name="access_tokens"),
    path("settings/tokens/<int:token>/revoke/", tokens.revoke, name="revoke_access_token"),
    path("llms.txt", tokens.show_docs, {"name": "llms.txt"}, name="llms"),
    path("docs/<str:name>", tokens.show_docs, name="docs"),
    path("people/tokens/", tokens.all_tokens, name="all_access_tokens"),
    path("people/<int:person>/tokens/", tokens.service_tokens, name="service_tokens"),
    path(f"{PROJECT}webhooks/", outbox.webhooks, name="webhooks"),
    path(f"{PROJECT}webhooks/<int:webhook>/", outbox.webhook, name="webhook"),
    path(f"{PROJECT}webhooks/<int:webhook>/secret/", outbox.replace, name="replace_webhook_secret"),
    path(f"{PROJECT}webhooks/<int:webhook>/test/", outbox.test, name="test_webhook"),
    path(f"{PROJECT}webhooks/<int:webhook>/remove/", outbox.remove, name="remove_webhook"),
    path(
        f"{PROJECT}webhooks/<int:webhook>/deliveries/<int:delivery>/again/", outbox.again, name="send_again"
    ),
    path("notifications/", outbox.notifications, name="notifications"),
    path("notifications/read/", outbox.read_all, name="read_notifications"),
    path("notifications/<int:notification>/", outbox.notification, name="notification"),
    path("settings/notifications/", outbox.notification_settings, name="notification_settings"),
    path("status/", checks.status, name="status"),
    path("jobs/<int:job>/retry/", checks.retry, name="retry_job"),
    path("healthz", checks.healthz, name="healthz"),
    path("readyz", checks.readyz, name="readyz"),
    path("metrics", checks.metrics, name="metrics"),
    path("design/", design.design, name="design"),
]

if site.OIDC_ISSUER:  # loaded only where it is configured
    from workspace.authentication import oidc

    urlpatterns += [
        path("sign-in/outside/", oidc.begin, {"provider_id": oidc.PROVIDER}, name="openid_connect_login"),
        path(
            "sign-in/outside/back/",
            oidc.come_back,
            {"provider_id": oidc.PROVIDER},
            name="openid_connect_callback",
        ),
    ]
