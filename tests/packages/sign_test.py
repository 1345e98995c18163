#!/usr/bin/env python3
"""Checks deploy/sign and `make sign` with a key that lives for the test alone: a user with the public key and gpg finds whether
what he downloaded was signed. Skipped without gpg."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2]
USER = "Release key of a test <release@ccm.invalid>"


class Keyring:
    """A home of gpg of its own."""

    def __init__(self, test):
        folder = tempfile.mkdtemp()
        test.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.environment = {**os.environ, "GNUPGHOME": folder, "LC_ALL": "C"}
        test.addClassCleanup(subprocess.run, ["gpgconf", "--kill", "all"], env=self.environment)

    def run(self, *command, **settings):
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=self.environment, **settings)

    def gpg(self, *arguments, **settings):
        return self.run("gpg", "--batch", *arguments, check=True, **settings).stdout


@unittest.skipUnless(shutil.which("gpg") and shutil.which("gpgconf"), "gpg is not installed")
class SignTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.publisher, cls.user = Keyring(cls), Keyring(cls)
        cls.publisher.gpg("--passphrase", "", "--quick-generate-key", USER, "ed25519", "sign", "1d")
        cls.user.gpg("--import", input=cls.publisher.gpg("--armor", "--export", USER))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.package = self.folder / "ccm-host_1.2.3_amd64.deb"
        self.package.write_text("a package")
        self.sums, self.image = self.folder / "SHA256SUMS", self.folder / "image.tar"
        self.sums.write_text(subprocess.run(["sha256sum", self.package.name], cwd=self.folder, check=True,
                                            capture_output=True, text=True).stdout)
        self.image.write_text("an image")

    def sign(self, *files, key=USER):
        return self.publisher.run(SOURCES / "deploy/sign", key, *files)

    def verified(self, file):
        return self.user.run("gpg", "--verify", f"{file}.asc", file)

    def test_a_user_verifies_what_was_signed(self):
        done = self.sign(self.sums, self.image)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.sums}.asc\n{self.image}.asc\n"), done.stderr)
        for file in (self.sums, self.image):
            self.assertIn("BEGIN PGP SIGNATURE", pathlib.Path(f"{file}.asc").read_text())
            answer = self.verified(file)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn(f'Good signature from "{USER}"', answer.stderr)

    def test_the_commands_for_users_do_so_too(self):
        page = (SOURCES / "docs/packages.md").read_text()
        [commands] = [block for block in re.findall(r"(?:^    .*\n)+", page, re.M) if "gpg --verify" in block]
        (self.folder / "release.asc").write_text(self.publisher.gpg("--armor", "--export", USER))
        # A package that is not downloaded does not matter.
        (self.folder / "ccm-tools_1.2.3_amd64.deb").write_text("tools")
        self.sums.write_text(subprocess.run(["sha256sum", "ccm-host_1.2.3_amd64.deb", "ccm-tools_1.2.3_amd64.deb"], cwd=self.folder,
                                            check=True, capture_output=True, text=True).stdout)
        self.assertEqual(self.sign(self.sums).returncode, 0)
        (self.folder / "ccm-tools_1.2.3_amd64.deb").unlink()
        told = Keyring(type(self)).run("bash", "-euxc", commands, cwd=self.folder)
        self.assertEqual((told.returncode, told.stdout), (0, f"{self.package.name}: OK\n"), told.stderr)
        self.package.write_text("another package")
        told = Keyring(type(self)).run("bash", "-euxc", commands, cwd=self.folder)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn(f"{self.package.name}: FAILED", told.stdout)

    def test_what_was_changed_after_is_found(self):
        self.assertEqual(self.sign(self.sums, self.image).returncode, 0)
        for file in (self.sums, self.image):
            file.write_bytes(file.read_bytes().replace(b"a", b"b", 1))
            answer = self.verified(file)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn("BAD signature", answer.stderr)

    def test_a_new_signature_replaces_the_old_one(self):
        self.assertEqual(self.sign(self.image).returncode, 0)
        self.image.write_text("another image")
        self.assertEqual(self.sign(self.image).returncode, 0)
        self.assertEqual(self.verified(self.image).returncode, 0)

    def test_sums_that_are_wrong_are_not_signed(self):
        self.package.write_text("another package")
        done = self.sign(self.image, self.sums)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(self.package.name, done.stderr)
        self.assertEqual(list(self.folder.glob("*.asc")), [])

    def test_without_the_secret_key_nothing_is_signed(self):
        for key, status in (("somebody@else.invalid", 2), ("", 2)):
            done = self.sign(self.sums, key=key)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(list(self.folder.glob("*.asc")), [])

    def test_make_signs_the_packages_and_the_images_that_are_there(self):
        packages = self.folder / "build-package/packages"
        packages.mkdir(parents=True)
        for file in (self.package, self.sums):
            file.rename(packages / file.name)
        self.image.rename(self.folder / "build-package/image.tar")
        make = ("make", "-C", self.folder, "-f", SOURCES / "Makefile", "sign")
        refused = self.publisher.run(*make)
        self.assertEqual((refused.returncode, "make sign KEY=" in refused.stderr), (2, True), refused.stderr)
        (self.folder / "tools").symlink_to(SOURCES / "tools")
        (self.folder / "deploy").symlink_to(SOURCES / "deploy")
        done = self.publisher.run(*make, f"KEY={USER}")
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in (packages / "SHA256SUMS", self.folder / "build-package/image.tar"):
            self.assertEqual(self.verified(file).returncode, 0)


if __name__ == "__main__":
    unittest.main()
