"""Passwords for people whom tests make by the dozen."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickPasswordHasher(PBKDF2PasswordHasher):
    """As the site's own, which reads what this one makes, with a single round."""

    iterations = 1
