"""Addresses of webhooks and notifications."""

from django.urls import URLPattern, path

from workspace.outbox import views

WEBHOOKS = "projects/<slug:slug>/webhooks/"
ONE = f"{WEBHOOKS}<int:webhook>/"

urlpatterns: list[URLPattern] = [
    path(WEBHOOKS, views.webhooks, name="webhooks"),
    path(ONE, views.webhook, name="webhook"),
    path(f"{ONE}secret/", views.replace, name="replace_webhook_secret"),
    path(f"{ONE}test/", views.test, name="test_webhook"),
    path(f"{ONE}remove/", views.remove, name="remove_webhook"),
    path(f"{ONE}deliveries/<int:delivery>/again/", views.again, name="send_again"),
    path("notifications/", views.notifications, name="notifications"),
    path("notifications/read/", views.read_all, name="read_notifications"),
    path("notifications/<int:notification>/", views.notification, name="notification"),
    path("settings/notifications/", views.notification_settings, name="notification_settings"),
]
