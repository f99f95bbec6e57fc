"""Addresses of versions."""

from django.urls import URLPattern, path

from rubric.versions import views

VERSION = "rubrics/<slug:slug>/<str:number>/"
urlpatterns: list[URLPattern] = [
    path("rubrics/import/", views.import_rubric, name="import_rubric"),
    path("rubrics/scoring/", views.choose_scoring, name="choose_scoring"),
    path(VERSION, views.rubric_version, name="rubric_version"),
    path(f"{VERSION}differences/", views.compare_versions, name="compare_versions"),
    path(f"{VERSION}rubric.json", views.export_version, name="export_version"),
    path(f"{VERSION}draft/", views.draft_version, name="draft_version"),
    path(f"{VERSION}edit/", views.edit_version, name="edit_version"),
    path(f"{VERSION}offer/", views.offer_version, name="offer_version"),
    path(f"{VERSION}discard/", views.discard_version, name="discard_version"),
]
