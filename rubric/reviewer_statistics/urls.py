"""Addresses of reviewer statistics."""

from django.urls import URLPattern, path

from rubric.reviewer_statistics.views import figures, rater_effects

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}manners/", rater_effects.set_rater_effects, name="set_manners"),
    path(f"{SET}manners/<int:reviewer>/", rater_effects.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", figures.set_agreement, name="set_agreement"),
    path(f"{SET}success/", figures.set_success, name="set_success"),
    path(f"{SET}tuning/", figures.set_tuning, name="set_tuning"),
    path(f"{SET}tuning/adopt/", figures.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", figures.figure_set, name="figure_set"),
]
