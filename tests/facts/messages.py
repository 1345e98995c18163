#!/usr/bin/env python3
"""Checks that the log messages and Events which docs/reference/differences.md gives as ours are in the sources.

messages.py [ROOT]: exit code 1 and one line for each that is not.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
page = root / "docs/reference/differences.md"
sources = ""
for folder in ("core", "plugins"):
    for path in sorted((root / folder).rglob("*.[ch]pp")):
        # Adjacent literals are one text.
        sources += re.sub(r'"\s*\n\s*"', "", path.read_text())
sources = sources.lower()

faults = []
checked = 0
section = ""
for number, line in enumerate(page.read_text().splitlines(), 1):
    if line.startswith("## "):
        section = line[3:]
    cells = line.split(" | ")
    if section not in ("Log", "Events") or not line.startswith("| ") or len(cells) < 2:
        continue
    ours = cells[-1]
    # Messages stand in quotes inside of code, Events' reasons as one word.
    wanted = re.findall(r'`"([^"=]+)"', ours) + re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", ours)
    for text in wanted:
        checked += 1
        if f'"{text}"'.lower() not in sources:
            faults.append(f"{page.relative_to(root)}:{number}: {text!r} is in no source")
if checked < 20:
    faults.append(f"only {checked} messages were found on the page: is its form another one?")
print("\n".join(faults))
sys.exit(1 if faults else 0)
