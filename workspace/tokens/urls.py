"""Addresses of access tokens, and of the documentation that programs read."""

from django.conf import settings
from django.urls import URLPattern, path
from django.views.static import serve

from workspace.tokens import views
from workspace.web.require import require

# They say nothing about this installation.
DOCS, show_docs = {"document_root": settings.BASE_DIR / "docs"}, require("anyone")(serve)  # type: ignore[arg-type]

urlpatterns: list[URLPattern] = [
    path("settings/tokens/", views.own_tokens, name="access_tokens"),
    path("settings/tokens/<int:token>/revoke/", views.revoke, name="revoke_access_token"),
    path("llms.txt", show_docs, {"path": "llms.txt", **DOCS}, name="llms"),
    path("docs/<path:path>", show_docs, DOCS, name="docs"),
    path("people/tokens/", views.all_tokens, name="all_access_tokens"),
    path("people/<int:person>/tokens/", views.service_tokens, name="service_tokens"),
]
