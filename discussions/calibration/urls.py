"""Addresses of calibration, the guideline and its practice."""

from django.urls import URLPattern, path

from discussions.calibration import views

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}calibration/", views.calibrations, name="calibrations"),
    path(f"{PROJECT}calibration/<int:number>/", views.calibration, name="calibration"),
    path(f"{PROJECT}calibration/<int:number>/close/", views.close_calibration, name="close_calibration"),
    path(f"{PROJECT}calibration/<int:number>/people/<int:person>/", views.let_rate, name="let_rate"),
    path(f"{PROJECT}calibration/<int:number>/take/", views.take_calibration, name="take_calibration"),
    path("rate/<int:evaluation>/feedback/", views.calibration_feedback, name="calibration_feedback"),
    path(f"{PROJECT}guideline/", views.guideline, name="guideline"),
    path("practice/<slug:slug>/", views.practice, name="practice"),
    path("practice/<slug:slug>/judge/", views.judge_practice, name="judge_practice"),
    path("practice/<slug:slug>/undo/", views.undo_practice, name="undo_practice"),
    path(f"{PROJECT}guideline/edit/", views.edit_guideline, name="edit_guideline"),
    path(f"{PROJECT}guideline/read/", views.confirm, name="confirm_guideline"),
]
