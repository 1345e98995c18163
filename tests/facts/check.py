#!/usr/bin/env python3
"""Citations of facts: each one leads to a fact in docs/facts, each fact there is cited, installed headers cite none.

    check.py [ROOT]     one line for each finding (FILE:LINE: what); exit code 1 when there is one
"""
import os
import re
import subprocess
import sys
from pathlib import Path

PAGES = "docs/facts"
# Where a fact of that kind belongs. A TRAP stands on the page of the controller that can fall into it.
PREFIXES = {
    "HOST": "host.md", "CLOUD": "host.md", "RBAC": "host.md",
    "NODE": "nodes.md", "LIFE": "nodes.md", "SVC": "services.md", "ROUTE": "routes.md", "IPAM": "pod-ranges.md",
    "MET": "metrics.md", "TRAP": "the page of its subject", "API": "kubernetes-api.md", "DO": "digitalocean.md",
    "OS": "openstack.md", "AWS": "aws.md",
}
# Kinds of which each fact has a test, or a line with the reason on a page: a citation elsewhere says that somebody thought of it.
WITNESSED = {"AWS": ("tests/", "docs/aws-facts.md"), "OS": ("tests/", "docs/openstack-facts.md")}
# A longer one is a mention of the page, not of each fact between its ends.
LONGEST_RANGE = 100
NEVER_CITES = ("sdk/include/", "sdk/testing/include/")
NOT_READ = ("tests/facts/",)

KIND = "(?:" + "|".join(PREFIXES) + ")"
LIKELY = re.compile(rf"{KIND}[-_]\d")
FACT = re.compile(rf"^\s*(?:-|\|) \*\*({KIND}-\d+[a-z]?)\*\*")
# NODE-13, NODE-13a, HOST-8..74, DO-1..DO-5, API-113 to API-118, API-17, 26, 79..83
DASHED = re.compile(rf"(?<![A-Za-z0-9])({KIND})-(\d+)([a-z]?)(?![A-Za-z0-9])(?:(?:\.\.| to )(?:\1-)?(\d+)(?!\w))?"
                    r"((?:, \d+(?:\.\.\d+)?(?=[),.:;]|$| \*/))*)")
# In names: NODE_13_TheRest, API_16_17_TheRest, DO_263_DO_272_TheRest, HOST_8_to_74, DO_167_to_DO_183_TheRest
NAMED = re.compile(rf"(?<![A-Za-z0-9])({KIND})_(\d+)([a-z]?)(?![A-Za-z0-9])"
                   r"(?:_to_(?:\1_)?(\d+)(?![A-Za-z0-9]))?((?:_\d+(?![A-Za-z0-9]))*)")
MORE = re.compile(r"(\d+)(?:\.\.(\d+))?")


def citations(line):
    """The ids that a line cites, ranges spelt out."""
    for pattern in (DASHED, NAMED):
        for kind, first, letter, last, rest in pattern.findall(line):
            yield from ids(kind, first, last) if last else [f"{kind}-{first}{letter}"]
            for other, end in MORE.findall(rest):
                yield from ids(kind, other, end or other)


def ids(kind, first, last):
    first, last = int(first), int(last)
    numbers = range(first, last + 1) if last - first <= LONGEST_RANGE else (first, last)
    return (f"{kind}-{number}" for number in numbers)


def files(root):
    """The files that git tracks, or, in an unpacked archive, all but build trees and hidden files."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, check=True).stdout
        return sorted(set(listed.decode().split("\0")) - {""})
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith((".", "build"))]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
        return sorted(found)


def lines(path):
    """The numbered lines that hold something like a citation."""
    try:
        content = path.read_bytes().decode(errors="replace")
    except OSError:  # deleted but still listed, or a link to nowhere
        return []
    if "\0" in content or not LIKELY.search(content):
        return []
    return [(number, line) for number, line in enumerate(content.splitlines(), 1) if LIKELY.search(line)]


def check(root):
    facts, cited, findings = {}, set(), []
    uses = []
    for name in files(root):
        if name.startswith(NOT_READ):
            continue
        page = name.startswith(PAGES + "/")
        uses += [(name, 0, fact) for fact in citations(name)]
        for number, line in lines(Path(root, name)):
            defined = FACT.match(line) if page else None
            if defined:
                fact = defined.group(1)
                if fact in facts:
                    findings.append(f"{name}:{number}: {fact} stands at {facts[fact]} already")
                facts.setdefault(fact, f"{name}:{number}")
                line = line[defined.end():]
            uses += [(name, number, fact) for fact in citations(line)]
    for name, number, fact in uses:
        where = f"{name}:{number}" if number else name
        if name.startswith(NEVER_CITES):
            findings.append(f"{where}: cites {fact}; installed headers write the rule out")
        elif fact not in facts:
            home = PREFIXES[fact.partition("-")[0]]
            home = f"{PAGES}/{home}" if home.endswith(".md") else home
            findings.append(f'{where}: no fact {fact}; write "- **{fact}** ..." into {home}, or correct the number')
        if name.startswith(WITNESSED.get(fact.partition("-")[0], "")) and not name.startswith(PAGES + "/"):
            cited.add(fact)
    for fact, where in facts.items():
        if fact not in cited:
            nothing = "no test and no line of its page of reasons" if fact.partition("-")[0] in WITNESSED else "nothing"
            findings.append(f"{where}: {nothing} cites {fact}; delete it, or cite it where it is made use of")
    return findings


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
