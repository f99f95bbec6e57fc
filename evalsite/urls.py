"""Every address of the site, assembled from the wings."""

from django.urls import include, path

urlpatterns = [
    path("", include("workspace.urls")),
    path("", include("rubric.urls")),
    path("", include("discussions.urls")),
]
