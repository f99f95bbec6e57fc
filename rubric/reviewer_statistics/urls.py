"""Addresses of reviewer statistics."""

from django.urls import URLPattern, path

from rubric.reviewer_statistics.views import figures, rater_effects
from workspace.web.require import moved

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}reviewers/", rater_effects.set_rater_effects, name="set_reviewers"),
    path(f"{SET}reviewers/<int:reviewer>/", rater_effects.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", figures.set_agreement, name="set_agreement"),
    path(f"{SET}success/", figures.set_success, name="set_success"),
    path(f"{SET}weights/", figures.set_weights, name="set_weights"),
    path(f"{SET}weights/adopt/", figures.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", figures.figure_set, name="figure_set"),
    path(f"{SET}manners/", moved("set_reviewers"), name="moved_reviewers"),
    path(f"{SET}manners/<int:reviewer>/", moved("set_reviewer"), name="moved_reviewer"),
    path(f"{SET}tuning/", moved("set_weights"), name="moved_weights"),
]
