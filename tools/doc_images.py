"""`python -m tools.doc_images`: the pictures of docs/images, of pages and of figures, and an animation.

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
from convgate.ui.explore.tour import SEEN
from tests.browser.actions import new_page, open_page, wait_until_idle
from tests.browser.running_app import add_samples, find_chromium, running_app, running_chromium
from tools.screenshots import CHECKOUT, LOGIN, RIGHT, SAMPLE, check_selection

IMAGES = CHECKOUT / "docs" / "images"
SAMPLES = CHECKOUT / "sample_conversations"
LOOK = "-1440-light.png"
TALLEST = 1000  # px of a page of 1440 px
WIDTH = 1200  # px, of a picture in the documentation
MAX_BYTES, MAX_ANIMATION_BYTES = 150_000, 2_000_000
QUESTION = "Write a test for the Fibonacci function"


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
        check_selection()
        save_animation(animate(browser))


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


def animate(browser: Browser) -> list[tuple[Image.Image, int]]:
    """Return what a person sees from a question to a reason: pictures, and how long each is shown, in ms."""
    frames: list[tuple[Image.Image, int]] = []
    with TemporaryDirectory() as folder, running_app(Path(folder)) as address:
        key = add_samples(Path(folder))[RIGHT][0]
        Path(folder, SEEN).touch()
        page = new_page(browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce"))

        def take(milliseconds: int) -> None:
            wait_until_idle(page)
            frames.append((Image.open(BytesIO(page.screenshot())), milliseconds))

        open_page(page, f"{address}/Explore?conversation={key}")
        take(2_500)
        page.get_by_test_id("stChatInputTextArea").click()
        page.keyboard.press("ControlOrMeta+A")
        for word in QUESTION.split():
            page.keyboard.type(f"{word} ")
            take(250)
        page.keyboard.press("Enter")
        take(2_500)
        page.get_by_role("row").filter(has_text="recursive").first.click()
        take(4_000)
        page.close()
    return frames


def save_animation(frames: list[tuple[Image.Image, int]]) -> None:
    """Write the frames as a GIF file of one palette, in a loop."""
    height = round(frames[0][0].height * WIDTH / frames[0][0].width)
    small = [each.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS) for each, _ in frames]
    palette = small[-1].quantize(256)
    first, *others = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in small)
    file = IMAGES / "explore.gif"
    durations = [milliseconds for _, milliseconds in frames]
    first.save(file, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    if file.stat().st_size > MAX_ANIMATION_BYTES:
        sys.exit(f"{file} has {file.stat().st_size:,} bytes, more than {MAX_ANIMATION_BYTES:,}")
    print(f"{file}: {file.stat().st_size:,} bytes")


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
