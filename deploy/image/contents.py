"""The contents of the layers: libraries with their licences, the roots of certificates, the host, plugins."""
import os
import re

import elf
from layer import Layer

PASSWD = """root:x:0:0:root:/:/usr/sbin/nologin
nonroot:x:65532:65532:nonroot:/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = """root:x:0:
nonroot:x:65532:
nogroup:x:65534:
"""
ROOTS = "/etc/ssl/certs/ca-certificates.crt"
# Headers and archives that programs are compiled from, whose licences ask for a notice. Boost's does not.
COMPILED_IN = ("libcli11-dev", "libexpat1-dev", "libfmt-dev", "libspdlog-dev", "libyaml-dev", "nlohmann-json3-dev")
LICENCES = "/usr/share/common-licenses"


def add_notice(layer, name, text, debian):
    """A package's own words on its licence, and the licences that it names."""
    layer.add(name, text)
    for licence in re.findall(rf"{LICENCES}/([A-Za-z0-9.-]*[A-Za-z0-9])".encode(), text):
        path = f"{LICENCES}/{licence.decode()}"
        layer.add(path, debian.path(path).read_bytes())


def add_package(layer, debian, package):
    """Its licence, and its entry where scanners of images look for packages."""
    name, entry = debian.status(package)
    add_notice(layer, debian.copyright(package), debian.path(debian.copyright(package)).read_bytes(), debian)
    layer.add(f"/var/lib/dpkg/status.d/{name}", entry.encode())


def add_libraries(layer, debian, program, present=()):
    """The libraries of this program or plugin, at the path that the loader searches first."""
    folder = f"/usr/lib/{program.triplet}"
    here = {path.rsplit("/", 1)[1] for path in present if path.startswith(f"{folder}/") or "/ld-linux" in path}
    found = debian.libraries(program.needed, program.triplet, here)
    for soname, path in sorted(found.items()):
        # The kernel takes the loader from the path that the program names.
        loader = program.interpreter.endswith(f"/{soname}")
        layer.add(program.interpreter if loader else f"{folder}/{soname}", debian.path(path).read_bytes(), 0o755)
    for package in sorted({debian.owner(path) for path in found.values()}):
        if debian.copyright(package) not in present:
            add_package(layer, debian, package)
    return sorted(found)


def base_layer(debian, host):
    """Libraries of the host, roots of certificates, users. As old as the newest of the libraries, so that it changes when Debian
    has another one, and not with a release of ours."""
    found = debian.libraries(host.needed, host.triplet)
    said = os.environ.get("SOURCE_DATE_EPOCH")
    layer = Layer(int(said or max(debian.path(path).stat().st_mtime for path in found.values())))
    add_libraries(layer, debian, host)
    # The package's own roots: this machine's list may have others besides.
    roots = [name for name in debian.files("ca-certificates") if name.startswith("/usr/share/ca-certificates/")]
    layer.add(ROOTS, b"".join(debian.path(name).read_bytes().rstrip() + b"\n" for name in sorted(roots)))
    layer.link("/usr/lib/ssl/cert.pem", ROOTS)
    add_package(layer, debian, "ca-certificates")
    for package in COMPILED_IN:
        add_notice(layer, debian.copyright(package), debian.path(debian.copyright(package)).read_bytes(), debian)
    layer.add("/etc/os-release", debian.path("/usr/lib/os-release").read_bytes())
    layer.add("/etc/passwd", PASSWD.encode())
    layer.add("/etc/group", GROUP.encode())
    return layer


def host_layer(date, debian, program, licence):
    layer = Layer(date)
    layer.add("/usr/bin/cloud-controller-manager", program, 0o755)
    # Where Kubernetes' own example has it.
    layer.link("/usr/local/bin/cloud-controller-manager", "/usr/bin/cloud-controller-manager")
    add_notice(layer, "/usr/share/doc/ccm-host/copyright", licence, debian)
    return layer


def plugin_layer(date, debian, path, contents, image):
    """The plugin, and the libraries that it needs and the host does not. Other plugins do not count, so that the layer is the same
    whatever stands beside it. Gives the layer, what the plugin says of itself, and the names of these libraries."""
    read = elf.read(path)
    if read.manifest is None:
        raise ValueError(f"{path} has no manifest, so it is no plugin")
    if read.architecture != image.config["architecture"]:
        raise ValueError(f"{path} is for {read.architecture}, and the image for {image.config['architecture']}")
    kinds = {component["kind"] for component in read.manifest["components"]}
    folder = "providers" if "provider" in kinds else "controllers"
    layer = Layer(date)
    layer.add(f"/usr/lib/ccm/{folder}/{path.name}", contents, 0o644)
    return layer, read, add_libraries(layer, debian, read, image.foundation())
