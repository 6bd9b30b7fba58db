"""Versions: which gates there are, which one decides, and how any two of them differ."""

from convgate.ui.frame import page
from convgate.ui.versions.page import versions_page

PURPOSE = "The gates that you have, which one decides, and how any two of them differ."

with page("Versions", PURPOSE) as app:
    versions_page(app)
