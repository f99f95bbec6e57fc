"""Addresses of human reviewers."""

from django.urls import URLPattern, path

from rubric.human_reviewers import views

urlpatterns: list[URLPattern] = [
    path("reviews/", views.reviews, name="reviews"),
    path("reviews/next/<int:comparison_set>/", views.next_review, name="next_review"),
    path("reviews/begin/<int:comparison>/", views.begin, name="begin_review"),
    path("reviews/<int:review>/", views.review, name="review"),
    path("reviews/<int:review>/mark/", views.mark, name="mark"),
    path("reviews/<int:review>/undo/", views.undo_mark, name="undo_mark"),
    path("reviews/<int:review>/hand-in/", views.submit_review, name="submit_review"),
]
