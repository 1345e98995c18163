#!/usr/bin/env python3
"""The lock notices what breaks plugins: lock_test.py HEADERS."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays clean

from abi_lock import faults, lock_lines
from rust import declarations, rust_type

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
        text = self.after('timer.h', 'int64_t delay_ms, ccm_callback', 'int32_t delay_ms, ccm_callback')
        self.assertIn('member ccm_host_timer.after changed', text)

    def test_a_constant_changes(self):
        text = self.after('status.h', 'CCM_CODE_ABORTED = 10', 'CCM_CODE_ABORTED = 50')
        self.assertIn('constant CCM_CODE_ABORTED changed', text)

    def test_an_id_changes(self):
        text = self.after('log.h', 'ccm.host.log/1', 'ccm.host.log/2')
        self.assertIn('id CCM_HOST_LOG changed', text)

    def test_an_array_element_may_not_grow(self):
        text = self.after('instances.h', '  ccm_str address;\n', '  ccm_str address;\n  ccm_str network;\n')
        self.assertIn('struct ccm_node_address changed', text)

    def test_growth_at_the_end_is_new_not_broken(self):
        text = self.after('provider.h', '} ccm_provider;',
                          '  /* [serial] [optional] [since 1.1] */\n  void (*refresh)(void *self);\n} ccm_provider;')
        self.assertIn('struct ccm_provider grew', text)
        self.assertIn('member ccm_provider.refresh is new', text)
        self.assertIn('tags ccm_provider.refresh is new', text)
        self.assertNotIn('changed', text)

    def test_a_thread_changes(self):
        text = self.after('leader.h', 'by the local clock. [any-thread]', 'by the local clock. [serial]')
        self.assertIn('tags ccm_host_leader.leading changed', text)

    def test_what_may_be_null_changes(self):
        text = self.after('loadbalancers.h', '[null] the Service itself', 'the Service itself')
        self.assertIn('tags ccm_service.object vanished', text)
        text = self.after('config.h', ' [null: buffer]', '')
        self.assertIn('tags ccm_host_config.secret changed', text)

    def test_a_function_becomes_mandatory(self):
        text = self.after('routes.h', 'RESULT const ccm_route_limits *. [operation] [optional]',
                          'RESULT const ccm_route_limits *. [operation] [required]')
        self.assertIn('tags ccm_cloud_routes.limits changed', text)

    def test_a_release_changes(self):
        text = self.after('hint.h', '[any-thread] */', '[any-thread] [since 1.1] */')
        self.assertIn('tags ccm_host_hint.changed changed', text)

    def test_a_rule_vanishes(self):
        text = self.after('kube.h', ' * R-162 After', ' * After')
        self.assertIn('rule R-162 vanished', text)

    def refused(self, file, old, new):
        """Why the tool refuses the headers after that change."""
        with self.assertRaises(SystemExit) as stopped:
            self.after(file, old, new)
        return str(stopped.exception)

    def test_a_function_without_a_thread_is_refused(self):
        text = self.refused('hint.h', ' /* [any-thread] */', '')
        self.assertEqual(text, 'ccm_host_hint.changed does not say on which thread it is called (R-14)')

    def test_a_plugin_function_that_may_or_must_be_there_is_refused(self):
        text = self.refused('provider.h', 'NULL. [operation] [optional]\n   */\n  void (*shutdown)',
                            'NULL. [operation]\n   */\n  void (*shutdown)')
        self.assertIn('ccm_provider.shutdown does not say whether a plugin needs it', text)

    def test_a_struct_without_role_or_release_is_refused(self):
        text = self.refused('file.h', '/* [result] [since 1.0] */', '/* A file. */')
        self.assertIn('ccm_file has none of the tags', text)
        self.assertIn('ccm_file has no [since]', text)

    def test_padding_is_refused(self):
        text = self.refused('http.h', '  uint32_t max_tries;     /* 0 = as R-132 says */\n', '')
        self.assertIn('ccm_http_request has a hole of 4 bytes before secrets', text)

    def test_a_request_without_flags_is_refused(self):
        text = self.refused('routes.h', '  uint32_t flags;       /* 0 */\n  ccm_str cluster_name;',
                            '  uint32_t reserved;\n  ccm_str cluster_name;')
        self.assertIn('ccm_list_routes_request is a [request] without uint32_t flags', text)

    def test_a_type_of_c_alone_is_refused(self):
        text = self.refused('leader.h', '  ccm_bool (*leading)', '  bool (*leading)')
        self.assertIn('ccm_host_leader.leading has a type that other languages see differently', text)

    def test_an_unknown_rule_is_refused(self):
        text = self.refused('leader.h', 'with each change of leader', 'with each change of leader (R-999)')
        self.assertEqual(text, 'leader.h cites R-999, which is no rule')

    def test_a_rule_stands_once(self):
        text = self.refused('leader.h', ' * Leadership.', ' * R-14 Leadership.')
        self.assertEqual(text, 'R-14 stands in base.h and in leader.h')

    def test_what_is_not_understood_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.after('log.h', '/* [notice]', 'typedef union ccm_both { int a; char b; } ccm_both;\n/* [notice]')


class Rust(unittest.TestCase):
    def test_types(self):
        for c_type, rust in (
                ('const ccm_instance *const *', '*const *const ccm_instance'), ('void *', '*mut c_void'),
                ('const char *', '*const c_char'), ('ccm_str *', '*mut ccm_str'), ('char[4]', '[c_char; 4]'),
                ('ccm_bool', 'ccm_bool'), ('double', 'f64'),
                ('void (*)(void *, const ccm_str *, size_t)', 'Option<unsafe extern "C" fn(*mut c_void, *const ccm_str, usize)>'),
                ('int64_t (*)(void)', 'Option<unsafe extern "C" fn() -> i64>')):
            with self.subTest(c_type):
                self.assertEqual(rust_type(c_type), rust)

    def test_declarations(self):
        lock = ['struct ccm_thing size 16', 'member ccm_thing.size offset 0 size 4 type uint32_t',
                'member ccm_thing.type offset 4 size 4 type int32_t', 'member ccm_thing.self offset 8 size 8 type void *',
                'constant CCM_ONE 1', 'id CCM_THING "ccm.thing/1"', 'opaque ccm_object', 'alias ccm_bool uint32_t']
        text = declarations(lock, 7)
        for line in ('pub const CCM_ABI_MINOR: u32 = 7;', 'pub const CCM_ONE: i32 = 1;', 'pub const CCM_THING: &str = "ccm.thing/1";',
                     'pub type ccm_bool = u32;', 'pub struct ccm_object {', '    pub type_: i32,', '    pub self_: *mut c_void,',
                     'sized!(ccm_thing);'):
            self.assertIn(line + '\n', text)


if __name__ == '__main__':
    unittest.main()
