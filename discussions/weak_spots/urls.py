"""Addresses of weak spots."""

from django.urls import URLPattern, path

from discussions.weak_spots import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/iterations/<int:iteration>/weak-spots/", views.weak_spots, name="weak_spots"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/weak-spots.md",
        views.weak_spots_markdown,
        name="weak_spots_markdown",
    ),
]
