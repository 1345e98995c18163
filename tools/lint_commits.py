#!/usr/bin/env python3
"""Messages of commits: a subject of at most 72 characters in the imperative, an empty line, and a body that says why.

    tools/lint_commits.py SINCE      the commits after that revision; one line for each finding; exit code 1 when there is one
"""
import re
import subprocess
import sys

LONGEST_SUBJECT = 72
# "openstack: " before the subject names the part that a commit is about.
PART = re.compile(r"^[a-z0-9_./,-]+(?: [a-z]+)?: ")
# Words that report or describe, where the imperative tells what the commit does.
NO_IMPERATIVE = re.compile(r"^(?:\w+(?:ed|ing)|Fixes|Adds|Changes|Makes|Removes)$")
# Imperatives that end so.
IMPERATIVES = {"Bring", "Embed", "Exceed", "Feed", "Need", "Proceed", "Seed", "Shed", "Speed", "Spring", "Succeed", "String", "Weed"}


def findings(message):
    """The faults of one message, in words."""
    subject, _, rest = message.strip("\n").partition("\n")
    if len(subject) > LONGEST_SUBJECT:
        yield f"the subject has {len(subject)} characters (at most {LONGEST_SUBJECT})"
    if subject.endswith("."):
        yield "the subject ends with a full stop"
    first = PART.sub("", subject).split(" ", 1)[0].rstrip(",")
    if NO_IMPERATIVE.match(first) and first.capitalize() not in IMPERATIVES:
        yield f'the subject begins with "{first}"; say what the commit does, in the imperative'
    if not rest.strip():
        yield "no body says why"
    elif not rest.startswith("\n"):
        yield "an empty line is missing between subject and body"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    log = subprocess.run(["git", "log", "--no-merges", "--format=%h%x00%B%x01", f"{sys.argv[1]}..HEAD"], check=True,
                         capture_output=True, text=True).stdout
    failed = False
    for commit in filter(str.strip, log.split("\x01")):
        name, _, message = commit.strip("\n").partition("\0")
        for finding in findings(message):
            print(f"commit {name}: {finding}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
