"""What a person does on a page of the app, each time once the app is idle."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import BrowserContext, FilePayload, Locator, Page, TimeoutError, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 60_000
"""Max milliseconds that an action or a check waits for its condition, on a busy machine."""

# Streamlit shows no sign of a run between the message that asks for it and the first answer, nor of one that
# is over before React draws it. So the messages are watched: `data-idle` is there once the last run that was
# asked for is over and drawn.
WATCH_RUNS = """() => {
    // The last value of each field of a protobuf message: a number, or the bytes of what has a length.
    const fieldsOf = bytes => {
        let at = 0;
        const number = () => {
            for (let value = 0, unit = 1; ; unit *= 128) {
                const byte = bytes[at++];
                value += (byte & 127) * unit;
                if (byte < 128) return value;
            }
        };
        const fields = new Map();
        while (at < bytes.length) {
            const [tag, value] = [number(), number()];
            fields.set(tag >> 3, (tag & 7) === 2 ? bytes.subarray(at, at += value) : value);
        }
        return fields;
    };
    let run = 'asked for';
    const change = to => {
        document.documentElement.dataset.run = run = to;
        delete document.documentElement.dataset.idle;
    };
    const hear = ({data}) => {
        const fields = fieldsOf(new Uint8Array(data));
        if (fields.has(NEW_SESSION)) change('running');
        if (run !== 'running' || !fields.has(SCRIPT_FINISHED)) return;
        if (fields.get(SCRIPT_FINISHED) === FINISHED_EARLY_FOR_RERUN) return;
        run = 'over';
        const draw = () => requestIdleCallback(() => {
            if (run === 'over') document.documentElement.dataset.idle = '';
        }, {timeout: 1000}); // on a busy machine the browser may never be idle
        setTimeout(draw, 20);
    };
    // Streamlit opens what is folded over half a second: a click on what still moves is lost.
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        const animation = animate.apply(this, given);
        animation.finish();
        return animation;
    };
    const sockets = new WeakSet();
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        if (!sockets.has(this)) this.addEventListener('message', hear);
        sockets.add(this);
        // A timer's request for a fragment that is gone by then is never answered.
        const rerun = fieldsOf(new Uint8Array(data)).get(RERUN_SCRIPT);
        if (rerun && !fieldsOf(rerun).get(IS_AUTO_RERUN)) change('asked for');
        return send.call(this, data);
    };
}"""

# Only the app's pages have #root: not the form that asks for the token.
BUSY = """html:has(#root):is(
    :not([data-idle]),
    :not(:has([data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"])),
    :has([data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]),
    :has([data-testid="stPlotlyChart"]:not(:has(.main-svg)))
)"""

BUSY_BY = """() => ({
    idle: 'idle' in document.documentElement.dataset,
    run: document.documentElement.dataset.run,
    elements: [...document.querySelectorAll(`[data-stale="true"], [data-testid="stSkeleton"],
        [data-testid="stSpinner"], [data-testid="stPlotlyChart"]:not(:has(.main-svg))`)]
        .map(element => element.outerHTML.slice(0, 200)),
})"""


def new_page(context: BrowserContext) -> Page:
    """Return a new page on which every action and check of a locator first waits until the app is idle.

    A click is lost when the element below it is replaced before the button is released, and Streamlit joins
    the changes of two actions to one run. Keys and the mouse without a locator do not wait: see `press`.
    """
    page = context.new_page()
    numbers = {
        "NEW_SESSION": ForwardMsg.NEW_SESSION_FIELD_NUMBER,
        "SCRIPT_FINISHED": ForwardMsg.SCRIPT_FINISHED_FIELD_NUMBER,
        "FINISHED_EARLY_FOR_RERUN": ForwardMsg.FINISHED_EARLY_FOR_RERUN,
        "RERUN_SCRIPT": BackMsg.RERUN_SCRIPT_FIELD_NUMBER,
        "IS_AUTO_RERUN": ClientState.IS_AUTO_RERUN_FIELD_NUMBER,
    }
    constants = "".join(f"const {name} = {number};" for name, number in numbers.items())
    page.add_init_script(f"{{{constants}({WATCH_RUNS})()}}")
    app = page.locator(BUSY).get_by_test_id("stApp")  # <html> itself has no height, so it is never visible
    page.add_locator_handler(app, lambda: None)
    page.set_default_timeout(PATIENCE)
    return page


def wait_until_idle(page: Page) -> None:
    """Return once every run that was asked for is over and drawn; fails with what is not."""
    try:
        page.locator(BUSY).wait_for(state="detached")
    except TimeoutError as error:
        raise AssertionError(f"{page.url} is not idle: {page.evaluate(BUSY_BY)}") from error


def open_page(page: Page, address: str) -> None:
    """Load the app anew at an address."""
    page.goto(address)
    wait_until_idle(page)


def go_to(page: Page, address: str) -> None:
    """Go from one place of the app to another without loading it anew."""
    wait_until_idle(page)
    page.evaluate(
        """address => {
            history.pushState({}, '', address);
            dispatchEvent(new PopStateEvent('popstate'));
        }""",
        address,
    )
    wait_until_idle(page)


def press(page: Page, *keys: str) -> None:
    """Press keys where the focus is, each once the app is idle."""
    for key in keys:
        wait_until_idle(page)
        page.keyboard.press(key)


def enter(field: Locator, text: str) -> None:
    """Write into a field and leave it, which asks for a run: a click elsewhere would leave it first."""
    field.fill(text)
    field.blur()


def query(page: Page) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def upload(page: Page, files: dict[str, bytes]) -> None:
    """Put files, by name, into the field of the Library."""
    go_to(page, "/")
    if not page.get_by_role("tab", name="Files").is_visible():
        page.get_by_text("Add conversations").click()
    payloads: list[FilePayload] = [
        {"name": name, "mimeType": "", "buffer": content} for name, content in files.items()
    ]
    page.locator("input[type=file]").first.set_input_files(payloads)


def choose_name(page: Page, name: str) -> None:
    """Say who labels, by keyboard."""
    page.get_by_role("button", name=re.compile("^(Change|Set a name)$")).press("Enter")
    tab_to(page, page.get_by_role("textbox", name="Your name", exact=True))
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Labelling as {name}")).to_be_visible()


def tab_to(page: Page, place: Locator) -> None:
    """Move the focus there with the Tab key alone."""
    expect(place).to_be_visible()
    for _ in range(120):
        page.keyboard.press("Tab")
        if place.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("Tab does not lead there")


def wait_for_value(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Read until it is what is wanted; fails with what it was last."""
    end = time.monotonic() + PATIENCE / 1000
    while (value := read()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)  # not the clock's sleep: the page's events are handled meanwhile
    assert value == wanted, f"{value!r} in place of {wanted!r}"


def expect_no_overflow(page: Page) -> None:
    """The page is not wider than its window, once it has been laid out."""
    page.wait_for_function(
        """() => {
            const main = document.querySelector('[data-testid="stMain"]');
            return main.scrollWidth <= main.clientWidth;
        }"""
    )
