"""Addresses of access tokens, and of the documentation that programs read."""

from django.urls import URLPattern, path

from workspace.tokens import views

urlpatterns: list[URLPattern] = [
    path("settings/tokens/", views.own_tokens, name="access_tokens"),
    path("settings/tokens/<int:token>/revoke/", views.revoke, name="revoke_access_token"),
    path("llms.txt", views.show_docs, {"name": "llms.txt"}, name="llms"),
    path("docs/<str:name>", views.show_docs, name="docs"),
    path("people/tokens/", views.all_tokens, name="all_access_tokens"),
    path("people/<int:person>/tokens/", views.service_tokens, name="service_tokens"),
]
