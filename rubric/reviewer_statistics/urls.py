"""Addresses of reviewer statistics."""

from django.urls import URLPattern, path

from rubric.reviewer_statistics.views import (
    agreement,
    rater_effects,
    single_reviewer,
    state,
    success,
    weights,
)

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}manners/", rater_effects.set_rater_effects, name="set_manners"),
    path(f"{SET}manners/<int:reviewer>/", single_reviewer.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", agreement.set_agreement, name="set_agreement"),
    path(f"{SET}success/", success.set_success, name="set_success"),
    path(f"{SET}tuning/", weights.set_tuning, name="set_tuning"),
    path(f"{SET}tuning/adopt/", weights.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", state.figure_set, name="figure_set"),
]
