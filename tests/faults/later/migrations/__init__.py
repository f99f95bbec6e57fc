"""The migrations of discussions, and those that a later version could bring: two columns, an index, the values of one."""

from discussions import migrations

__path__ = [*__path__, *migrations.__path__]
