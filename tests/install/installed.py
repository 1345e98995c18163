"""The programs of a build, installed into a folder, and the commands of a page that use them."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def block(page, title, mark):
    """The indented block of that section that holds the mark, without its indentation."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", (ROOT / page).read_text(), re.M | re.S).group(1)
    for found in re.findall(r"(?:^ {4,}.*\n|^\n)+", section, re.M):
        if mark in found:
            lines = [line for line in found.splitlines() if line.strip()]
            indent = min(len(line) - len(line.lstrip()) for line in lines)
            return "\n".join(line[indent:] for line in lines) + "\n"
    raise AssertionError(f"no block with {mark} in {title} of {page}")


class InstalledTest(unittest.TestCase):
    build = None  # the test's program sets it

    def setUp(self):
        # The host loads no file below a folder to which others may write; a sticky one such as /tmp is fine.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "prefix"

    def install(self, *components):
        for component in components:
            subprocess.run(["cmake", "--install", self.build, "--component", component, "--prefix", self.prefix],
                           check=True, capture_output=True)

    def run_script(self, script, **variables):
        """Runs it in a session of its own, and ends what it left running."""
        log = self.folder / "script.log"
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(["bash", "-eux", "-c", script], cwd=self.folder, stdout=out, stderr=out,
                                       start_new_session=True,
                                       env={**os.environ, "HOME": str(self.folder), **variables})
            try:
                code = process.wait(timeout=240)
            except subprocess.TimeoutExpired:
                code = "it did not end"
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        text = log.read_text()
        for more in ("manager.log", "sandbox.log"):
            if (self.folder / more).exists():
                text += f"\n{more}:\n" + (self.folder / more).read_text()
        self.assertEqual(code, 0, text)
        return text

    def here(self, script):
        """With this prefix in place of the page's."""
        self.assertIn("prefix=/usr/local\n", script)
        return script.replace("prefix=/usr/local\n", f"prefix={self.prefix}\n")
