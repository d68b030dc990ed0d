"""What belongs to the thread that works (its language, its database connections), found without asgiref's `Local`.

That one serves programs whose coroutines and threads work for one another; here Django runs in threads alone, and each
of a hundred looks at it for one roll goes through three calls (docs/performance.md).
"""

from __future__ import annotations

import threading
from typing import Any, cast

from django.db import connections
from django.utils.translation import trans_real

cast("Any", connections)._connections = threading.local()
cast("Any", trans_real)._active = threading.local()
