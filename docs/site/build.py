#!/usr/bin/env python3
"""build.py BUILD FOLDER: the documentation as a site, in FOLDER/html. docs/site/tools brings into FOLDER what it needs.

The pages stay where they are in the repository: this puts them, and the files and folders that they link to, into FOLDER/pages
under the same paths, with references that the programs in BUILD print. mkdocs then checks every link; a broken one ends it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
# Loaded by a reader's browser from elsewhere.
FOREIGN = re.compile(r"<(?:script|img|iframe)[^>]* src=\"?(?:https?:)?//[^>]*>|<link[^>]* rel=\"?stylesheet[^>]* href=\"?(?:https?:)?//[^>]*>")
SCRIPTS = ["mermaid.min.js", "iframe-worker.js"]
BLOCK = re.compile(r"- |1\. |\| ")
FENCE = re.compile(r"^ *```")
ITEM = re.compile(r"\d+\. |- ")


def tracked(pattern):
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", pattern], check=True,
                            capture_output=True, text=True).stdout
    return listed.split()


def listing(folder):
    """A page for a folder that has none."""
    names = sorted(path.name + ("/" if path.is_dir() else "") for path in (ROOT / folder).iterdir())
    return "# %s\n\n%s\n" % (folder, "\n".join("- `%s`" % name for name in names))


def with_wide_lists(lines):
    """The lines with four spaces before what belongs to an item of a list. The repository's host wants as many as the item's mark is wide,
    mkdocs wants four, and takes code of an item for text without them; and an item for text after a paragraph of the one before."""
    width, code, before, paragraphs = 0, False, "", False
    for line in lines:
        mark = None if code else ITEM.match(line)
        code ^= bool(FENCE.match(line))
        paragraphs = (paragraphs or not line) and width > 0
        if mark:
            if paragraphs and before:
                yield ""
            width, paragraphs = len(mark[0]), False
        elif line and not line.startswith(" " * width) and (not before or line.startswith("```")):
            width = 0
        yield " " * (4 - width) + line if width and not mark and line.startswith(" " * width) else line
        before = line


class Pages:
    def __init__(self, folder):
        self.folder = folder

    def write(self, path, text):
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def target(self, page, link):
        """The link, to a file that the site has."""
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            return link
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        original = ROOT / path
        if original.is_dir():
            if (original / "README.md").is_file():
                return link.rstrip("/") + "/README.md"
            self.write(path + "/index.md", listing(path))
            return link.rstrip("/") + "/index.md"
        if original.is_file() and original.suffix != ".md":
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(original, place)
        return link

    def add(self, page):
        lines, code = [], False
        for line in (ROOT / page).read_text().splitlines():
            code ^= bool(FENCE.match(line))
            # A list or table right below a paragraph is one on the repository's host; mkdocs wants an empty line between.
            if not code and lines and BLOCK.match(line) and re.match(r"[^\s|#-]", lines[-1]) and not BLOCK.match(lines[-1]):
                lines.append("")
            if not code:
                line = LINK.sub(lambda match: match[1] + self.target(page, match[2]) + match[3], line)
            lines.append(line)
        self.write(page, "\n".join(with_wide_lists(lines)) + "\n")


def main(build, folder):
    pages = Pages(folder / "pages")
    shutil.rmtree(pages.folder, ignore_errors=True)
    for page in tracked("*.md"):
        pages.add(page)
    for name, text in reference.pages(build).items():
        pages.write("docs/reference/generated/%s.md" % name, text)
    for script in SCRIPTS:
        shutil.copy(folder / script, pages.folder)
    here = pathlib.Path(__file__).parent
    shutil.copy(here / "mkdocs.yml", folder)
    ended = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml")],
                           env={**os.environ, "PYTHONPATH": str(here)})
    if ended.returncode != 0:
        return ended.returncode
    foreign = {found for page in (folder / "html").rglob("*.html") for found in FOREIGN.findall(page.read_text())}
    for found in sorted(foreign):
        print("A page loads something from elsewhere: " + found, file=sys.stderr)
    return 1 if foreign else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
