#!/usr/bin/env python3
"""names.py notices each kind of wrong name."""
import contextlib
import io
import unittest

import names

TABLE = names.Table.read()
SOURCES = dict(names.sources())


def faults(name, before, after):
    assert before in SOURCES[name], f"{name} has no {before}"
    with contextlib.redirect_stdout(io.StringIO()):
        return list(names.faults(TABLE, {**SOURCES, name: SOURCES[name].replace(before, after)}))


class NamesTest(unittest.TestCase):
    def test_the_sources_are_right(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(list(names.faults(TABLE, SOURCES)), [])

    def test_wrong_names_and_types(self):
        for name, before, after in (
                ("nodes/ec2_instance.cpp", '"privateDnsName"', '"privateDNSName"'),
                ("nodes/ec2_instance.cpp", 'item.flag("sourceDestCheck")', 'item.number("sourceDestCheck")'),
                ("nodes/zones.cpp", '"zoneName"', '"ZoneName"'),  # the one of requests
                ("credentials/sts.cpp", '"SessionToken"', '"Token"'),
                ("credentials/assumed_role.cpp", '"RoleSessionName"', '"SessionName"'),
                ("tagging/instance_tags.cpp", '"ResourceId"', '"ResourceIds"'),
                ("routes/route_tables.cpp", '"DestinationIpv6CidrBlock"', '"DestinationIPv6CidrBlock"')):
            found = faults(name, before, after)
            self.assertTrue(found, after)
            self.assertTrue(found[0].startswith(name + ": no structure of the "), found)

    def test_wrong_actions(self):
        self.assertIn("routes/route_tables.cpp: no API has an action ReplaceRoutes",
                      faults("routes/route_tables.cpp", '"ReplaceRoute"', '"ReplaceRoutes"'))
        self.assertIn("nodes/fargate.cpp: elb has no action DescribeNetworkInterfaces",
                      faults("nodes/fargate.cpp", "Api::ec2", "Api::elb"))

    def test_a_member_of_another_call(self):
        # DescribeSubnets has SubnetId, and this one has not.
        before = '.filter("attachment.status", "attached")'
        self.assertEqual(len(faults("nodes/fargate.cpp", before, '.set("SubnetId", "x")' + before)), 1)


if __name__ == "__main__":
    unittest.main()
