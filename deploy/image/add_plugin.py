#!/usr/bin/python3
"""Adds a plugin of somebody else to an image, as one more layer:

    deploy/image/add_plugin.py build-package/image mycloud.so

The file goes into the image as it is. Libraries that it needs and the image lacks are taken from this machine's Debian
packages. The layout and its archive are written again; its layers stay.
"""
import argparse
import datetime
import pathlib
import sys

from elftools.common.exceptions import ELFError

import contents
from debian import Debian
from layout import Image, Layout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layout", type=pathlib.Path)
    parser.add_argument("plugin", type=pathlib.Path)
    parser.add_argument("--tag", help="the image's new tag")
    parser.add_argument("--sysroot", default="/", help="folder with the libraries, as tools/sysroot makes it; else this machine's")
    options = parser.parse_args()
    try:
        image = Image.read(Layout(options.layout))
        created = datetime.datetime.fromisoformat(image.config["created"])
        layer, plugin, libraries = contents.plugin_layer(
            int(created.timestamp()), Debian(options.sysroot), options.plugin, options.plugin.read_bytes(), image)
        image.add_plugin(layer, plugin)
        image.reference = options.tag or image.reference
        image.write()
    except (ValueError, OSError, ELFError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
    print(f"Added {plugin.manifest['id']} {plugin.manifest['version']}" + (f" with {', '.join(libraries)}" if libraries else ""))


if __name__ == "__main__":
    main()
