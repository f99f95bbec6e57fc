"""Addresses of moves to newer rubric versions."""

from django.urls import URLPattern, path

from discussions.upgrades import views

urlpatterns: list[URLPattern] = [
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/version/",
        views.change_version,
        name="change_version",
    ),
]
