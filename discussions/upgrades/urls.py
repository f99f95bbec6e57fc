"""Addresses of moves to newer rubric versions, and of measuring again."""

from django.urls import URLPattern, path

from discussions.upgrades import views

urlpatterns: list[URLPattern] = [
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/version/",
        views.change_version,
        name="change_version",
    ),
    path("projects/<slug:slug>/measure-again/", views.measure_outdated, name="measure_again"),
]
