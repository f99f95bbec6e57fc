"""Every address of the site, assembled from the wings."""

from django.urls import include, path

from discussions.actions.iterating import open_project
from workspace.views.projects import create_project_with

urlpatterns = [
    path("projects/new/", create_project_with(open_project), name="create_project"),
    path("", include("workspace.urls")),
    path("", include("rubric.urls")),
    path("", include("discussions.urls")),
]

handler400 = "workspace.views.errors.bad_request"
handler403 = "workspace.views.errors.permission_denied"
handler404 = "workspace.views.errors.not_found"
handler429 = "workspace.views.errors.too_many_requests"
handler500 = "workspace.views.errors.server_error"
