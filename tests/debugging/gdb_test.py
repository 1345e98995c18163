"""tools/gdb/ccm.py shows who awaits whom, for both kinds of coroutines.

    gdb_test.py COMPILER SOURCE_DIR WORK_DIR
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77
if shutil.which("gdb") is None:
    print("no gdb: tools/install-packages test")
    sys.exit(SKIPPED)
# Containers may forbid one process to trace another.
traced = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "/bin/true"], capture_output=True, text=True, timeout=60, check=False)
if "exited normally" not in traced.stdout:
    print("gdb cannot run a program here:", traced.stderr.strip())
    sys.exit(SKIPPED)
COMPILER, SOURCE, WORK = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def gdb(*commands):
    """What gdb prints for the commands, each run when the program is in here()."""
    args = ["gdb", "-nx", "-batch", "-ex", f"source {SOURCE / 'tools/gdb/ccm.py'}", "-ex", "break here", "-ex", "run"]
    for command in commands:
        args += ["-ex", command]
    ran = subprocess.run(args + [str(WORK / "awaiting")], capture_output=True, text=True, timeout=120, check=False)
    return ran.stdout, ran.stderr


def names(text):
    return re.findall(r"^#\d+  0x[0-9a-f]+  (.+?)  ", text, re.M)


class GdbTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run([COMPILER, "-std=c++20", "-g", "-O0", "-I", SOURCE / "sdk/include", "-o", WORK / "awaiting",
                        SOURCE / "tests/debugging/awaiting.cpp", "-pthread"], check=True, timeout=300)

    def test_a_task_and_all_that_await_it(self):
        out, err = gdb("backtrace", "ccm-awaiting")
        backtrace, chain = out[:out.index("  0x")], out
        self.assertNotIn("initialize_node", backtrace, "the program shows nothing that a backtrace does not")
        self.assertEqual([name.split("::")[-1] for name in names(chain)],
                         ["read_zone", "read_instance", "initialize_node", "reconcile"], err)
        self.assertRegex(chain, r"initialize_node  .*tests/debugging/awaiting\.cpp:\d\d")

    def test_coroutines_of_asio(self):
        out, err = gdb("continue", "ccm-awaiting")
        self.assertEqual([name.split("::")[-1] for name in names(out)][:3], ["read_body", "send_request", "read_lease"], err)

    def test_from_an_address(self):
        out, err = gdb("up", "ccm-awaiting frame_ptr->_Coro_promise.continuation._M_fr_ptr")
        self.assertEqual([name.split("::")[-1] for name in names(out)], ["read_instance", "initialize_node", "reconcile"], err)

    def test_no_coroutine_is_said(self):
        self.assertIn("_M_fr_ptr is the address", gdb("ccm-awaiting 0")[1])
        self.assertIn("run no coroutine", gdb("up 2", "ccm-awaiting")[1])


unittest.main(argv=sys.argv[:1])
