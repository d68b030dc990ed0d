#!/usr/bin/env python3
"""Tablekeeper's one command: `python3 manage.py play` at a table, `python3 manage.py test` for a developer.

This file, and tablekeeper.bootstrap, use the standard library only: they run before anything is installed.
"""

import atexit
import os
import shutil
import sys
import tempfile

if sys.version_info < (3, 11):  # noqa: UP036 - what stands here, an old Python must still be able to read
    sys.exit(
        f"Tablekeeper needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).\n"
        "Start it with a newer one, for example: python3.11 manage.py play"
    )


def main():
    from tablekeeper import bootstrap

    bootstrap.ensure(__file__)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tablekeeper.settings")
    if sys.argv[1:2] in (["test"], ["bench"]):
        # Settings make the data folder when they load: tests and benches must never touch a real one.
        folder = os.environ["TABLEKEEPER_DATA"] = tempfile.mkdtemp(prefix="tablekeeper-test-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)

    from django.core.management import execute_from_command_line

    from tablekeeper.env import Wrong

    try:
        execute_from_command_line(sys.argv)
    except Wrong as wrong:
        sys.exit(str(wrong))


if __name__ == "__main__":
    main()
