"""Addresses of a set's calibration rounds and hidden duplicates."""

from django.urls import URLPattern, path

from rubric.calibration import views

SET = "projects/<slug:slug>/comparisons/<int:number>/"
ROUND = f"{SET}calibration/<int:calibration>/"

urlpatterns: list[URLPattern] = [
    path(f"{SET}calibration/", views.set_calibrations, name="set_calibrations"),
    path(f"{SET}repeats/", views.change_repeats, name="change_repeats"),
    path(ROUND, views.set_calibration, name="set_calibration"),
    path(f"{ROUND}close/", views.close_set_calibration, name="close_set_calibration"),
    path(f"{ROUND}people/<int:reviewer>/", views.let_review, name="let_review"),
]
