"""`make screenshots`: every page of the app on its samples, light and dark, wide and narrow, as PNG files."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page

from convgate.core.settings import load_settings
from convgate.selection.load import load
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.ui.shared.annotator import COOKIE
from tests.browser.actions import new_page, open_page, wait_until_idle
from tests.browser.running_app import add_samples, find_chromium, page_paths, running_app, running_chromium
from tools.worked_home import NAME, agents, budgets, experiments, requests, work

CHECKOUT = Path(__file__).resolve().parent.parent
SAMPLE = "support_invoice_router_parcel.json"
RIGHT = "nan_and_fibonacci.jsonl"  # what Explore shows: the gate keeps what its labels say
LABELS, CASE = CHECKOUT / "sample_conversations" / "samples.relevance.jsonl", "nan-and-fibonacci-1"
LOGIN = "login_jwt_ldap.json"
DAY = "purple_button_one_day.json"
WIDTHS = {1440: 900, 400: 800}  # px: width, and the height of the window before the page is measured
SCHEMES = ("light", "dark")
FIRST = "first-visit"
TALLEST = 12_000  # px; a page that never ends is cut here

# Streamlit scrolls inside the window, so the window has to be as tall as the page for all of it to be seen.
HEIGHT = """() => Math.ceil(Math.max(...['stMainBlockContainer', 'stSidebarUserContent'].map(name => {
    const box = document.querySelector(`[data-testid="${name}"]`)?.getBoundingClientRect();
    return box && box.right > 0 ? box.bottom : 0;
})))"""

STEADY = """async () => {
    const height = () => document.querySelector('[data-testid="stMain"]').scrollHeight;
    const before = height();
    for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
    return before === height() && document.fonts.status === 'loaded';
}"""


def main() -> None:
    """Take the pictures; exits with 1 when a page shows an error, or Explore a selection that is wrong."""
    parser = argparse.ArgumentParser(description="Take pictures of every page of the app.")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "screenshots", help="the folder for them")
    parser.add_argument("--page", action="append", type=str.lower, help="only this one; may be repeated")
    parser.add_argument("--sample", default=SAMPLE, help="the conversation that pages about one show")
    parser.add_argument("--scale", type=float, default=1, help="device pixels per pixel; 2 for print")
    arguments = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        sys.exit("No Chromium or Chrome was found; install one, or name it in CONVGATE_CHROMIUM.")
    arguments.out.mkdir(parents=True, exist_ok=True)
    check_selection()
    faulty = []
    with (
        tempfile.TemporaryDirectory() as home,
        running_app(Path(home)) as address,
        running_chromium(executable) as browser,
    ):
        for name, path in pages_to_show(Path(home), arguments.sample):
            if arguments.page and name not in arguments.page:
                continue
            stem = arguments.out / name
            for file in take_pictures(browser, f"{address}/{path}", stem, scale=arguments.scale):
                print(file)
                faulty += [name] if file.stem.endswith("-error") else []
    if faulty:
        sys.exit(f"These pages show an error: {', '.join(dict.fromkeys(faulty))}")


def check_selection() -> None:
    """Exit with 1 when the gate keeps other turns than the labels say, in the sample that Explore shows."""
    labelled = read_relevance_set(LABELS)
    case = next(case for case in labelled.cases if case.id == CASE)
    selector = load(load_settings().updated(guard={"log": False}), version="shipped")
    decisions = selector.select_current(*labelled.current(case)).decisions
    kept = frozenset(decisions.indices[decisions.kept].tolist())
    if kept != case.relevant:
        sys.exit(
            f"{CASE}: the gate keeps {sorted(kept)}, needed is {sorted(case.relevant)}; show another one."
        )


def pages_to_show(home: Path, sample: str) -> Iterator[tuple[str, str]]:
    """Name and address: the app as a new user finds it, then every page as one who worked with it does."""
    yield FIRST, ""
    keys = add_samples(home)
    conversation, further = keys[sample][0], work(home, keys[SAMPLE][0])
    further |= agents(home, keys[DAY][0])
    further |= budgets(keys[LOGIN][0]) | experiments(home) | requests(home)
    pages = {path.lower() or "library": f"{path}?conversation={conversation}" for path in page_paths()}
    pages["explore"] = f"Explore?conversation={keys[RIGHT][0]}"
    yield from (pages | further).items()


def take_pictures(browser: Browser, address: str, stem: Path, *, scale: float) -> list[Path]:
    """One picture for each width and colour scheme; the name of one with an error on it ends in -error."""
    files = []
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                device_scale_factor=scale,
                reduced_motion="reduce",
            )
            if stem.name != FIRST:
                context.add_cookies([{"name": COOKIE, "value": quote(NAME, safe=""), "url": address}])
            page = new_page(context)
            open_page(page, address)
            show_all(page, width, height)
            error = "-error" if page.get_by_test_id("stException").count() else ""
            file = stem.with_name(f"{stem.name}-{width}-{scheme}{error}.png")
            page.screenshot(path=file, animations="disabled")
            files.append(file)
            context.close()
    return files


def show_all(page: Page, width: int, height: int) -> None:
    """Make the window as tall as the page, which may grow a little when it is given room."""
    for _ in range(3):
        wanted = min(TALLEST, max(height, page.evaluate(HEIGHT)))
        if page.viewport_size == {"width": width, "height": wanted}:
            return
        page.set_viewport_size({"width": width, "height": wanted})
        wait_until_idle(page)
        page.wait_for_function(STEADY, polling=50)


if __name__ == "__main__":
    main()
