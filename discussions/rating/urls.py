"""Addresses of rating."""

from django.urls import URLPattern, path

from discussions.rating import views

urlpatterns: list[URLPattern] = [
    path("mine/", views.mine, name="mine"),
    path("mine/answers/", views.own_history, name="own_history"),
    path("rate/<int:evaluation>/", views.rate, name="rate"),
    path("rate/<int:evaluation>/judge/", views.judge, name="judge"),
    path("rate/<int:evaluation>/undo/", views.undo, name="undo"),
    path("rate/<int:evaluation>/reopen/", views.reopen_evaluation, name="reopen_evaluation"),
    path("rate/<int:evaluation>/differences/", views.own_differences, name="own_differences"),
    path("rate/<int:evaluation>/thoughts/", views.thoughts, name="thoughts"),
    path("rate/<int:evaluation>/skip/", views.skip_game, name="skip_game"),
    path("rate/<int:evaluation>/lease/", views.renew_lease, name="renew_lease"),
    path("rate/<int:evaluation>/return/", views.return_to_game, name="return_to_game"),
]
