"""Addresses of reviewer statistics."""

from django.urls import URLPattern, path

from rubric.reviewer_statistics import views

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}manners/", views.set_rater_effects, name="set_manners"),
    path(f"{SET}manners/<int:reviewer>/", views.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", views.set_agreement, name="set_agreement"),
    path(f"{SET}success/", views.set_success, name="set_success"),
    path(f"{SET}tuning/", views.set_tuning, name="set_tuning"),
    path(f"{SET}tuning/adopt/", views.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", views.figure_set, name="figure_set"),
]
