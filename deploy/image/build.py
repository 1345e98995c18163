#!/usr/bin/python3
"""Makes an OCI image of the host and the plugins that are named, without a container engine and without rights:

    deploy/image/build.py build-package --plugins node,service,digitalocean --version 0.1.0

The first argument is a build tree, or a prefix that the project was installed to. The layout is in `image` of the tree,
an archive for `podman load` and `docker load` beside it, `image.tar`, and in `image-sbom` an SPDX document as an artifact that refers to it. Needs the Debian packages that `make image` installs.
"""
import argparse
import datetime
import pathlib
import subprocess
import sys
import tempfile

import bill
import contents
import elf
from debian import Debian
from layout import HOST, TITLE, VERSION, Image, Layout

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def part_dates():
    """Each part's date by its name, as tools/release tells it; SOURCE_DATE_EPOCH, where it is set, is the date of all."""
    done = subprocess.run([SOURCES / "tools/release", "dates"], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"layers need dates: set SOURCE_DATE_EPOCH, or build in a checkout of git. {done.stderr.strip()}")
    return {name: int(date) for name, date in (line.split() for line in done.stdout.splitlines())}


def plugin_files(prefix, names):
    """Controllers first; the same plugins in another order are the same image."""
    found = {path.stem: path for path in sorted(prefix.glob("lib/ccm/*/*.so"))}
    missing = sorted(set(names) - set(found))
    if missing:
        raise ValueError(f"no plugin {', '.join(missing)} in {prefix}/lib/ccm; there are: {', '.join(found)}")
    return [path for name, path in found.items() if name in names]


def stripped(path, triplet):
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run([f"{triplet}-strip", "-o", copy.name, path], check=True)
        return pathlib.Path(copy.name).read_bytes()


def configuration(architecture, created, revision, version):
    labels = {"org.opencontainers.image.title": "cloud-controller-manager",
              "org.opencontainers.image.description": "Kubernetes cloud-controller-manager with plugins",
              "org.opencontainers.image.licenses": "Apache-2.0",
              "org.opencontainers.image.created": created,
              "org.opencontainers.image.version": version}
    if revision:
        labels["org.opencontainers.image.revision"] = revision
    config = {
        "created": created, "os": "linux", "architecture": architecture,
        "config": {"User": "65532:65532", "Entrypoint": ["/usr/bin/cloud-controller-manager"], "WorkingDir": "/",
                   "ExposedPorts": {"10258/tcp": {}}, "Labels": dict(labels)},
        "rootfs": {"type": "layers", "diff_ids": []}, "history": []}
    return config, labels


def build(options):
    dates = part_dates()
    # An image is as new as its newest part; each layer has its own date, so that a new part is one new layer.
    newest = max(dates["host"], *(dates.get(name, 0) for name in options.plugins))
    created = f"{datetime.datetime.fromtimestamp(newest, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    program = options.prefix / "bin/cloud-controller-manager"
    host = elf.read(program)
    debian = Debian(options.sysroot)
    plugins = plugin_files(options.prefix, options.plugins)
    layout = Layout(options.output or options.prefix / "image")
    layout.create()
    image = Image(layout, *configuration(host.architecture, created, options.revision, options.version), options.version)

    licence = (SOURCES / "debian/copyright").read_bytes()
    image.add(contents.base_layer(debian, host), "libraries, certificates, users", {TITLE: "base"})
    image.add(contents.host_layer(dates["host"], debian, stripped(program, host.triplet), licence),
              f"cloud-controller-manager {options.version}", {TITLE: HOST, VERSION: options.version})
    by_id = {}
    for path in plugins:
        layer, plugin, _ = contents.plugin_layer(
            dates.get(path.stem, dates["host"]), debian, path, stripped(path, host.triplet), image)
        image.put_plugin(layer, plugin)
        by_id[plugin.manifest["id"]] = path
    image.write()
    bill.write(image, options.prefix, debian, by_id, newest)
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--plugins", required=True, type=lambda names: names.split(","), help="names of plugins, with commas between")
    parser.add_argument("--version", required=True, help="version of the host, and the image's tag")
    parser.add_argument("--revision", default="", help="commit of the sources")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the layout")
    parser.add_argument("--sysroot", default="/", help="folder with the libraries, as tools/sysroot makes it; else this machine's")
    options = parser.parse_args()
    try:
        image = build(options)
    except (ValueError, OSError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
    print(f"{image.layout.folder}.tar: {sum(layer['size'] for layer in image.layers) / 1e6:.1f} MB, "
          f"{len(image.layers)} layers, {image.config['os']}/{image.config['architecture']}")


if __name__ == "__main__":
    main()
