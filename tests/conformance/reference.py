#!/usr/bin/env python3
"""docs/reference/conformance.md is what `ccmctl plugin cases` says, and what mutants_test.py found:   reference.py CCMCTL ROOT [--write]"""
import json
import pathlib
import subprocess
import sys

ccmctl, root, *write = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(root, "tests/conformance/mutants")))
from bugs import BUGS  # noqa: E402

LANGUAGES = {"c": "C", "cpp": "C++", "go": "Go", "rust": "Rust", "example": "Go, `examples/provider-hetzner`"}
page = pathlib.Path(root, "docs/reference/conformance.md")
cases = json.loads(subprocess.check_output([ccmctl, "plugin", "cases", "-o", "json"]))
families = {
    "PLUGIN": "The life of a plugin",
    "PROCESS": "The process is the host's",
    "PROVIDER": "Log-in, log-out, configuration",
    "INSTANCES": "Instances",
    "LISTING": "Listings of instances",
    "LOADBALANCERS": "Load balancers",
    "OWNERSHIP": "Ownership of load balancers, and lost answers",
    "ROUTES": "Routes",
    "OWNED": "Objects that the provider has made",
    "CONTROLLER": "Controllers",
}
text = f"""# Conformance cases

The {len(cases)} cases of `ccmctl plugin check` (how to run them for a [provider](../provider-authors.md#check-your-plugin), for a
[controller](../controller-authors.md#check-your-plugin)). The first two families are for both. An id keeps its meaning; a case that is withdrawn leaves a gap. The rule stands in the header beside it, below `sdk/include`.
`tests/conformance/reference.py CCMCTL . --write` makes this page of what `ccmctl plugin cases` prints, and of
`tests/conformance/mutants/found.json`.
"""
for family, title in families.items():
    text += f"\n## {title}\n| case | a right plugin | rule |\n| --- | --- | --- |\n"
    for case in sorted((c for c in cases if c["id"].rsplit("-", 1)[0] == family), key=lambda c: c["id"]):
        text += f"| {case['id']} | {case['title']} | `{case['header']}`: {case['rule']} |\n"
assert text.count("\n| ") == len(cases) + 2 * len(families), "a family is missing in reference.py"
assert len({c["id"] for c in cases}) == len(cases), "an id stands twice"
found = json.loads(pathlib.Path(root, "tests/conformance/mutants/found.json").read_text())
seen = sum(1 for by in found.values() if by)
text += f"""
## Bugs that the cases find
`make test-mutants` puts each of these {len(BUGS)} bugs, alone, into the provider that `ccmctl plugin new` makes, or into the example that it names, and
runs the cases that are meant for it: {seen} are found.

| language | the bug | found by |
| --- | --- | --- |
"""
for bug in BUGS:
    text += f"| {LANGUAGES[bug.language]} | {bug.what} | {', '.join(found[bug.name]) or 'nothing'} |\n"
if write:
    page.write_text(text)
elif not page.exists() or page.read_text() != text:
    sys.exit(f"{page} is not current: tests/conformance/reference.py {ccmctl} {root} --write")
