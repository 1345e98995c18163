#!/usr/bin/env python3
"""The lock notices what breaks plugins: lock_test.py HEADERS."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays clean

from abi_lock import faults, lock_lines
from rust import check_rust

HEADERS = Path(sys.argv.pop())
LOCK = lock_lines(HEADERS)


class Lock(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.headers = Path(self.folder.name, 'include')
        shutil.copytree(HEADERS, self.headers)

    def tearDown(self):
        self.folder.cleanup()

    def after(self, file, old, new):
        """The lock's complaint after a change of one header."""
        path = Path(self.headers, 'ccm', 'abi', file)
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        return '\n'.join(faults(LOCK, lock_lines(self.headers)))

    def test_unchanged_headers_are_fine(self):
        self.assertEqual(faults(LOCK, lock_lines(self.headers)), [])

    def test_comments_and_names_of_parameters_do_not_count(self):
        text = self.after('object.h', 'ccm_value from, ccm_str pointer', 'ccm_value start, ccm_str path')
        self.assertEqual(text, '')

    def test_a_member_vanishes(self):
        text = self.after('instances.h', '  ccm_str zone;\n', '')
        self.assertIn('member ccm_instance.zone vanished', text)
        self.assertIn('member ccm_instance.region changed', text)

    def test_members_change_places(self):
        text = self.after('instances.h', '  ccm_str zone;\n  ccm_str region;\n', '  ccm_str region;\n  ccm_str zone;\n')
        self.assertIn('member ccm_instance.zone changed', text)

    def test_a_type_of_the_same_size_changes(self):
        text = self.after('status.h', 'int64_t retry_after_ms', 'uint64_t retry_after_ms')
        self.assertIn('member ccm_status.retry_after_ms changed', text)

    def test_a_parameter_changes(self):
        text = self.after('timer.h', 'int64_t delay_ms', 'int32_t delay_ms')
        self.assertIn('member ccm_host_timer.after changed', text)

    def test_a_constant_changes(self):
        text = self.after('status.h', 'CCM_CODE_ABORTED = 10', 'CCM_CODE_ABORTED = 50')
        self.assertIn('constant CCM_CODE_ABORTED changed', text)

    def test_an_id_changes(self):
        text = self.after('log.h', 'draft.ccm.host.log/1', 'draft.ccm.host.log/2')
        self.assertIn('id CCM_HOST_LOG changed', text)

    def test_an_array_element_may_not_grow(self):
        text = self.after('instances.h', '  ccm_str address;\n', '  ccm_str address;\n  ccm_str network;\n')
        self.assertIn('struct ccm_node_address changed', text)

    def test_growth_at_the_end_is_new_not_broken(self):
        text = self.after('provider.h', '  bool (*has_cluster_id)(void *self);',
                          '  bool (*has_cluster_id)(void *self);\n  void (*refresh)(void *self);')
        self.assertIn('struct ccm_provider grew', text)
        self.assertIn('member ccm_provider.refresh is new', text)
        self.assertNotIn('changed', text)

    def test_what_is_not_understood_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.after('log.h', '/* Levels', 'typedef union ccm_both { int a; char b; } ccm_both;\n/* Levels')


class Rust(unittest.TestCase):
    TEXT = ('#[repr(C)]\npub struct CcmNodeAddress {\n    pub r#type: CcmStr,\n    pub address: CcmStr,\n}\n'
            'pub const CCM_CODE_OK: i32 = 0;\n')

    def test_what_fits(self):
        self.assertEqual(check_rust(self.TEXT, LOCK), [])

    def test_a_member_of_another_type(self):
        text = self.TEXT.replace('pub address: CcmStr', 'pub address: *const CcmStr')
        self.assertIn('CcmNodeAddress has address', check_rust(text, LOCK)[0])

    def test_another_value(self):
        self.assertIn('CCM_CODE_OK is 1', check_rust(self.TEXT.replace('= 0', '= 1'), LOCK)[0])

    def test_no_declarations(self):
        self.assertEqual(check_rust('', LOCK), ['no declarations were found'])


if __name__ == '__main__':
    unittest.main()
