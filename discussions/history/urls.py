"""Addresses of history."""

from django.urls import URLPattern, path

from discussions.history import views

STAGE = "projects/<slug:slug>/stages/<int:stage>/"

urlpatterns: list[URLPattern] = [
    path(STAGE, views.stage, name="stage"),
    path(f"{STAGE}summary/", views.stage_summary, name="stage_summary"),
    path(f"{STAGE}summary.md", views.stage_summary_markdown, name="stage_summary_markdown"),
    path(f"{STAGE}summary.json", views.stage_summary_json, name="stage_summary_json"),
    path(f"{STAGE}figures.csv", views.stage_figures, name="stage_figures"),
]
