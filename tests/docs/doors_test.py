#!/usr/bin/env python3
"""The commands of "Five doors" in docs/architecture.md do what they say: doors_test.py BUILD_FOLDER."""
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/architecture.md"


def commands():
    """The first cells of the section's table."""
    section = PAGE.read_text().split("## Five doors")[1].split("\n## ")[0]
    return [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]


def main():
    build = Path(sys.argv[1])
    found = commands()
    assert len(found) == 5, found
    for command in found:
        words = [str(build / word.removeprefix("build/")) if word.startswith("build/") else word
                 for word in command.split()]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=100)
        assert ended.returncode == 0 and ended.stdout, f"{command}: {ended.returncode}\n{ended.stdout}{ended.stderr}"


if __name__ == "__main__":
    main()
