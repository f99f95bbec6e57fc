"""The addresses of the rubric wing. Those that count who uses a version are wired in evalsite/urls.py."""

from django.urls import URLPattern, path

from rubric.views import drafts, versions

VERSION = "rubrics/<slug:slug>/<str:number>/"

urlpatterns: list[URLPattern] = [
    path("rubrics/import/", drafts.import_rubric, name="import_rubric"),
    path(VERSION, versions.rubric_version, name="rubric_version"),
    path(f"{VERSION}differences/", versions.compare_versions, name="compare_versions"),
    path(f"{VERSION}rubric.json", versions.export_version, name="export_version"),
    path(f"{VERSION}draft/", drafts.draft_version, name="draft_version"),
    path(f"{VERSION}edit/", drafts.edit_version, name="edit_version"),
]
