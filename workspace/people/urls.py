"""Addresses of people."""

from django.urls import URLPattern, path

from workspace.people import password_reset, views

urlpatterns: list[URLPattern] = [
    path("settings/", views.settings, name="settings"),
    path("settings/password/", views.password, name="account_change_password"),
    path("settings/sign-ins/end/", views.end_other_browsers, name="end_other_sign_ins"),
    path("settings/theme/", views.set_theme, name="set_theme"),
    path("projects/<slug:slug>/people/", views.members, name="members"),
    path("projects/<slug:slug>/people/add/", views.add_to_project, name="add_to_project"),
    path("projects/<slug:slug>/people/<int:membership>/role/", views.change_member, name="change_member"),
    path("projects/<slug:slug>/people/<int:membership>/end/", views.end_member, name="end_member"),
    path(
        "projects/<slug:slug>/people/invitations/<int:invitation>/withdraw/",
        views.withdraw_from_project,
        name="withdraw_from_project",
    ),
    path("people/", views.people, name="people"),
    path("people/invite/", views.invite_admin, name="invite_admin"),
    path("people/<int:person>/off/", views.switch_off, name="switch_off"),
    path("people/<int:person>/on/", views.switch_on, name="switch_on"),
    path("people/<int:person>/password/", views.password_link, name="password_link"),
    path("password/<int:person>/<str:token>/", views.password_by_link, name="password_by_link"),
    path("forgotten-password/", password_reset.forgotten, name="account_reset_password"),
    path("forgotten-password/sent/", password_reset.link_sent, name="account_reset_password_done"),
    path(
        "new-password/<str:uidb36>/<str:key>/", password_reset.reset, name="account_reset_password_from_key"
    ),
    path("people/invitations/<int:invitation>/withdraw/", views.withdraw_admin, name="withdraw_admin"),
    path("invitations/<str:secret>/", views.invitation, name="invitation"),
]
