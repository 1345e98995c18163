#!/usr/bin/env python3
"""Whether aws.so uses the names and types of AWS's APIs as Amazon describes them:   names.py [--models | --write]

The sources name operations, parameters and elements in the form that is on the wire ("Filter", "reservationSet"). names.txt has all of
them with their types. It is made of botocore's models, Amazon's own description, by --write; --models fails when it is not what they
say. Both need botocore (./install). Without an option the sources are held against names.txt alone:
- each literal that is an operation's name is sent to an API that has it, and the manifest's permissions are operations;
- what a function reads of an element, or sets of a structure, are members of one structure of that API's answers, or requests, with the
  types that it takes them for; of the answer, and of call.params, that structure is the one of an operation that the function names.
  Where the function takes one or the other (else, ?:), or gives a name to another function, each name is a member of some structure.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugins/providers/aws"
TABLE = Path(__file__).resolve().parent / "names.txt"
VERSIONS = {"ec2": "2016-11-15", "elb": "2012-06-01", "elbv2": "2015-12-01", "sts": "2011-06-15"}
# The errors' documents are in no model.
NO_ANSWERS = {"api/error.cpp", "api/xml.cpp", "api/params.cpp", "config/endpoints.cpp"}
READERS = {"text": "scalar", "number": "number", "flag": "boolean", "list": "list", "child": "structure"}
SCALARS = {"string": "scalar", "timestamp": "scalar", "blob": "scalar", "integer": "number", "long": "number",
           "double": "number", "float": "number", "boolean": "boolean"}
SIDES = {"<": "answers", ">": "requests"}
HEAD = "# Names and types on the wire, of botocore {version}; made by names.py --write.\n" \
       "# API ACTION REQUEST ANSWER, then API and side (> request, < answer), structure, its members that aws.so names.\n"


# The sources.

def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def sources():
    for path in sorted(PLUGIN.rglob("*.cpp")):
        name = str(path.relative_to(PLUGIN))
        if name not in NO_ANSWERS:
            yield name, without_comments(path.read_text())


def literals(text):
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)


def chunks(text):
    """Functions, or what stands between them; a class counts as one."""
    return re.split(r"\n}[^\n]*\n", text)


def arguments(text, begin):
    """The text between the parenthesis before `begin` and its partner, and where that ends."""
    depth, quoted, i = 1, False, begin
    while depth:
        c = text[i]
        if c == "\\":
            i += 1
        elif c == '"':
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
        i += 1
    return text[begin:i - 1], i


def calls(text, begin, names):
    """Calls .NAME(ARGUMENTS) one behind the other from `begin` on: [(NAME, first argument's literals, all)], end."""
    out = []
    while match := re.compile(r"\s*\.(\w+)\(").match(text, begin):
        if match[1] not in names:
            break
        inside, begin = arguments(text, match.end())
        first = split(inside)[0] if inside.strip() else ""
        out.append((match[1], literals(first), inside))
    return out, begin


def split(text):
    parts, depth, quoted, last = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif not quoted:
            depth += c in "({[<" and not text[i - 1:i + 1] in ("->", "<<")
            depth -= c in ")}]" or (c == ">" and text[i - 1] != "-")
            if c == "," and depth <= 0:
                parts.append(text[last:i].strip())
                last = i + 1
    return parts + [text[last:].strip()]


class Use:
    """What a function reads of one element, or sets of one structure: kinds by name, and what it does with parts of it."""

    def __init__(self, root=False):
        self.root, self.kinds, self.parts = root, {}, {}
        self.loose = set()  # names of which one or the other is taken

    def part(self, name, kind):
        self.kinds.setdefault(name, set()).add(kind)
        return self.parts.setdefault((name, kind), Use())

    def single(self):
        """One for each name."""
        for name, kinds in self.kinds.items():
            use = Use(self.root)
            use.kinds = {name: kinds}
            use.parts = {key: part for key, part in self.parts.items() if key[0] == name}
            yield use

    def names(self):
        return sorted(set(self.kinds) - {"*"}) + [name for part in self.parts.values() for name in part.names()]


def read_uses(text, whole):
    """What one function of the file `whole` reads of XML elements."""
    helpers = set(re.findall(r"\b(\w+)\(XmlElement \w+,[^)]*std::string_view", whole))
    uses, owner = {}, {}
    elements = set(re.findall(r"\bXmlElement (\w+)", text)) | set(re.findall(r"\bauto (\w+) = \w+(?:->|\.)result\(\)", text))
    for match in re.finditer(r"(\w+)(?:->|\.)result\(\)|\b(\w+)\b(?=\s*\.(?:text|number|flag|list|child)\()", text):
        variable = match[1] or match[2]
        if not match[1] and variable not in elements:
            continue
        chain, end = calls(text, match.end(), READERS)
        root = bool(match[1]) or variable == "page"
        use = uses.setdefault((root, variable), Use(root))
        use = owner.get(variable, use) if not root else use
        for (reader, names, _), after in zip(chain, chain[1:] + [("", [], "")]):
            if len(names) != 1:
                use.loose.update(names)
                break
            # A child alone is asked for its own text, or whether it is there.
            use = use.part(names[0], "any" if reader == "child" and not after[1] else READERS[reader])
        before = text[max(0, match.start() - 120):match.start()]
        loop = re.search(r"for \(const XmlElement (\w+) :\s*$", before)
        alias = re.search(r"XmlElement (\w+) =\s*$", before)
        if loop and chain and chain[-1][0] == "list" and chain[-1][1]:
            owner[loop[1]] = use.part("*", "element")
        elif alias and text[end] == ";":
            owner[alias[1]] = use
    handed_on = Use()
    for helper in helpers:
        for match in re.finditer(rf"\b{helper}\(", text):
            handed_on.loose.update(literals(arguments(text, match.end())[0]))
    return [*uses.values(), handed_on]


def write_uses(text, whole):
    """What one function of the file `whole` writes into Params."""
    uses = {}
    params = set(re.findall(r"\bParams&? (\w+)", text))
    for match in re.finditer(r"\b(\w+)\.params\b|\b(\w+)\b(?=\s*\.(?:set|add|add_all|filter)\()", text):
        variable = match[1] or match[2]
        if not match[1] and variable not in params:
            continue
        chain, _ = calls(text, match.end(), {"set", "add", "add_all", "filter"})
        use = uses.setdefault((bool(match[1]), variable), Use(bool(match[1])))
        for call, names, inside in chain:
            if call == "filter":
                use.part("Filter", "list")
                continue
            first, *rest = split(inside)
            if len(names) != 1:
                use.loose.update(names or named_by(first, text, whole))
                continue
            *parts, name = names[0].split(".")
            at = use
            for part in parts:
                at = at.part(part, "structure")
            made = bool(rest) and (rest[0] in params or re.match(r"\w+_params\(", rest[0]))
            at.part(name, {"set": "structure" if made else "value"}.get(call, "list"))
    return uses.values()


def named_by(expression, text, whole):
    """The names that a variable or a function gives."""
    if match := re.fullmatch(r"(\w+)", expression):
        return re.findall(rf'\b{match[1]} = "(\w+)"', text)
    if match := re.match(r"(\w+)\(", expression):
        return [name for chunk in chunks(whole) if re.search(rf"\b{match[1]}\(const ", chunk) for name in literals(chunk)
                if re.fullmatch(r"[A-Z]\w+", name)]
    return []


def named_operations(text, known):
    return {(api, literal) for literal in literals(text) for api in VERSIONS if (api, literal) in known}


# The table.

class Table:
    def __init__(self):
        self.operations = {}  # (api, action): (request, answer)
        self.structures = {}  # (api, side, structure): {name: type}

    @classmethod
    def read(cls):
        table = cls()
        for line in TABLE.read_text().splitlines():
            words = line.split()
            if line.startswith("#") or not words:
                continue
            if words[1] in (">", "<"):
                table.structures[tuple(words[:3])] = dict(word.rsplit(":", 1) for word in words[3:])
            else:
                table.operations[tuple(words[:2])] = (words[2], words[3])
        return table

    def text(self, version):
        lines = [" ".join((*key, *value)) for key, value in sorted(self.operations.items())]
        lines += [" ".join((*key, *(f"{name}:{kind}" for name, kind in sorted(members.items()))))
                  for key, members in sorted(self.structures.items())]
        return HEAD.format(version=version) + "\n".join(lines) + "\n"


def of_models():
    """The table as botocore's models have it, of what the sources name."""
    import botocore
    import botocore.loaders
    from botocore.model import ServiceModel
    loader = botocore.loaders.Loader()
    models = {api: ServiceModel(loader.load_service_model(api, "service-2", version), api)
              for api, version in VERSIONS.items()}
    known = {(api, action) for api, model in models.items() for action in model.operation_names}
    texts = [text for _, text in sources()]
    names = {part for text in texts for literal in literals(text) for part in literal.split(".")}
    names |= {"Filter", "Name", "Value"}  # Params::filter
    table = Table()

    def kind(api, side, shape):
        if shape.type_name == "structure":
            add(api, side, shape)
            return "{" + shape.name + "}"
        if shape.type_name == "list":
            # Params writes "Name.member.1" for all of them, and EC2 takes "Name.1" whatever its model calls the elements.
            if api != "ec2" and (shape.serialization.get("flattened") or shape.member.serialization.get("name", "member") != "member"):
                raise SystemExit(f"{api}: the elements of the list {shape.name} are not called member")
            return f"[{kind(api, side, shape.member)}]"
        return SCALARS.get(shape.type_name, shape.type_name)

    def add(api, side, shape):
        if shape is None or (api, side, shape.name) in table.structures:
            return
        members = table.structures[api, side, shape.name] = {}
        for name, member in shape.members.items():
            wire = wire_name(api, side, name, member)
            if wire in names:
                members[wire] = kind(api, side, member)

    for text in texts:
        for api, action in named_operations(text, known):
            model = models[api].operation_model(action)
            if models[api].api_version != VERSIONS[api]:
                raise SystemExit(f"{api} has another version: {models[api].api_version}")
            for side, shape in ((">", model.input_shape), ("<", model.output_shape)):
                add(api, side, shape)
            table.operations[api, action] = tuple(shape.name if shape else "-"
                                                  for shape in (model.input_shape, model.output_shape))
    table.structures = {key: members for key, members in table.structures.items() if members}
    return table.text(botocore.__version__)


def wire_name(api, side, name, member):
    location = member.serialization.get("name")
    if api == "ec2" and side == ">":
        return member.serialization.get("queryName") or (location[:1].upper() + location[1:] if location else name)
    return location or name


# The check.

def fits(table, api, side, structure, use):
    members = table.structures.get((api, side, structure), {})
    for name, kinds in use.kinds.items():
        if name not in members or not all(takes(kind, members[name]) for kind in kinds):
            return False
    for (name, kind), part in use.parts.items():
        element = part.parts.get(("*", "element"))
        below = element if kind == "list" else part
        inner = re.search(r"\{(\w+)}", members[name])
        if below and below.kinds and not (inner and fits(table, api, side, inner[1], below)):
            return False
    return True


def takes(kind, wire):
    if kind in ("any", "scalar"):
        return kind == "any" or wire[0] not in "[{"
    if kind == "value":
        return wire[0] != "{"  # an empty list is set as ""
    return {"list": wire[0] == "[", "structure": wire[0] == "{"}.get(kind, kind == wire)


def faults(table, texts):
    """One line each. `texts`: of the sources, by file."""
    count = 0
    actions = {action for _, action in table.operations}
    verbs = {re.match("[A-Z][a-z]+", action)[0] for action in actions}
    members = {one for structure in table.structures.values() for one in structure}
    for name, text in texts.items():
        for api, action in re.findall(r'Call\b[^;]*\{Api::(\w+), "(\w+)"', text):
            if (api, action) not in table.operations:
                yield f"{name}: {api} has no action {action}"
        for literal in set(literals(text)) - actions - members:
            if (words := re.match(r"([A-Z][a-z]+)[A-Z]\w+$", literal)) and words[1] in verbs:
                yield f"{name}: no API has an action {literal}"
        here = named_operations(text, table.operations)
        for chunk in chunks(text):
            inside = named_operations(chunk, table.operations) or here
            branches = re.search(r"\belse\b|\? ", chunk)
            for side, uses in (("<", read_uses(chunk, text)), (">", write_uses(chunk, text))):
                for use in uses:
                    wanted = [(api, table.operations[api, action][side == "<"]) for api, action in inside if use.root] \
                        or [(api, structure) for api, on, structure in table.structures if on == side]
                    for one in sorted(use.loose):
                        count += 1
                        if not any(one in table.structures.get((api, side, structure), {}) for api, structure in wanted):
                            yield f"{name}: no structure of the {SIDES[side]} has {one}"
                    if not use.kinds:
                        continue
                    count += len(use.names())
                    if not any(fits(table, api, side, structure, use) for api, structure in wanted) and not (
                            branches and all(any(fits(table, api, side, structure, one) for api, structure in wanted)
                                             for one in use.single())):
                        yield (f"{name}: no structure of the {SIDES[side]}"
                               f"{' to ' + ', '.join(sorted({action for _, action in inside})) if use.root and inside else ''}"
                               f" has all of {', '.join(use.names())} with the types that they are taken for")
    for group in permissions(json.loads((PLUGIN / "plugin.json").read_text())):
        service, action = group.split(":")
        apis = {"ec2": ["ec2"], "elasticloadbalancing": ["elb", "elbv2"], "sts": ["sts"]}.get(service, [])
        if apis and not any((api, action) in table.operations for api in apis):
            yield f"plugin.json: nothing calls {group}"
    if count < 200:
        yield f"only {count} names were found in the sources: this program does not read them any more"
    print(f"{count} names of {len(table.operations)} operations")


def permissions(value):
    if isinstance(value, str):
        return [value] if re.fullmatch(r"(ec2|elasticloadbalancing|sts):\w+", value) else []
    return [one for part in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else [])
            for one in permissions(part)]


def main():
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(of_models())
    wrong = list(faults(Table.read(), dict(sources())))
    if sys.argv[1:] == ["--models"] and TABLE.read_text() != of_models():
        wrong.append("names.txt is not what botocore's models say: names.py --write")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
