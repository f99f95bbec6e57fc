"""The addresses of the workspace wing. A new project is opened by the last wing's action: see evalsite/urls.py."""

from django.urls import URLResolver, include, path

PACKAGES = (
    "audit",
    "authentication",
    "exports",
    "projects",
    "people",
    "tokens",
    "webhooks",
    "notifications",
    "checks",
    "design",
)
urlpatterns: list[URLResolver] = [path("", include(f"workspace.{package}.urls")) for package in PACKAGES]
