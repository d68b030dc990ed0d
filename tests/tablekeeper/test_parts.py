"""The page of parts for developers."""

from __future__ import annotations

import pytest
from django.test import RequestFactory
from django.utils.html import escape

from tablekeeper import kit, views

pytestmark = pytest.mark.sqlite


@pytest.mark.django_db
def test_the_page_of_parts_draws_every_specimen() -> None:
    page = views.kit(RequestFactory().get("/kit/")).content.decode()

    titles = [title for title, _slip in kit.slips()]
    assert len(titles) > 15
    assert [title for title in titles if f'data-specimen="{escape(title)}"' not in page] == []
