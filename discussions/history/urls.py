"""Addresses of history."""

from django.urls import URLPattern, path

from discussions.history import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/stages/<int:stage>/", views.stage, name="stage"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary/",
        views.stage_summary,
        name="stage_summary",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.md",
        views.stage_summary_markdown,
        name="stage_summary_markdown",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.json",
        views.stage_summary_json,
        name="stage_summary_json",
    ),
    path("projects/<slug:slug>/stages/<int:stage>/figures.csv", views.stage_figures, name="stage_figures"),
]
