"""Addresses of judges."""

from django.urls import URLPattern, path

from discussions.judges import views

JUDGES = "projects/<slug:slug>/judges/"
ONE = f"{JUDGES}<int:number>/"
urlpatterns: list[URLPattern] = [
    path(JUDGES, views.judges, name="judges"),
    path(ONE, views.show_judge, name="show_judge"),
    path(f"{ONE}run/", views.run_judge, name="run_judge"),
    path(f"{ONE}ask/", views.ask_judge, name="ask_judge"),
    path(f"{ONE}stop/", views.stop_judge, name="stop_judge"),
    path(f"{ONE}answers/", views.judge_answers, name="judge_answers"),
    path(f"{ONE}prompts/", views.judge_prompts, name="judge_prompts"),
    path(f"{ONE}upload/", views.upload_judge_answers, name="upload_judge_answers"),
    path(f"{ONE}admit/", views.admit_judge, name="admit_judge"),
    path(f"{ONE}withdraw/", views.withdraw_admission, name="withdraw_admission"),
    path(f"{ONE}suspend/", views.suspend_judge, name="suspend_judge"),
    path(f"{ONE}resume/", views.resume_judge, name="resume_judge"),
    path(f"{ONE}end/", views.end_judge, name="end_judge"),
]
