#!/usr/bin/env python3
"""Finds helpers that two files of one target define under one name in an anonymous namespace.

The unity build compiles several files of a target as one, in batches that change with every new file, so these clash
sooner or later: they are redefined, or a call becomes ambiguous. Functions may share a name when their parameters
differ by more than the kind of text or number.   tools/unity_names.py BUILD
Prints a line for each; exit code 1 when there are any. Reads BUILD/compile_commands.json of any build, unity or not.
"""
import collections
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[^\s\w]|\d[\w.']*")
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
KEYWORDS = {"struct", "class", "enum", "union"}
NUMBERS = re.compile(r"u?int\d*_t|int|char|unsigned|signed|long|short|double|float|bool|s?size_t|size_type")


def targets(root, build):
    """Files of each target that is compiled as a unity build, by the folder of its objects."""
    apart = set()
    for lists in root.rglob("CMakeLists.txt"):
        apart.update(re.findall(r"set_target_properties\((\w+) PROPERTIES UNITY_BUILD OFF", lists.read_text()))
    files = collections.defaultdict(set)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        found = re.search(r" -o (\S*?CMakeFiles/([^/]+)\.dir)/", entry["command"])
        if not found or found.group(2) in apart:
            continue
        source = pathlib.Path(entry["file"])
        if re.fullmatch(r"unity_\d+_cxx\.cxx", source.name):
            files[found.group(1)].update(map(pathlib.Path, re.findall(r'^#include "(.*)"$', source.read_text(), re.M)))
        elif source.suffix == ".cpp":
            files[found.group(1)].add(source)
    return files


def skip_body(tokens, at):
    """The place after the brace that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += {"{": 1, "}": -1}.get(tokens[at], 0)
        at += 1
        if depth == 0:
            break
    return at


def without_angles(statement):
    """The statement without template arguments and attributes."""
    kept, depth = [], 0
    for token in statement:
        if token in ("<", "["):
            depth += 1
        elif token in (">", "]"):
            depth -= 1
        elif depth == 0:
            kept.append(token)
    return kept


def is_function(statement):
    words = without_angles(statement)
    if not words or words[0] in KEYWORDS or "(" not in words:
        return False
    return "operator" in words or "=" not in words[:words.index("(")]


def parameters(words):
    """The types in a list of parameters, which begins with its parenthesis, and how many of them have no default."""
    types, current, required, depth = [], [], 0, 0
    for word in words:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 or (word == "," and depth == 1):
            required += bool(current) and "=" not in current
            if "=" in current:
                current = current[:current.index("=")]
            names = [name for name in current if re.match(r"[A-Za-z_]", name) and name not in ("const", "std")]
            if any(name in ("string", "string_view") for name in names) or ("char" in names and "*" in current):
                types.append("text")
            elif any(NUMBERS.fullmatch(name) for name in names):
                types.append("number")
            elif names:
                types.append(" ".join(names[:-1]) + "*" * current.count("*"))
            current = []
            if depth == 0:
                break
        elif (word, depth) != ("(", 1):
            current.append(word)
    return tuple(types), required


def defined(statement, body):
    """The name that a statement at namespace scope defines with its parameters, or None; `body`: it ends with a brace.

    The parameters are None for what is no function.
    """
    if not statement or statement[0] in (",", "using", "static_assert", "extern", "friend", "typedef", "namespace"):
        return None
    words = without_angles(statement)
    if words and words[0] == "template":
        words = words[1:]
    if "operator" in words or not words:
        return None
    if words[0] in KEYWORDS:
        names = [word for word in words[1:] if re.match(r"[A-Za-z_]", word) and word not in KEYWORDS]
        return (names[0], None) if names and body else None
    head = words[:words.index("=")] if "=" in words else words
    if "(" in head:
        at = head.index("(")
        if not body or at < 2:  # a declaration, or a macro
            return None
        name = head[at - 1]
        return None if head[at - 2] == "::" or name.isupper() else (name, parameters(head[at:]))
    names = [word for word in head if re.match(r"[A-Za-z_]", word)]
    return (names[-1], None) if len(names) > 1 and head[-2] != "::" else None


def anonymous_names(path):
    """(enclosing namespace, name, parameters) of what a file defines in anonymous namespaces."""
    tokens = TOKEN.findall(NOISE.sub(lambda match: '0' if match.group(0)[0] in "\"'R" else " ", path.read_text()))
    spaces, statement, at, names = [], [], 0, set()
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            if "namespace" in statement[:2]:
                spaces.append("".join(statement[statement.index("namespace") + 1:]))
                statement = []
                at += 1
                continue
            if "" in spaces:
                names.add((qualified(spaces), defined(statement, True)))
            at = skip_body(tokens, at)
            # A type or an initialiser goes on until its semicolon, a function ends here.
            statement = [] if is_function(statement) else ["namespace"]
            continue
        if token == "}":
            if spaces:
                spaces.pop()
            statement = []
        elif token == ";":
            if "" in spaces:
                names.add((qualified(spaces), defined(statement, False)))
            statement = []
        else:
            statement.append(token)
        at += 1
    return {(space, *what) for space, what in names if what}


def qualified(spaces):
    return "::".join(space for space in spaces if space)


def clash(left, right):
    """Whether parameters do not tell two definitions of one name apart."""
    if left is None or right is None:
        return True
    shared = min(len(left[0]), len(right[0]))
    return shared >= max(left[1], right[1]) and left[0][:shared] == right[0][:shared]


def findings(root, build):
    """A line for each pair of files that clash."""
    found = set()
    for files in targets(root, build).values():
        owners = collections.defaultdict(list)
        for path in sorted(files):
            if path.is_relative_to(root):
                for space, name, types in anonymous_names(path):
                    owners[space, name].append((path.relative_to(root), types))
        for (space, name), places in owners.items():
            for (one, types), (other, other_types) in itertools.combinations(places, 2):
                if one != other and clash(types, other_types):
                    found.add(f"{one} and {other} define {name} in an anonymous namespace of {space}: rename one")
    return sorted(found)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tools/unity_names.py BUILD")
    found = findings(ROOT, pathlib.Path(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
