"""Addresses of calibration, the guideline and its practice."""

from django.urls import URLPattern, path

from discussions.calibration.views import guidelines, practice, rounds

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
    path("practice/<slug:slug>/", practice.practice, name="practice"),
    path("practice/<slug:slug>/judge/", practice.judge_practice, name="judge_practice"),
    path("practice/<slug:slug>/undo/", practice.undo_practice, name="undo_practice"),
    path("projects/<slug:slug>/guideline/edit/", guidelines.edit_guideline, name="edit_guideline"),
    path("projects/<slug:slug>/guideline/read/", guidelines.confirm, name="confirm_guideline"),
]
