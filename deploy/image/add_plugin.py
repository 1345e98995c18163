#!/usr/bin/python3
"""Puts a plugin into an image, as a layer of its own, and writes the image that comes of it to another folder:

    deploy/image/add_plugin.py build-package/image mycloud.so build-package/image-mycloud

The file goes into the image as it is. If the image has that plugin already, by the id in its manifest, this layer takes the
place of its layer. Libraries that it needs and the host does not are taken from this machine's Debian packages. All other
layers stay, and so does the first folder. The layer's files are dated by SOURCE_DATE_EPOCH, or 1970 without it, so that the
same plugin is the same layer.
"""
import argparse
import os
import pathlib
import shutil
import sys

from elftools.common.exceptions import ELFError

import contents
from debian import Debian
from layout import Image, Layout


def add(options):
    if options.output.resolve() == options.layout.resolve():
        raise ValueError(f"{options.output} is the image that is read; name another folder for the new one")
    image = Image.read(Layout(options.layout))
    layer, plugin, libraries = contents.plugin_layer(
        int(os.environ.get("SOURCE_DATE_EPOCH") or 0), Debian(options.sysroot), options.plugin, options.plugin.read_bytes(), image)
    new = Layout(options.output)
    new.create()
    shutil.copytree(options.layout / "blobs", new.folder / "blobs", dirs_exist_ok=True)
    image.layout = new
    replaced = image.put_plugin(layer, plugin)
    image.reference = options.tag or image.reference
    image.write()
    return (f"{'Replaced' if replaced else 'Added'} {plugin.manifest['id']} {plugin.manifest['version']}"
            + (f" with {', '.join(libraries)}" if libraries else "") + f": {new.folder}.tar")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layout", type=pathlib.Path, help="folder of the image that is read")
    parser.add_argument("plugin", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path, help="folder of the image that is written; the archive is beside it")
    parser.add_argument("--tag", help="the image's new tag")
    parser.add_argument("--sysroot", default="/", help="folder with the libraries, as tools/sysroot makes it; else this machine's")
    try:
        print(add(parser.parse_args()))
    except (ValueError, OSError, ELFError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")


if __name__ == "__main__":
    main()
