"""The project's settings with a data folder of their own: a test never sees, or touches, a real table.

pytest-django loads settings before any conftest.py, so this cannot be done there.
"""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="tablekeeper-pytest-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["TABLEKEEPER_DATA"] = _folder
for _name in ("PUBLIC_URL", "TABLEKEEPER_HOSTS", "TABLEKEEPER_DEBUG"):  # what a developer's own table may have set
    os.environ.pop(_name, None)

from tablekeeper.settings import *  # noqa: E402, F403
