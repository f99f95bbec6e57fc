"""Every address of the site, assembled from the apps."""

from django.urls import include, path
from django.urls.resolvers import RoutePattern, URLResolver

from discussions.iterations.actions import open_project
from discussions.models.iterations import iterations_by_version, list_projects_using
from discussions.preview.queries import scored_hash
from rubric.preview.views import cancel_with, preview_with, publish_with
from rubric.urls import VERSION
from rubric.versions.views.version import retire_with, rubrics_with, version_with
from workspace.people.views.projects import create_project_with
from workspace.tokens.views import api_docs_with, openapi_with


class LoadedLater(URLResolver):
    """Addresses whose module is imported when the first of them is asked for; their names are in a namespace."""

    def _populate(self) -> None:
        """Import nothing. The root resolver calls this to collect names, but names in a namespace are not collected.

        For these, `reverse` makes a resolver of its own.
        """


def describe() -> bytes:
    from evalsite.api import describe as describe_all

    return describe_all()


urlpatterns = [
    path("api/", api_docs_with(describe), name="api_docs"),
    path("api/v1/openapi.json", openapi_with(describe), name="api_openapi"),
    # Takes 20 MB, which `make run` saves until a program uses the API (docs/adr/0021).
    LoadedLater(RoutePattern("api/v1/"), "evalsite.api", app_name="api", namespace="api"),
    path("projects/new/", create_project_with(open_project), name="create_project"),
    path("rubrics/", rubrics_with(iterations_by_version), name="rubrics"),
    path(VERSION, version_with(list_projects_using), name="rubric_version"),
    path(f"{VERSION}publish/", publish_with(iterations_by_version, scored_hash), name="publish_version"),
    path(f"{VERSION}preview/", preview_with(scored_hash), name="preview_version"),
    path(f"{VERSION}preview/cancel/", cancel_with(scored_hash), name="cancel_preview"),
    path(f"{VERSION}retire/", retire_with(iterations_by_version), name="retire_version"),
    # Addresses are searched in this order: evaluators' first, they are asked for most.
    path("", include("discussions.urls")),
    path("", include("rubric.urls")),
    path("", include("workspace.urls")),
]
handler400 = "workspace.web.errors.bad_request"
handler403 = "workspace.web.errors.permission_denied"
handler404 = "workspace.web.errors.not_found"
handler429 = "workspace.web.errors.too_many_requests"
handler500 = "workspace.web.errors.server_error"
