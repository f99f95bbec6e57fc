"""Addresses of audit."""

from django.urls import URLPattern, path

from workspace.audit import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/audit/", views.audit, name="audit"),
    path("people/audit/", views.site_audit, name="site_audit"),
]
