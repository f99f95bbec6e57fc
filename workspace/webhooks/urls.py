"""Addresses of webhooks."""

from django.urls import URLPattern, path

from workspace.webhooks import views

ONE = "projects/<slug:slug>/webhooks/<int:webhook>/"

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/webhooks/", views.webhooks, name="webhooks"),
    path(ONE, views.webhook, name="webhook"),
    path(f"{ONE}secret/", views.replace, name="replace_webhook_secret"),
    path(f"{ONE}test/", views.test, name="test_webhook"),
    path(f"{ONE}remove/", views.remove, name="remove_webhook"),
    path(f"{ONE}deliveries/<int:delivery>/again/", views.again, name="send_again"),
]
