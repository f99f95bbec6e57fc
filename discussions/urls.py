"""The addresses of the discussions wing."""

from django.urls import URLPattern, path

from discussions.views import importing

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/imports/", importing.imports, name="imports"),
    path("projects/<slug:slug>/imports/upload/", importing.import_upload, name="import_upload"),
    path("projects/<slug:slug>/imports/<int:transcript>/", importing.import_show, name="import_show"),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/cancel/", importing.import_cancel, name="import_cancel"
    ),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/resume/", importing.import_resume, name="import_resume"
    ),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/separate/",
        importing.import_separate,
        name="import_separate",
    ),
]
