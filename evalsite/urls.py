"""Every address of the site, assembled from the wings."""

from django.urls import include, path

urlpatterns = [
    path("", include("workspace.urls")),
    path("", include("rubric.urls")),
    path("", include("discussions.urls")),
]

handler400 = "workspace.views.errors.bad_request"
handler403 = "workspace.views.errors.permission_denied"
handler404 = "workspace.views.errors.not_found"
handler429 = "workspace.views.errors.too_many_requests"
handler500 = "workspace.views.errors.server_error"
