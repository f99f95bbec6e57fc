"""Addresses of calibration."""

from django.urls import URLPattern, path

from discussions.calibration import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/calibration/", views.calibrations, name="calibrations"),
    path("projects/<slug:slug>/calibration/<int:number>/", views.calibration, name="calibration"),
    path(
        "projects/<slug:slug>/calibration/<int:number>/close/",
        views.close_calibration,
        name="close_calibration",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/people/<int:person>/",
        views.let_rate,
        name="let_rate",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/take/",
        views.take_calibration,
        name="take_calibration",
    ),
    path("rate/<int:evaluation>/feedback/", views.calibration_feedback, name="calibration_feedback"),
]
