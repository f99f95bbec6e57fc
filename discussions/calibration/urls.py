"""Addresses of calibration, the guideline and its practice."""

from django.urls import URLPattern, path

from discussions.calibration.views import guidelines, practice, rounds

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}calibration/", rounds.calibrations, name="calibrations"),
    path(f"{PROJECT}calibration/<int:number>/", rounds.calibration, name="calibration"),
    path(f"{PROJECT}calibration/<int:number>/close/", rounds.close_calibration, name="close_calibration"),
    path(f"{PROJECT}calibration/<int:number>/people/<int:person>/", rounds.let_rate, name="let_rate"),
    path(f"{PROJECT}calibration/<int:number>/take/", rounds.take_calibration, name="take_calibration"),
    path("rate/<int:evaluation>/feedback/", rounds.calibration_feedback, name="calibration_feedback"),
    path(f"{PROJECT}guideline/", guidelines.guideline, name="guideline"),
    path("practice/<slug:slug>/", practice.practice, name="practice"),
    path("practice/<slug:slug>/judge/", practice.judge_practice, name="judge_practice"),
    path("practice/<slug:slug>/undo/", practice.undo_practice, name="undo_practice"),
    path(f"{PROJECT}guideline/edit/", guidelines.edit_guideline, name="edit_guideline"),
    path(f"{PROJECT}guideline/read/", guidelines.confirm, name="confirm_guideline"),
]
