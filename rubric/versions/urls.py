"""Addresses of versions."""

from django.urls import URLPattern, path

from rubric.versions.views import editor, version

VERSION = "rubrics/<slug:slug>/<str:number>/"
urlpatterns: list[URLPattern] = [
    path("rubrics/import/", editor.import_rubric, name="import_rubric"),
    path("rubrics/scoring/", version.choose_scoring, name="choose_scoring"),
    path(VERSION, version.rubric_version, name="rubric_version"),
    path(f"{VERSION}differences/", version.compare_versions, name="compare_versions"),
    path(f"{VERSION}rubric.json", version.export_version, name="export_version"),
    path(f"{VERSION}draft/", editor.draft_version, name="draft_version"),
    path(f"{VERSION}edit/", editor.edit_version, name="edit_version"),
    path(f"{VERSION}offer/", version.offer_version, name="offer_version"),
    path(f"{VERSION}discard/", version.discard_version, name="discard_version"),
]
