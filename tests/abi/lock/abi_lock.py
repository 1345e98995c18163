#!/usr/bin/env python3
"""The contract of sdk/include/ccm/abi as a text: every struct with its members and their tags, every function type,
constant, id and rule.

  abi_lock.py check HEADERS LOCK          fails when the headers do not say what the lock file says
  abi_lock.py write HEADERS LOCK          writes the lock file
  abi_lock.py check-rust HEADERS ABI_RS   fails when the Rust declarations are not those of the headers
  abi_lock.py write-rust HEADERS ABI_RS   writes the Rust declarations
  abi_lock.py rust-layout HEADERS OUTPUT  writes a Rust program that prints offsets and sizes as the compiler sees them
  abi_lock.py check-layout HEADERS TEXT   compares what that program printed

Names, types and tags are read from the headers, which are regular enough for that; what is not understood is an error,
and so is a breach of the conventions in base.h (conventions.py).
Offsets, sizes and values come from the C compiler ($CC, or cc). Only Python's standard library is used.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays clean

from conventions import breaches, layout_breaches
from declarations import ROLES, THREADS, read_headers
from rust import declarations as rust_declarations, layout_program

HEAD = """\
# Existing binaries of plugins rely on this. Generated from sdk/include/ccm/abi by tests/abi/lock/abi_lock.py.
# A line that vanishes or changes breaks them: undo the change, or add a new member, constant or id instead.
# New lines are added by `make abi-lock`.
"""


def compiled_facts(headers, declarations):
    """The sizes, offsets and values that the C compiler gives to the declarations."""
    lines = ['#include <inttypes.h>', '#include <stdio.h>']
    lines += [f'#include <ccm/abi/{name}>' for name in declarations.files]
    lines += ['int main(void) {']
    for struct in declarations.structs:
        lines.append(f'  printf("{struct.name} %zu\\n", sizeof({struct.name}));')
        for member in struct.members:
            place = f'{struct.name}, {member.name}'
            lines.append(f'  printf("{struct.name}.{member.name} %zu %zu\\n", offsetof({place}), '
                         f'sizeof((({struct.name} *)0)->{member.name}));')
    for name in declarations.constants:
        lines.append(f'  printf("{name} %" PRId64 "\\n", (int64_t)({name}));')
    lines += ['  return 0;', '}', '']
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, 'facts.c'), Path(folder, 'facts')
        source.write_text('\n'.join(lines))
        compiler = os.environ.get('CC', 'cc').split()
        subprocess.run(compiler + ['-std=c11', f'-I{headers}', str(source), '-o', str(program)], check=True)
        output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: line.split()[1:] for line in output.splitlines()}


def tags_text(tags, since):
    """The tags of a declaration in one order: role, threads, whether it is needed, what may be NULL, since when."""
    words = tags.of(ROLES + THREADS + ('required', 'optional', 'null'))
    null = [f'null:{",".join(tags.null)}'] if tags.null else []
    return ' '.join([word.replace(' ', '-') for word in words] + null + [f'since {tags.since or since}'])


def struct_lines(struct, facts):
    since = struct.tags.since
    lines = [f'struct {struct.name} size {facts[struct.name][0]}', f'tags {struct.name} {tags_text(struct.tags, since)}']
    for member in struct.members:
        place = f'{struct.name}.{member.name}'
        offset, size = facts[place]
        lines.append(f'member {place} offset {offset} size {size} type {member.type}')
        tags = tags_text(member.tags, since)
        if tags != f'since {since}':
            lines.append(f'tags {place} {tags}')
    return lines


def refuse(breaches_found):
    if breaches_found:
        raise SystemExit('\n'.join(breaches_found))


def lock_lines(headers):
    """The lock file's lines, without its head."""
    declarations = read_headers(Path(headers, 'ccm', 'abi'))
    refuse(breaches(declarations))
    facts = compiled_facts(headers, declarations)
    refuse(layout_breaches(declarations, facts))
    lines = []
    for struct in declarations.structs:
        lines += struct_lines(struct, facts)
    lines += [f'opaque {name}' for name in declarations.opaque]
    lines += [f'alias {name} {type_}' for name, type_ in declarations.aliases.items()]
    for name, (type_, tags) in declarations.functions.items():
        lines += [f'function {name} {type_}', f'tags {name} {tags_text(tags, tags.since)}']
    lines += [f'constant {name} {facts[name][0]}' for name in declarations.constants]
    lines += [f'id {name} {value}' for name, value in declarations.ids.items()]
    lines += [f'rule R-{number} {file}' for number, file in sorted(declarations.rules.items())]
    return lines


def key(line):
    """The subject of a line: its first two words."""
    return ' '.join(line.split()[:2])


def may_grow(old, new):
    """Tables and structs that begin with their size grow at the end."""
    return key(old).startswith('struct ') and int(new.split()[-1]) > int(old.split()[-1])


def faults(old_lines, new_lines):
    """The faults of the headers, one sentence each."""
    found = []
    old = {key(line): line for line in old_lines}
    new = {key(line): line for line in new_lines}
    sized = {line.split('.')[0].split()[1] for line in old_lines if re.match(r'member \S+\.size offset 0 ', line)}
    for name, line in old.items():
        if name not in new:
            found.append(f'{name} vanished; the lock file has\n    {line}')
        elif new[name] != line and may_grow(line, new[name]) and line.split()[1] in sized:
            found.append(f'{name} grew, which is allowed; run `make abi-lock`')
        elif new[name] != line:
            found.append(f'{name} changed\n    from {line}\n    to   {new[name]}')
    found += [f'{name} is new; run `make abi-lock` and look at what it adds' for name in new if name not in old]
    if not found and old_lines != new_lines:
        found.append('the order changed; run `make abi-lock`')
    return found


def abi_minor(headers):
    return re.search(r'#define CCM_ABI_MINOR (\d+)', Path(headers, 'ccm/abi/plugin.h').read_text())[1]


def read_lock(path):
    return [line for line in Path(path).read_text().splitlines() if line and not line.startswith('#')]


def fail_with(found, what):
    for fault in found:
        print(f'{what}: {fault}', file=sys.stderr)
    return 1 if found else 0


def main(command, *arguments):
    if command == 'check':
        headers, lock = arguments
        return fail_with(faults(read_lock(lock), lock_lines(headers)), Path(lock).name)
    if command == 'write':
        headers, lock = arguments
        Path(lock).write_text(HEAD + '\n'.join(lock_lines(headers)) + '\n')
        return 0
    if command in ('check-rust', 'write-rust'):
        headers, source = arguments
        text = rust_declarations(lock_lines(headers), abi_minor(headers))
        if command == 'write-rust':
            Path(source).write_text(text)
            return 0
        current = Path(source).read_text() == text
        return fail_with([] if current else ['it is not what the headers say; run `make abi-lock`'], source)
    if command == 'rust-layout':
        headers, output = arguments
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        Path(output).write_text(layout_program(lock_lines(headers)))
        return 0
    if command == 'check-layout':
        headers, text = arguments
        expected = [line.split(' type ')[0] for line in lock_lines(headers) if line.startswith(('struct ', 'member '))]
        printed = Path(text).read_text().splitlines()
        found = [f'the compiler lays out {line}' for line in printed if line not in expected]
        return fail_with(found or ([] if len(printed) == len(expected) else ['some structs were not printed']), 'ccm-sys')
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else main('help'))
