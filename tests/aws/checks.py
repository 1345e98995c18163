"""Whether a call to AWS is what Amazon describes, and signed by the right key."""
import hashlib
import hmac
import re
import urllib.parse

import botocore.loaders
from botocore.model import ServiceModel

VERSIONS = {"2016-11-15": "ec2", "2012-06-01": "elb", "2015-12-01": "elbv2", "2011-06-15": "sts"}
loader = botocore.loaders.Loader()
models = {name: ServiceModel(loader.load_service_model(name, "service-2"), name) for name in VERSIONS.values()}


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def fault_of_signature(method, headers, body, keys):
    """Empty when the Authorization header is right (SigV4). `headers`: names in lower case; `keys`: secrets by id."""
    form = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})",
                        headers.get("authorization", ""))
    if not form:
        return "no Authorization of AWS4-HMAC-SHA256"
    scope, names, signature = form.groups()
    key, day, region, service, end = scope.split("/")
    if key not in keys:
        return f"no key {key}"
    if not {"host", "x-amz-date", "content-type"} <= set(names.split(";")):
        return f"headers that must be signed are not among {names}"
    lines = "".join(f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in names.split(";"))
    request = "\n".join([method, "/", "", lines, names, hashlib.sha256(body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], f"{day}/{region}/{service}/{end}",
                      hashlib.sha256(request.encode()).hexdigest()])
    derived = b"AWS4" + keys[key].encode()
    for part in (day, region, service, end):
        derived = digest(derived, part)
    return "" if digest(derived, text).hex() == signature else "the signature is wrong"


def call_of(body):
    """Service, action and faults of the body of a POST."""
    pairs = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)
    form = dict(pairs)
    action, service = form.pop("Action", ""), VERSIONS.get(form.pop("Version", ""))
    if not service or action not in models[service].operation_names:
        return service, action, [f"no action {action!r} of {service}"]
    tree = {}
    for name, value in form.items():
        node = tree
        for part in name.split("."):
            node = node.setdefault(part, {})
        node[""] = value
    faults = ["a parameter is there twice"] if len(pairs) != len(dict(pairs)) else []
    shape = models[service].operation_model(action).input_shape
    check(service, shape, tree, action, faults)
    return service, action, faults


def check(service, shape, tree, path, faults):
    if shape is None:
        if tree:
            faults.append(f"{path}: takes no parameters")
    elif shape.type_name == "structure":
        members = {wire_name(service, name, member): member for name, member in shape.members.items()}
        required = {wire_name(service, name, shape.members[name]) for name in shape.required_members}
        faults += [f"{path}: {name} is missing" for name in required - set(tree)]
        for name, below in tree.items():
            if name not in members:
                faults.append(f"{path}: no parameter {name!r}")
            else:
                check(service, members[name], below, f"{path}.{name}", faults)
    elif shape.type_name == "list":
        if tree == {"": ""}:  # an empty one
            return None
        if service != "ec2":
            if set(tree) != {"member"}:
                return faults.append(f"{path}: the elements of a list are called member, not {sorted(tree)}")
            tree = tree["member"]
        if sorted(tree) != sorted(str(i + 1) for i in range(len(tree))):
            return faults.append(f"{path}: the numbers of a list are {sorted(tree)}")
        if len(tree) > shape.metadata.get("max", len(tree)) or len(tree) < shape.metadata.get("min", 0):
            faults.append(f"{path}: {len(tree)} elements")
        for number, below in tree.items():
            check(service, shape.member, below, f"{path}.{number}", faults)
    elif set(tree) != {""}:
        faults.append(f"{path}: a {shape.type_name} has parts: {sorted(tree)}")
    else:
        check_scalar(shape, tree[""], path, faults)


def wire_name(service, name, member):
    """The name that a member of a structure has in a request."""
    given = member.serialization
    if service != "ec2":
        return given.get("name", name)
    name = given.get("queryName") or given.get("name", name)
    return name[0].upper() + name[1:]


def check_scalar(shape, value, path, faults):
    limits = shape.metadata
    if shape.type_name in ("integer", "long"):
        right = re.fullmatch(r"-?\d+", value) and limits.get("min", int(value)) <= int(value) <= limits.get("max", int(value))
    elif shape.type_name == "boolean":
        right = value in ("true", "false")
    else:
        right = (not shape.enum or value in shape.enum) and limits.get("min", 0) <= len(value) <= limits.get("max", len(value))
    if not right:
        faults.append(f"{path}: {value!r} is no {shape.name}")
