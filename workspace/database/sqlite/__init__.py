"""Django's backend for SQLite, with turns for those who write."""
