"""Anchors of headings as the repository's host and tests/docs/paths.py make them."""
import re


def slugify(text, separator):
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
