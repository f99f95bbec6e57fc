"""Addresses of checks."""

from django.urls import URLPattern, path

from workspace.checks import views

urlpatterns: list[URLPattern] = [
    path("status/", views.status, name="status"),
    path("jobs/<int:job>/retry/", views.retry, name="retry_job"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]
