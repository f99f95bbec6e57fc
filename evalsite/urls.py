"""Every address of the site, assembled from the wings."""

from django.urls import include, path

from discussions.actions.iterating import open_project
from discussions.models.iterations import iterations_by_version
from discussions.models.scored import scored_hash
from rubric.urls import VERSION
from rubric.views.previewing import cancel_with, preview_with
from rubric.views.publishing import publish_with, retire_with, rubrics_with
from workspace.views.projects import create_project_with

urlpatterns = [
    path("projects/new/", create_project_with(open_project), name="create_project"),
    path("rubrics/", rubrics_with(iterations_by_version), name="rubrics"),
    path(f"{VERSION}publish/", publish_with(iterations_by_version, scored_hash), name="publish_version"),
    path(f"{VERSION}preview/", preview_with(scored_hash), name="preview_version"),
    path(f"{VERSION}preview/cancel/", cancel_with(scored_hash), name="cancel_preview"),
    path(f"{VERSION}retire/", retire_with(iterations_by_version), name="retire_version"),
    path("", include("workspace.urls")),
    path("", include("rubric.urls")),
    path("", include("discussions.urls")),
]

handler400 = "workspace.views.errors.bad_request"
handler403 = "workspace.views.errors.permission_denied"
handler404 = "workspace.views.errors.not_found"
handler429 = "workspace.views.errors.too_many_requests"
handler500 = "workspace.views.errors.server_error"
