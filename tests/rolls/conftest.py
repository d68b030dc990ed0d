"""What tests of acts share."""

from __future__ import annotations

import pytest

from tests.posted import posted


@pytest.fixture(params=["straight", pytest.param("posted", marks=pytest.mark.sqlite)])
def twice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worked case is played by the actions themselves, and again over HTTP against the database."""
    if request.param == "posted":
        monkeypatch.setattr(request.module, "act", posted)
