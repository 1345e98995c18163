#!/usr/bin/env python3
"""Words and sentences that comments, docs and messages of this project do not use; files and lines that are too long.

    tools/lint_text.py        one line for each finding; exit code 1 when there is one

Text is what a stranger reads first: short sentences with a subject and a verb, upstream's words.
"""
import re
import subprocess
import sys

# Texts and data of others, and this check itself.
SKIPPED = re.compile(
    r"^(LICENSE|tests/fuzz/corpus/|tools/lint_text\.py$|tests/lint/lint_text_test\.py$)")
TEXT = re.compile(r"\.(cpp|hpp|c|h|py|sh|md|yaml|json|cmake|txt|rs|go)$|^(Makefile|\.ci/run|\.clang-tidy|tools/[a-z-]+|bench/run)$")

# A sentence begins at the start of a comment, paragraph, list item, table cell or string, or after a full stop.
BEGIN = r"(?:^\s*|^\s*(?://[/!]?|#|\*|/\*+|-|\||>)\s+|[.:;]\s|\|\s|(?<!\s\()\"+|\*\*)"
RULES = [
    (re.compile(BEGIN + r"(Who|What|Whoever|Whatever|Whose)\s(?!is the (?:difference|cause))"),
     'a sentence begins with "{}"; name the subject'),
    (re.compile(r"\b(anew)\b"), '"{}"; say "again"'),
    (re.compile(r"\b([Ss]hall)\b"), '"{}"; say "must" or "is to"'),
    (re.compile(r"\b(behind) (?:the|it|its|each|every|all) "
                r"(?:end|value|initial|wait|call|program|first|last|one before|size|URL|colon|bracket|retries)\b"),
     '"{}" for "after"'),
    (re.compile(r"\b(not (?!found\b)[^.,;:()\"`|=]{1,60}\bbut)\b"), '"{}"; say what it is, in two sentences'),
    (re.compile(r"(is no such thing)"), '"{}"; say what it is'),
    (re.compile(r"\b(so (?:long|many))\b(?! that\b)"), '"{}"; name the number or the time'),
    (re.compile(r"\b(tried again)\b"), '"{}"; say "retried"'),
    (re.compile(r"\b(begins? again and again)\b"), '"{}"; say "repeats"'),
]
# Headings and names are no sentences.
HEADING = re.compile(r"^#+ ")

LONGEST_FILE = 800
LONGEST_SCENARIO_LINE = 160
SOURCES = re.compile(r"^(core|plugins|sdk|sandbox|tests|tools|bench|examples)/.*\.(cpp|hpp|c|h|py|rs)$")
# Tables that are generated or copied from a standard.
TABLES = re.compile(r"/(schema|protobuf)_table\.cpp$|^sdk/rust/ccm-sys/src/abi\.rs$")
# One source on each line, so that a new one is one line of a diff.
CMAKE_LISTS = re.compile(r"(^|/)CMakeLists\.txt$")
TWO_SOURCES = re.compile(r"[\w/]+\.(?:cpp|c)\s+[\w/]+\.(?:cpp|c)\b")
SCENARIOS = re.compile(r"^tests/scenarios/.*\.yaml$")


def findings(path, text):
    """The findings in one file, each with its line."""
    lines = text.split("\n")
    if SOURCES.match(path) and not TABLES.search(path) and len(lines) - 1 > LONGEST_FILE:
        yield f"{path}: {len(lines) - 1} lines (at most {LONGEST_FILE})"
    for number, line in enumerate(lines, 1):
        if SCENARIOS.match(path) and len(line) > LONGEST_SCENARIO_LINE:
            yield f"{path}:{number}: {len(line)} columns (at most {LONGEST_SCENARIO_LINE})"
        if CMAKE_LISTS.search(path) and TWO_SOURCES.search(line):
            yield f"{path}:{number}: two sources on a line"
        if path.endswith(".md") and HEADING.match(line):
            continue
        for rule, why in RULES:
            found = rule.search(line)
            if found:
                yield f"{path}:{number}: {why.format(found.group(1))}"


def main():
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    failed = False
    for path in tracked:
        if SKIPPED.match(path) or not TEXT.search(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for finding in findings(path, text):
            print(finding)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
