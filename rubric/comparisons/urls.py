"""Addresses of comparisons."""

from django.urls import URLPattern, path

from rubric.comparisons import views

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"

urlpatterns: list[URLPattern] = [
    path(SETS, views.comparison_sets, name="comparison_sets"),
    path(f"{SETS}new/", views.open_set, name="open_set"),
    path(SET, views.comparison_set, name="comparison_set"),
    path(f"{SET}add/", views.add_comparison, name="add_comparison"),
    path(f"{SET}import/", views.import_comparisons, name="import_comparisons"),
    path(f"{SET}people/", views.add_reviewer, name="add_reviewer"),
    path(f"{SET}people/<int:reviewer>/end/", views.end_reviewer, name="end_reviewer"),
    path(f"{SET}places/", views.change_people_needed, name="change_people_needed"),
    path(f"{SET}close/", views.close_set, name="close_set"),
    path(f"{SET}reopen/", views.reopen_set, name="reopen_set"),
]
