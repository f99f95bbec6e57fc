"""The addresses of the workspace app. A new project is opened by the last app's action: see evalsite/urls.py."""

from django.urls import URLResolver, include, path

PACKAGES = (
    "audit",
    "authentication",
    "exports",
    "people",
    "tokens",
    "outbox",
    "checks",
    "design",
)
urlpatterns: list[URLResolver] = [path("", include(f"workspace.{package}.urls")) for package in PACKAGES]
