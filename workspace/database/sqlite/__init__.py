"""Django's backend for SQLite, where writers take turns."""
