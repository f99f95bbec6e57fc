"""Addresses of verdicts."""

from django.urls import URLPattern, path

from discussions.verdicts import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/verdict/", views.verdict, name="verdict"),
    path("projects/<slug:slug>/games/<int:number>/verdict/record/", views.record, name="record_verdict"),
    path(
        "projects/<slug:slug>/games/<int:number>/verdict/<int:verdict>/replay/",
        views.replay,
        name="replay_verdict",
    ),
    path("projects/<slug:slug>/games/<int:number>/report/", views.report, name="report"),
    path("projects/<slug:slug>/games/<int:number>/report.md", views.report_markdown, name="report_markdown"),
    path("projects/<slug:slug>/games/<int:number>/report.json", views.report_json, name="report_json"),
    path("projects/<slug:slug>/games/<int:number>/report.csv", views.report_csv, name="report_csv"),
]
