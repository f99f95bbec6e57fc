"""Addresses of authentication."""

from django.conf import settings as site
from django.urls import URLPattern, path

from workspace.authentication import views

urlpatterns: list[URLPattern] = [
    path("sign-in/", views.sign_in, name="account_login"),
    path("sign-in/second-step/", views.second_step, name="second_step"),
    path("sign-out/", views.sign_out, name="account_logout"),
    path("settings/second-factor/", views.second_factor, name="second_factor"),
    path("settings/second-factor/set-up/", views.set_up, name="set_up_second_factor"),
    path("settings/second-factor/codes/", views.renew_codes, name="renew_recovery_codes"),
    path("settings/second-factor/off/", views.switch_off, name="switch_off_second_factor"),
    path("people/<int:person>/second-factor/", views.reset, name="reset_second_factor"),
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
