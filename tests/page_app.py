"""The app at one of its pages, as tests of pages drive it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from convgate.core.home import app_root


def open_page(file: str, **query: str) -> AppTest:
    """Return the app, run at that page and address."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(file).run())


def sound(app: AppTest) -> AppTest:
    """Return the app; fails when the run raised."""
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    """Return the app after a click on that button."""
    return sound(app.button(key=key).click().run())


def said(app: AppTest) -> str:
    """Return the text of the page, without the signs that escape or emphasise."""
    shown = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    text = "\n".join(str(element.value) for element in shown)
    return text.replace("\\", "").replace("\u2060", "").replace("**", "")


def metric(app: AppTest, label: str) -> str:
    """Return the value of a metric."""
    return next(str(element.value) for element in app.metric if element.label == label)


def address(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}
