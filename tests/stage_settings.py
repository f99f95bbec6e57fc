"""The settings of scripts that set a running site's stage: the site's, but that making many people takes no time.

The site itself checks the passwords, at its full cost.
"""

from tests.site_settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.quick_passwords.QuickPasswordHasher"]
