#!/usr/bin/env python3
"""The limits that systemd sets the manager. tests/packages/check.py has systemd rate the unit, where there is a systemd."""
import pathlib
import re
import unittest

UNIT = pathlib.Path(__file__).resolve().parents[2] / "deploy/systemd/cloud-controller-manager.service"


class ServiceTest(unittest.TestCase):
    def setting(self, name):
        values = re.findall(r"^%s=(.*)$" % name, UNIT.read_text(), re.M)
        self.assertEqual(len(values), 1, name)
        return values[0]

    def test_no_core_file_holds_the_credentials(self):
        self.assertEqual(self.setting("LimitCORE"), "0")

    def test_its_memory_is_bounded_above_what_a_large_cluster_needs(self):
        number, unit = re.fullmatch(r"([0-9]+)([MG])", self.setting("MemoryMax")).groups()
        self.assertGreaterEqual(int(number) * {"M": 1, "G": 1024}[unit], 128)

    def test_it_has_no_rights_on_the_machine(self):
        for name, value in {"DynamicUser": "yes", "CapabilityBoundingSet": "", "NoNewPrivileges": "yes", "ProtectSystem": "strict",
                            "ProtectHome": "yes", "PrivateDevices": "yes", "UMask": "0077"}.items():
            self.assertEqual(self.setting(name), value, name)


if __name__ == "__main__":
    unittest.main()
