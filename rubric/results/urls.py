"""Addresses of results and surveys."""

from django.urls import URLPattern, path

from rubric.results import views

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}results/", views.set_results, name="set_results"),
    path(f"{SET}<int:comparison>/", views.comparison_result, name="comparison_result"),
    path(f"{SET}<int:comparison>/survey/", views.survey, name="survey"),
]
