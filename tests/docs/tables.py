#!/usr/bin/env python3
"""Tables of files in READMEs: each names the source files of its folder, all of them, and no others.

    tables.py [ROOT]     one line for each finding; exit code 1 when there is one

A table of files has "file" in its head ("| file | job |"). Its first column names files in back quotes: `ledger` stands for ledger.hpp,
ledger.cpp and so on, `main.go` for itself, `config/` for all below that folder. A name after another one in its cell may leave out the
folder: `compute/server`, `addresses`. Files that the other column names with their extension count, too. Each plugin has a `plugin.cpp`,
which exports it: it needs no line, and neither do the tests of Go, which stand beside what they test.
"""
import re
import sys
from pathlib import Path, PurePosixPath

sys.path.append(str(Path(__file__).resolve().parents[1] / "facts"))
from check import files  # noqa: E402

# Each folder in these has a README with such a table.
PARENTS = ("core", "plugins/controllers", "plugins/providers", "tools")
# So do these.
FOLDERS = ("examples/provider-hetzner", "sdk/go")
# Their contents are written for other repositories.
EXCEPT = {"tools/templates"}
SOURCE = re.compile(r"\.(cpp|hpp|c|h|py|go|rs|tsv|sh)$")
NAME = re.compile(r"`([\w./-]+)`")


def is_source(name):
    """Commands of a folder have no extension."""
    if name.endswith("_test.go"):
        return False
    return bool(SOURCE.search(name)) or ("." not in name and name not in ("LICENSE", "Makefile"))


def stem(name):
    return re.sub(r"\.(cpp|hpp|c|h)$", "", name)


def rows(text):
    """The two cells of each row of tables of files, with the row's line."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif inside:
            yield number, cells[0], " ".join(cells[1:])
        elif "file" in cells[0].split():
            inside = True


class Table:
    """The table of one README, against the files below its folder (paths from there)."""

    def __init__(self, text, names):
        self.names = set(names)
        self.folders = {str(parent) for name in names for parent in PurePosixPath(name).parents} - {"."}
        self.missing = {name for name in names if is_source(name) and name != "plugin.cpp"}
        self.faults = []
        self.empty = True
        for number, cell, job in rows(text):
            if not set(cell) - set("-: "):
                continue
            self.empty = False
            folder = ""
            for name in NAME.findall(cell):
                folder = self.add(number, name, folder)
            for name in NAME.findall(job):
                if SOURCE.search(name) and name in self.names:
                    self.missing.discard(name)

    def add(self, number, name, folder):
        """Takes the files of that name from those that are missing. Returns the folder for the names after it."""
        for path in dict.fromkeys((name, f"{folder}/{name}" if folder else name)):
            path = path.rstrip("/")
            found = {other for other in self.names if other == path or stem(other) == path or
                     (path in self.folders and other.startswith(path + "/"))}
            if found:
                self.missing -= found
                return path if path in self.folders else str(PurePosixPath(path).parent).removeprefix(".")
        self.faults.append((number, f"{name} is no file here; remove it from the table"))
        return folder


def check_folder(root, folder, names):
    page = Path(root, folder, "README.md")
    if not page.is_file():
        yield f"{folder}/README.md is not there; write one with a table \"| file | job |\" of the folder's files"
        return
    table = Table(page.read_text(), names)
    if table.empty:
        yield f"{folder}/README.md: no table of files; add one that begins with \"| file | job |\""
        return
    for number, fault in table.faults:
        yield f"{folder}/README.md:{number}: {fault}"
    for name in sorted({stem(name) for name in table.missing}):
        yield f"{folder}/README.md: the table lacks {name}; add \"| `{name}` | what it does |\""


def check(root):
    below = {}
    for name in files(root):
        parts = name.split("/")
        for parent in PARENTS:
            depth = parent.count("/") + 1
            if name.startswith(parent + "/") and len(parts) > depth + 1:
                below.setdefault("/".join(parts[:depth + 1]), []).append("/".join(parts[depth + 1:]))
        for folder in FOLDERS:
            if name.startswith(folder + "/"):
                below.setdefault(folder, []).append(name.removeprefix(folder + "/"))
    return [finding for folder in sorted(below) if folder not in EXCEPT for finding in check_folder(root, folder, below[folder])]


def main():
    findings = check(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
