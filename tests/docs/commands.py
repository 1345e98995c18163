#!/usr/bin/env python3
"""Commands in the docs: commands.tsv tells for each block of README.md and docs/*.md which test runs it, or why none does.

    commands.py [ROOT]     one line for each finding; exit code 1 when there is one

A block is a run of lines that are indented by four spaces or fenced as shell or as nothing, or a row of a table whose first
column is "as written". A row of commands.tsv has a page, the first line of a block or the first cell there, and one of these; a
FILE that is named holds the WORD after it:

    page FILE WORD       the test reads the page and runs what stands there
    same FILE WORD       the test runs these programs in the same way, with values of its own
    not run: REASON      no test does
    no command: WHAT     the block is output, a file or code

After a semicolon the first two may say what is left out.
"""
import re
import sys
from pathlib import Path

TABLE = "tests/docs/commands.tsv"
FENCE = re.compile(r" *```(\w*)")
SHELL = {"", "sh", "bash", "shell", "console"}
QUOTED = "| as written |"
RULE = re.compile(r"\|[ |:-]+\|$")


def blocks(text):
    """The line number and the first line of each block."""
    fence, begins, quoted = None, True, False
    for number, line in enumerate(text.splitlines(), 1):
        quoted = line.startswith(QUOTED) or quoted and line.startswith("|")
        if quoted and not line.startswith(QUOTED) and not RULE.match(line):
            yield number, line.split(" | ")[0].strip("| ")
        mark = FENCE.match(line)
        if mark:
            fence, begins = (mark.group(1) if fence is None else None), True
        elif fence is not None:
            if begins and fence in SHELL and line.strip():
                yield number, line.strip()
            begins = begins and not line.strip()
        else:
            # An indented line right below a paragraph belongs to that.
            if begins and line.startswith("    "):
                yield number, line.strip()
            begins = not line.strip() or line.startswith("#")


def fault(root, page, row):
    """The fault of the last column of a row, or None."""
    kind, _, rest = row.partition(" ")
    if kind in ("page", "same"):
        file, _, word = rest.partition("; ")[0].partition(" ")
        if not (root / file).is_file():
            return f"{file} is not there"
        text = (root / file).read_text()
        if not word or word not in text:
            return f"{file} has no '{word}'"
        if kind == "page" and page not in text:
            return f"{file} does not read {page}"
        return None
    if re.fullmatch(r"(not run|no command): .+", row):
        return None
    return f"'{row}' begins with none of: page, same, not run:, no command:"


def check(root):
    root = Path(root)
    rows, seen, findings = {}, set(), []
    for number, line in enumerate((root / TABLE).read_text().splitlines(), 1):
        fields = line.split("\t")
        if len(fields) != 3:
            findings.append(f"{TABLE}:{number}: not three columns with tabs between")
            continue
        page, first, row = fields
        if (page, first) in rows:
            findings.append(f"{TABLE}:{number}: a second row for this block")
        rows[page, first] = number
        told = fault(root, page, row)
        if told:
            findings.append(f"{TABLE}:{number}: {told}")
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        page = str(path.relative_to(root))
        for number, first in blocks(path.read_text()):
            seen.add((page, first))
            if (page, first) not in rows:
                findings.append(f"{page}:{number}: {TABLE} has no row for '{first}'")
    findings += [f"{TABLE}:{rows[key]}: {key[0]} has no such block" for key in rows if key not in seen]
    return findings


def main():
    findings = check(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
