"""The app installed from the wheel, without a checkout."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.actions import new_page, open_page
from tests.browser.running_app import running_app


@pytest.mark.slow
def test_the_app_runs_from_the_wheel(chromium: Browser, wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    zipfile.ZipFile(wheel).extractall(installed)
    with (installed / "convgate" / "_app" / "app.py").open("a", encoding="utf-8") as app:
        app.write('\nimport streamlit as st\n\nst.caption("This is the copy in the wheel.")\n')
    where = {"PYTHONPATH": os.pathsep.join([str(installed), os.environ["PYTHONPATH"]])}
    with running_app(tmp_path / "home", environment=where) as address:
        page = new_page(chromium.new_context())
        open_page(page, address)
        expect(page.get_by_text("This is the copy in the wheel.")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        page.context.close()
