#!/usr/bin/env python3
"""Copies the SDK's headers as a later release could have them: every struct and table has grown at its end.

  enlarge.py HEADERS OUTPUT

Programs built with the copy and programs built with the headers themselves must work together both ways (R-4 to R-7).
Frozen structs stay as they are. Every addition is 0 unless somebody sets it.
"""
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays clean

MEMBERS = '  uint64_t future_number;\n  ccm_str future_text;\n'
FUNCTION = '  void (*future)(void *self);\n'


def enlarge(text):
    def grown(match):
        begin, name, body = match.groups()
        if not body.lstrip().startswith('uint32_t size;'):
            return match[0]
        table = 'table]' in begin
        return f'{begin}typedef struct {name} {{{body}{FUNCTION if table else MEMBERS}}} {name};'
    return re.sub(r'((?:/\*(?:(?!\*/).)*\*/\n)?)typedef struct (\w+) \{(.*?)\} \2;', grown, text, flags=re.S)


def main(headers, output):
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(headers, output)
    grown = 0
    for path in Path(output, 'ccm', 'abi').glob('*.h'):
        before = path.read_text()
        after = enlarge(before)
        grown += after.count('future_number;') + after.count('(*future)')
        path.write_text(after)
    if grown < 60:
        raise SystemExit(f'only {grown} structs and tables were enlarged')


if __name__ == '__main__':
    main(*sys.argv[1:])
