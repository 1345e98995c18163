#!/usr/bin/env python3
"""Prints the tag under which registries without a referrers' API keep what refers to an image: sha256-DIGEST, of the subject of the
artifact in a layout.

    subject.py LAYOUT
"""
import json
import pathlib
import sys

layout = pathlib.Path(sys.argv[1])
[artifact] = json.loads((layout / "index.json").read_text())["manifests"]
manifest = json.loads((layout / "blobs" / artifact["digest"].replace(":", "/")).read_text())
print(manifest["subject"]["digest"].replace(":", "-"))
