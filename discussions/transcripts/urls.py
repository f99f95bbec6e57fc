"""Addresses of transcripts."""

from django.urls import URLPattern, path

from discussions.transcripts import views

_ALL = "projects/<slug:slug>/imports/"
_ONE = f"{_ALL}<int:transcript>/"
urlpatterns: list[URLPattern] = [
    path(_ALL, views.imports, name="imports"),
    path(f"{_ALL}upload/", views.import_upload, name="import_upload"),
    path(_ONE, views.import_show, name="import_show"),
    path(f"{_ONE}cancel/", views.import_cancel, name="import_cancel"),
    path(f"{_ONE}resume/", views.import_resume, name="import_resume"),
    path(f"{_ONE}seen/", views.import_seen, name="import_seen"),
    path(f"{_ONE}separate/", views.import_separate, name="import_separate"),
]
