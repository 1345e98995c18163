#!/usr/bin/env python3
"""deploy/alpine/APKBUILD without Alpine: a shell reads it, and its functions package a tree of stand-ins, with abuild's `amove` in the
place of abuild. What this does not show is a build with musl and Alpine's libraries, and abuild itself."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import parts_test

# What abuild brings, as far as the file uses it.
ABUILD = """
set -eu
startdir=$1 builddir=$2 pkgdir=$3/ccm out=$3
mkdir -p "$pkgdir"
default_dev() { amove usr/include usr/lib/cmake usr/share/pkgconfig; }
amove() { for path; do mkdir -p "$subpkgdir/$(dirname "$path")"; mv "$pkgdir/$path" "$subpkgdir/$path"; done; }
. "$startdir/APKBUILD"
cd "$builddir"
package
for entry in $subpackages; do
  subpkgname=${entry%%:*} subpkgdir=$out/${entry%%:*}
  case $entry in *:*) call=${entry#*:};; *-doc) continue;; *) call=${subpkgname#ccm-};; esac
  (provides= depends=; $call; echo "$subpkgname|$depends|$provides")
done
"""


def abi_of_the_sdk():
    header = (parts_test.ROOT / "sdk/include/ccm/abi/plugin.h").read_text()
    return [re.search(rf"^#define CCM_ABI_{name} (\d+)$", header, re.M)[1] for name in ("MAJOR", "MINOR")]


class ApkTest(unittest.TestCase):
    def test_the_functions_share_out_what_is_installed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            copy = parts_test.Copy(folder)
            copy.configure("-DCMAKE_INSTALL_LIBDIR=lib")
            copy.stand_ins("first")
            said = parts_test.run("sh", "-c", ABUILD, "abuild", copy.root / "deploy/alpine", copy.root, folder / "out",
                                  env={**copy.environment, "CCM_BUILD": str(copy.tree)})
            rows = {line.split("|")[0]: line.split("|")[1:] for line in said.splitlines() if "|" in line}
            self.assertEqual(rows["ccm-host"], ["", "ccm-abi-{0}={0}.{1}".format(*abi_of_the_sdk())])
            for manifest in parts_test.ROOT.glob("plugins/*/*/plugin.json"):
                kind, plugin = manifest.parts[-3], manifest.parts[-2]
                package = f"ccm-{kind[:-1]}-{plugin}"
                self.assertEqual(rows[package][0], f"ccm-abi-1>={json.loads(manifest.read_text())['abi']}")
                self.assertTrue((folder / "out" / package / f"usr/lib/ccm/{kind}/{plugin}.so").is_file())
            self.assertTrue((folder / "out/ccm-tools/usr/bin/kubectl-ccm").is_symlink())
            left = [path for path in (folder / "out/ccm").rglob("*") if not path.is_dir() and "/share/man/" not in str(path)]
            self.assertEqual([path.name for path in left], ["LICENSE"])

    @unittest.skipUnless(shutil.which("musl-gcc"), "musl-gcc is not installed")
    def test_a_plugin_in_c_compiles_with_musl(self):
        sources = parts_test.ROOT
        with tempfile.TemporaryDirectory() as folder:
            manifest = pathlib.Path(folder, "ccm_plugin_manifest.h")
            manifest.write_text('#include <ccm/abi/plugin.h>\nCCM_PLUGIN_MANIFEST("{}");\n')
            parts_test.run("musl-gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{sources}/sdk/include", f"-I{folder}",
                           f"-Wl,--version-script={sources}/sdk/cmake/plugin.map", sources / "examples/provider-c/provider.c", "-o", f"{folder}/rack.so")
            needed = parts_test.run("readelf", "-d", f"{folder}/rack.so")
            self.assertIn("Shared library: [libc.so]", needed)

    def test_it_has_the_version_of_the_host(self):
        text = (parts_test.ROOT / "deploy/alpine/APKBUILD").read_text()
        version = parts_test.run(parts_test.ROOT / "tools/release", "version", "host").strip()
        self.assertIn(f"\npkgver={version}\n", text)


if __name__ == "__main__":
    unittest.main()
