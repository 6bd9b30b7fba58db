"""`python -m tools.doc_images`: the pictures of docs/images, of pages and of figures.

Pages are the light, wide pictures that `python -m tools.screenshots` takes, cut below the first screen.
"""

from __future__ import annotations

import argparse
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import plotly.graph_objects as go
from PIL import Image
from playwright.sync_api import Browser

from convgate.core.settings import load_settings
from convgate.figures.budget import budget_figure
from convgate.figures.palette import LIGHT
from convgate.figures.parts import waterfall_figure
from convgate.figures.scores import scores_figure
from convgate.selection.load import load
from convgate.transcripts import read_conversations
from tests.browser.running_app import find_chromium, running_chromium
from tools.screenshots import CHECKOUT, LOGIN, SAMPLE

IMAGES = CHECKOUT / "docs" / "images"
SAMPLES = CHECKOUT / "sample_conversations"
LOOK = "-1440-light.png"
TALLEST = 1000  # px of a page of 1440 px
WIDTH = 1200  # px, of a picture in the documentation
MAX_BYTES = 150_000


def main() -> None:
    """Write the pictures; exits with 1 when one is too large."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("--pages", type=Path, default=CHECKOUT / "screenshots", help="folder of screenshots")
    arguments = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        sys.exit("No Chromium or Chrome was found; install one, or name it in CONVGATE_CHROMIUM.")
    for page in sorted((CHECKOUT / "docs" / "app").glob("*.md")):
        if page.stem != "index":
            picture = Image.open(arguments.pages / f"{page.stem}{LOOK}")
            save(picture.crop((0, 0, picture.width, min(picture.height, TALLEST))), page.stem)
    with running_chromium(executable) as browser:
        for name, figure in figures().items():
            save(Image.open(BytesIO(draw(browser, figure))), name)


def figures() -> dict[str, go.Figure]:
    """Return the figures of docs/concepts.md by name, drawn from samples with the shipped gate."""
    (support,) = read_conversations(SAMPLES / SAMPLE)
    settings = load_settings().updated(guard={"log": False})
    selector = load(settings, version="shipped")
    decisions = selector.select_at(support, 74).decisions
    best = max(decisions, key=lambda decision: decision.score or 0)
    (login,) = read_conversations(SAMPLES / LOGIN)
    selection = selector.select_at(login, budget=400)
    assert selection.budgeted is not None
    labels = [f"{turn.speaker}: {turn.text}" for turn in support.turns]
    return {
        "scores": scores_figure(decisions, labels=labels, palette=LIGHT),
        "waterfall": waterfall_figure(best.parts, threshold_logit=None, palette=LIGHT),
        "budget": budget_figure(selection, selection.budgeted, palette=LIGHT),
    }


def draw(browser: Browser, figure: go.Figure) -> bytes:
    """Return the figure as a PNG file, on white."""
    figure.update_layout(paper_bgcolor="white", plot_bgcolor="white", width=WIDTH)
    page = browser.new_page(viewport={"width": WIDTH, "height": 800})
    with TemporaryDirectory() as folder:
        file = Path(folder, "figure.html")
        figure.write_html(file, include_plotlyjs=True, config={"staticPlot": True})
        page.goto(file.as_uri())
        picture = page.locator(".plot-container").screenshot(animations="disabled")
    page.close()
    return picture


def save(picture: Image.Image, name: str) -> None:
    """Write the picture with 128 colours, no wider than `WIDTH`."""
    if picture.width > WIDTH:
        height = round(picture.height * WIDTH / picture.width)
        picture = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
    file = IMAGES / f"{name}.png"
    picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    if file.stat().st_size > MAX_BYTES:
        sys.exit(f"{file} has {file.stat().st_size:,} bytes, more than {MAX_BYTES:,}")
    print(f"{file}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
