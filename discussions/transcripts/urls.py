"""Addresses of transcripts."""

from django.urls import URLPattern, path

from discussions.transcripts import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/imports/", views.imports, name="imports"),
    path("projects/<slug:slug>/imports/upload/", views.import_upload, name="import_upload"),
    path("projects/<slug:slug>/imports/<int:transcript>/", views.import_show, name="import_show"),
    path("projects/<slug:slug>/imports/<int:transcript>/cancel/", views.import_cancel, name="import_cancel"),
    path("projects/<slug:slug>/imports/<int:transcript>/resume/", views.import_resume, name="import_resume"),
    path("projects/<slug:slug>/imports/<int:transcript>/seen/", views.import_seen, name="import_seen"),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/separate/",
        views.import_separate,
        name="import_separate",
    ),
]
