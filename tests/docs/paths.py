#!/usr/bin/env python3
"""Paths in the docs: each link, folder and file of this repository that a page names is there.

    paths.py [ROOT]     one line for each finding (FILE:LINE: what); exit code 1 when there is one

A path is what a link leads to, or a word that begins with a folder of the root (core/app/main.cpp). Braces and asterisks
stand for several (core/app/manager{,_stop}.cpp); a part in capitals is any name (plugins/controllers/NAME/plugin.json). A
source file in back quotes may leave out its first folders (`ccm/abi/base.h`). A name that follows a file (`core/app/main.cpp`: `main`)
is in that file. The README of a template is that of a repository of its
own, so its paths begin in its folder.
"""
import re
import sys
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path, PurePosixPath

sys.path.append(str(Path(__file__).resolve().parents[1] / "facts"))
from check import files  # noqa: E402

# CHANGELOG.md tells of files that may be gone since. Facts name upstream's files, so only their links are followed.
UPSTREAM = "docs/facts/"
TEMPLATE = re.compile(r"tools/templates/[^/]+/")
PAGES = re.compile(r"docs/.*\.md|(.*/)?README\.md|CONTRIBUTING\.md|SECURITY\.md")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:")
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|hpp|c|h|py|rs))`")
# "`core/app/manager.cpp`: `lead()` starts": a file of this repository, and what is in it.
NAME_IN_FILE = re.compile(r"`([\w./-]+\.(?:cpp|hpp|c|h|py))`: (?:in )?`([A-Za-z_]\w*)(?:\(\))?`")
BRACES = re.compile(r"\{([^{}]*)\}")
# Made by the build, so in no folder of the repository.
GENERATED = {"ccm_plugin_manifest.h"}


def spelt_out(path):
    """All paths that one with braces means."""
    parts = BRACES.split(path)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(choice) for choice in product(*choices)]


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        self.files = files(root)
        self.names = set(self.files)
        for name in self.files:
            self.names.update(str(parent) for parent in PurePosixPath(name).parents)
        tops = sorted({name.split("/")[0] for name in self.files if "/" in name})
        folders = "|".join(re.escape(top) for top in tops)
        self.word = re.compile(rf"(?<![\w./:@$-])(?:{folders})/[\w./*{{}},-]*(<?)")
        self.anchors = {}

    def has(self, path):
        pattern = "/".join("*" if re.fullmatch(r"[A-Z][A-Z_]+", part) else part for part in path.rstrip("/").split("/"))
        if "*" not in pattern:
            return pattern in self.names
        depth = pattern.count("/")
        return any(name.count("/") == depth and fnmatchcase(name, pattern) for name in self.names)

    def has_anchor(self, page, anchor):
        if page not in self.anchors:
            heads = re.findall(r"^#+ +(.*?) *$", (self.root / page).read_text(), re.M)
            self.anchors[page] = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
        return anchor in self.anchors[page]

    def link(self, page, target):
        """The fault of a link of a page, or None."""
        path, _, anchor = target.partition("#")
        parts = []
        for part in (PurePosixPath(page).parent / path).parts if path else PurePosixPath(page).parts:
            if part == "..":
                if not parts:
                    return f"the link {target} leads out of the repository"
                parts.pop()
            elif part != ".":
                parts.append(part)
        there = "/".join(parts) or "."
        if there not in self.names:
            return f"the link {target} leads to {there}, which is not there"
        if anchor and there.endswith(".md") and not self.has_anchor(there, anchor):
            return f"{there} has no heading for #{anchor}"
        return None

    def findings(self, page):
        template = TEMPLATE.match(page)
        top = template.group() if template else ""
        for number, line in enumerate((self.root / page).read_text().splitlines(), 1):
            where = f"{page}:{number}"
            for target in LINK.findall(line):
                fault = None if FOREIGN.match(target) else self.link(page, target)
                if fault:
                    yield f"{where}: {fault}"
            if page.startswith(UPSTREAM):
                continue
            text = LINK.sub("", line)
            for word in self.word.finditer(text):
                if word.group(1):  # a placeholder follows: docs/facts/<page>.md
                    continue
                for path in spelt_out(word.group().rstrip(".,-")):
                    if not self.has(top + path):
                        yield f"{where}: {path} is not there"
            for name in SOURCE.findall(text):
                if name in GENERATED or self.word.match(name):
                    continue
                if not any(path == name or path.endswith("/" + name) for path in self.files):
                    yield f"{where}: no file is called {name}"
            for path, name in NAME_IN_FILE.findall(text):
                if path in self.names and not re.search(rf"\b{name}\b", (self.root / path).read_text()):
                    yield f"{where}: {path} has no {name}"


def check(root):
    tree = Tree(root)
    pages = [name for name in tree.files if PAGES.fullmatch(name) and (tree.root / name).is_file()]
    return [finding for page in pages for finding in dict.fromkeys(tree.findings(page))]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
