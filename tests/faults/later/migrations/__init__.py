"""The migrations of discussions, and three that a later version could bring: a column, its index, its values."""

from discussions import migrations

__path__ = [*__path__, *migrations.__path__]
