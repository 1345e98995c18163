#!/usr/bin/env python3
"""The table of helpers in sdk/README.md: each language has what a cell names, and the taints are the same in all of them.

    helpers.py [ROOT]    one line for each finding; exit code 1 when there is one
"""
import re
import sys
from pathlib import Path

HEADING = "## The same helpers in each language"
SOURCES = {"C++": ("sdk/include/ccm", "*.hpp"), "C": ("sdk/include/ccm/c", "*.h"), "Go": ("sdk/go", "*.go"), "Rust": ("sdk/rust/ccm/src", "*.rs")}
# How a language defines a function or a constant of that name.
DEFINITION = {"C++": r"(?m)^(?!\s*//).*\b(?:constexpr|inline|Task<.*>|Status|Result<.*>) .*\b{}\b ?[(={{]",
              "C": r"(?m)^(?:static inline .*\b{0}\(|#define {0} )",
              "Go": r"(?m)^(?:func (?:\(.*?\) )?{0}\(|\s*{0}\s+= )",
              "Rust": r"(?m)^\s*pub (?:(?:async )?fn {0}\b|const {0}:)"}
# They are not ours.
STANDARD = {"Go": {"url.PathEscape", "base64.StdEncoding", "time.ParseDuration", "time.RFC3339", "http.ParseTime", "http.TimeFormat",
                   "utf8.ValidString", "strings.ToValidUTF8"},
            "Rust": {"str::from_utf8", "String::from_utf8_lossy"}}
TAINTS = {"C++": ("sdk/include/ccm/taints.hpp", r'k(\w+) =\s+"([^"]+)"'), "C": ("sdk/include/ccm/c/taints.h", r'#define CCM_(\w+) "([^"]+)"'),
          "Go": ("sdk/go/taints.go", r'(\w+)\s+= "([^"]+)"'), "Rust": ("sdk/rust/ccm/src/taints.rs", r'const (\w+): &str = "([^"]+)"')}


def rows(text):
    """The lines of the table with their number, each as a dict of language and cell."""
    lines = text.splitlines()
    begin = lines.index(HEADING)
    table = [(number, [cell.strip() for cell in line.strip("|").split("|")]) for number, line in enumerate(lines, 1)
             if number > begin and line.startswith("|")]
    names = table[0][1][1:] if table else []
    return [(number, dict(zip(names, cells[1:]))) for number, cells in table[2:]]


def missing(root):
    source = {language: "\n".join(path.read_text() for path in sorted(Path(root, folder).glob(pattern)) if "_test." not in path.name)
              for language, (folder, pattern) in SOURCES.items()}
    for number, cells in rows(Path(root, "sdk/README.md").read_text()):
        for language in SOURCES:
            cell = cells.get(language, "")
            names = re.findall(r"`([^`]+)`", cell)
            if not names and cell != "no":
                yield f"sdk/README.md:{number}: the cell of {language} names nothing: a helper, or \"no\""
            for name in names:
                own = re.split(r"::|\.", name)[-1]
                if name not in STANDARD.get(language, ()) and not re.search(DEFINITION[language].format(own), source[language]):
                    yield f"sdk/README.md:{number}: {language} has no {name}"


def words(name):
    """The words of kOldKarpenterTaint and OLD_KARPENTER_TAINT: old karpenter taint."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def taints(root):
    all_of = {language: {words(name): value for name, value in re.findall(pattern, Path(root, file).read_text())}
              for language, (file, pattern) in TAINTS.items()}
    for language, found in all_of.items():
        for name in sorted(all_of["C++"].keys() | found.keys()):
            if all_of["C++"].get(name) != found.get(name):
                yield f"{TAINTS[language][0]}: {name} is {found.get(name)}, and in C++ {all_of['C++'].get(name)}"


def check(root):
    return [*missing(root), *taints(root)]


def main():
    findings = check(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
