#!/usr/bin/env python3
"""Each C header of the SDK stands alone, twice included, without a warning: headers_test.py HEADERS.

As C11, C17, C++17, C++20 and C++23, by GCC and, where it is installed, by Clang 16: authors bring their own compiler.
"""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays clean

HEADERS = Path(sys.argv.pop())
STANDARDS = {'c': ['c11', 'c17'], 'c++': ['c++17', 'c++20', 'c++2b']}
WARNINGS = ['-pedantic', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror']
C_WARNINGS = ['-Wstrict-prototypes', '-Wmissing-prototypes', '-Wc++-compat']

# The macros of the C helper, as a plugin uses them.
C_PLUGIN = """\
#include <ccm/c/provider.h>
CCM_PLUGIN_MANIFEST("{}");
static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {
  const ccm_instance_list none = {CCM_SIZED(ccm_instance_list)};
  (void)self;
  (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  ccm_ok(done, &none);
}
static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
CCM_OFFERS(offers, {CCM_CLOUD_INSTANCES, &instances});
static void destroy(void *self) { (void)self; }
static void create(void *self, ccm_ctx ctx, const ccm_create_request *request, ccm_completion done) {
  (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  ccm_ok_component(done, self, offers, destroy);
}
CCM_ENTRY(.create = create);
"""


def compilers(language):
    gcc = os.environ.get('CC' if language == 'c' else 'CXX', 'cc' if language == 'c' else 'c++').split()
    clang = shutil.which('clang-16')
    return [gcc] + ([[clang]] if clang else [])


def matrix():
    for language, standards in STANDARDS.items():
        for compiler in compilers(language):
            for standard in standards:
                yield compiler, language, standard


class Headers(unittest.TestCase):
    def compile(self, compiler, language, standard, source, extra=()):
        command = [*compiler, f'-std={standard}', *WARNINGS, *extra, f'-I{HEADERS}', '-fsyntax-only', '-x', language, '-']
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f'{" ".join(command)}\n{done.stderr}')

    def test_each_stands_alone(self):
        files = sorted(path.relative_to(HEADERS) for path in HEADERS.glob('ccm/**/*.h'))
        self.assertGreater(len(files), 20)
        for compiler, language, standard in matrix():
            for file in files:
                with self.subTest(compiler=compiler, standard=standard, header=str(file)):
                    extra = C_WARNINGS if language == 'c' else []
                    self.compile(compiler, language, standard, f'#include <{file}>\n' * 2, extra)

    def test_a_plugin_of_the_c_helper(self):
        for compiler, language, standard in matrix():
            if language == 'c':
                with self.subTest(compiler=compiler, standard=standard):
                    self.compile(compiler, language, standard, C_PLUGIN)


if __name__ == '__main__':
    unittest.main()
