"""Addresses of audit."""

from django.urls import URLPattern, path

from workspace.audit import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/audit/", views.audit, name="audit"),
    path("projects/<slug:slug>/audit.<str:format_name>", views.audit_file, name="audit_file"),
    path("people/audit.<str:format_name>", views.site_audit_file, name="site_audit_file"),
    path("people/audit/", views.site_audit, name="site_audit"),
]
