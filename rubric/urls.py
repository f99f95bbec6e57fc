"""The addresses of the rubric wing."""

from django.urls import URLPattern, path

from rubric.views import versions

urlpatterns: list[URLPattern] = [
    path("rubrics/<slug:slug>/<str:number>/", versions.rubric_version, name="rubric_version"),
]
