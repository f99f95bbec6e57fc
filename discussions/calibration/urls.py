"""Addresses of calibration, the guideline and its practice."""

from django.urls import URLPattern, path

from discussions.calibration.views import guidelines, rounds

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/calibration/", rounds.calibrations, name="calibrations"),
    path("projects/<slug:slug>/calibration/<int:number>/", rounds.calibration, name="calibration"),
    path(
        "projects/<slug:slug>/calibration/<int:number>/close/",
        rounds.close_calibration,
        name="close_calibration",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/people/<int:person>/",
        rounds.let_rate,
        name="let_rate",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/take/",
        rounds.take_calibration,
        name="take_calibration",
    ),
    path("rate/<int:evaluation>/feedback/", rounds.calibration_feedback, name="calibration_feedback"),
    path("projects/<slug:slug>/guideline/", guidelines.guideline, name="guideline"),
    path("projects/<slug:slug>/practice/", guidelines.practice, name="practice"),
    path("projects/<slug:slug>/guideline/edit/", guidelines.edit_guideline, name="edit_guideline"),
    path("projects/<slug:slug>/guideline/read/", guidelines.confirm, name="confirm_guideline"),
]
