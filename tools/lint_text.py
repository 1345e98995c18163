#!/usr/bin/env python3
"""Words that leave a reader of comments, docs and messages in doubt; files and lines that are too long.

    tools/lint_text.py        one line for each finding; exit code 1 when there is one
"""
import re
import subprocess
import sys

# Texts and data of others, and this check itself.
SKIPPED = re.compile(
    r"^(LICENSE|tests/fuzz/corpus/|tools/lint_text\.py$|tests/lint/lint_text_test\.py$)")
TEXT = re.compile(r"\.(cpp|hpp|c|h|py|sh|md|yaml|json|cmake|txt|rs|go)$|^(Makefile|\.ci/run|\.clang-tidy|tools/[a-z-]+|bench/run)$")

# Texts that a reader cannot resolve by themselves. Ordinary English is nobody's business here.
RULES = [
    (re.compile(r"\b(behind) (?:the|it|its|each|every|all) "
                r"(?:end|value|initial|wait|call|program|first|last|one before|size|URL|colon|bracket|retries)\b"),
     '"{}" for "after"'),
    (re.compile(r"(is no such thing)"), '"{}"; say what it is'),
]

# A comment that begins so has the reader look for what it is about.
CODE = re.compile(r"\.(cpp|hpp|c|h|py|rs|go|sh|cmake|yaml)$|(^|/)CMakeLists\.txt$")
NO_SUBJECT = re.compile(r'^\s*(?:(?://[/!]?|/\*\*?|#) |""")(Of|That of|Those|The same|The ones?)\b')
COMMENT = {True: re.compile(r'^\s*(#|""")'), False: re.compile(r"^\s*(//|/\*|\*(?=[ /]|$))")}  # by: has comments after #
HASH = re.compile(r"\.(py|sh|cmake|yaml|txt)$")

LONGEST_FILE = 800
LONGEST_SCENARIO_LINE = 160
SOURCES = re.compile(r"^(core|plugins|sdk|sandbox|tests|tools|bench|examples)/.*\.(cpp|hpp|c|h|py|rs)$")
# Tables that are generated or copied from a standard.
TABLES = re.compile(r"/(schema|protobuf)_table\.cpp$|^sdk/rust/ccm-sys/src/abi\.rs$")
# One source on each line, so that a new one is one line of a diff.
CMAKE_LISTS = re.compile(r"(^|/)CMakeLists\.txt$")
TWO_SOURCES = re.compile(r"[\w/]+\.(?:cpp|c)\s+[\w/]+\.(?:cpp|c)\b")
SCENARIOS = re.compile(r"^tests/scenarios/.*\.yaml$")


def without_subject(path, lines):
    """The number of each line that begins a comment without a subject, and the words."""
    if not CODE.search(path):
        return
    comment = COMMENT[bool(HASH.search(path))]
    for number, line in enumerate(lines, 1):
        found = NO_SUBJECT.match(line)
        if found and comment.match(line) and not (number > 1 and comment.match(lines[number - 2])):
            yield number, found.group(1)


def findings(path, text):
    """The findings in one file, each with its line."""
    lines = text.split("\n")
    if SOURCES.match(path) and not TABLES.search(path) and len(lines) - 1 > LONGEST_FILE:
        yield f"{path}: {len(lines) - 1} lines (at most {LONGEST_FILE})"
    for number, words in without_subject(path, lines):
        yield f'{path}:{number}: a comment begins with "{words}"; say what it is about'
    for number, line in enumerate(lines, 1):
        if SCENARIOS.match(path) and len(line) > LONGEST_SCENARIO_LINE:
            yield f"{path}:{number}: {len(line)} columns (at most {LONGEST_SCENARIO_LINE})"
        if CMAKE_LISTS.search(path) and TWO_SOURCES.search(line):
            yield f"{path}:{number}: two sources on a line"
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
