"""What is in an image, as an SPDX document, and that document as an OCI artifact whose subject is the image: a registry lists it
among the image's referrers."""
import pathlib
import sys

import layer as layers
from layout import MANIFEST, TITLE, VERSION, HOST, Layout, text

SOURCES = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCES / "deploy/debian"))
import parts  # noqa: E402
import spdx  # noqa: E402

SPDX = "application/spdx+json"
EMPTY = "application/vnd.oci.empty.v1+json"
PROGRAM = "bin/cloud-controller-manager"


def listed(image):
    """The packages of Debian in its layers."""
    names = set().union(*(layers.names(image.layout.blob(layer)) for layer in image.layers))
    return {name.rsplit("/", 1)[1] for name in names if "/dpkg/status.d/" in name}


def built_of(tree, name, root):
    """The packages whose headers or archives are in this file; nothing is known of a folder that is no build tree."""
    return parts.compiled_in(tree, [name], root) if (tree / "build.ninja").is_file() else {}


def document(image, descriptor, tree, debian, plugins, date):
    """`plugins` has the file of each plugin by its id."""
    digest, architecture = descriptor["digest"], image.config["architecture"]
    whole = spdx.Document(f"cloud-controller-manager-{image.reference}-{architecture}", digest.removeprefix("sha256:"), date, "deploy/image/build.py")
    own = whole.describe(whole.add(
        "cloud-controller-manager-image", image.reference, spdx.purl("oci", "", "cloud-controller-manager", digest, arch=architecture, tag=image.reference),
        "Apache-2.0", primaryPackagePurpose="CONTAINER",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest.removeprefix("sha256:")}]))
    for name in sorted(listed(image)):
        version, source, kind = parts.installed([name], debian.root)[name]
        whole.relate(own, "CONTAINS", whole.add_library(name, version, source, kind, debian.root))
    for layer in image.layers:
        title, version = layer["annotations"].get(TITLE), layer["annotations"].get(VERSION)
        if version is None:
            continue
        path = PROGRAM if title == HOST else str(plugins[title].relative_to(tree))
        part = whole.add(title, version, spdx.purl("generic", "ccm", title, version), "Apache-2.0", primaryPackagePurpose="APPLICATION",
                         checksums=[{"algorithm": "SHA256", "checksumValue": layer["digest"].removeprefix("sha256:")}],
                         comment="The checksum is that of its layer.")
        whole.relate(own, "CONTAINS", part)
        for name, (version, source, kind) in sorted(built_of(tree, path, debian.root).items()):
            whole.relate(part, "STATIC_LINK", whole.add_library(name, version, source, kind, debian.root))
    return whole.text().encode()


def attach(image, descriptor, document, created):
    """A layout beside the image's, with the document as an artifact that refers to it."""
    layout = Layout(f"{image.layout.folder}-sbom")
    layout.create()
    config = layout.put(EMPTY, b"{}")
    content = layout.put(SPDX, document, annotations={TITLE: "sbom.spdx.json"})
    annotations = {"org.opencontainers.image.created": created}
    manifest = layout.put(MANIFEST, text({
        "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": SPDX, "config": config, "layers": [content],
        "subject": {key: descriptor[key] for key in ("mediaType", "digest", "size")}, "annotations": annotations}))
    layout.write_index([{**manifest, "artifactType": SPDX}])
    return layout.folder


def write(image, tree, debian, plugins, date):
    [descriptor] = image.layout.index()["manifests"]
    return attach(image, descriptor, document(image, descriptor, tree, debian, plugins, date), image.config["created"])
