"""Addresses of notifications."""

from django.urls import URLPattern, path

from workspace.notifications import views

urlpatterns: list[URLPattern] = [
    path("notifications/", views.notifications, name="notifications"),
    path("notifications/read/", views.read_all, name="read_notifications"),
    path("notifications/<int:notification>/", views.notification, name="notification"),
    path("settings/notifications/", views.notification_settings, name="notification_settings"),
]
