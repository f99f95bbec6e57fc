"""Addresses of surveys."""

from django.urls import URLPattern, path

from rubric.surveys import views

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"
urlpatterns: list[URLPattern] = [
    path(f"{SET}<int:comparison>/survey/", views.survey, name="survey"),
]
