"""The Rust declarations of the ABI (sdk/rust/ccm-sys), made of the lock's lines."""
import re

SIMPLE = {
    'void': 'c_void', 'char': 'c_char', 'double': 'f64', 'size_t': 'usize',
    'int8_t': 'i8', 'uint8_t': 'u8', 'int32_t': 'i32', 'uint32_t': 'u32', 'int64_t': 'i64', 'uint64_t': 'u64',
}
# Words of Rust get a dash at their end, as bindgen does it.
KEYWORDS = {'as', 'fn', 'in', 'mod', 'move', 'ref', 'self', 'type', 'use', 'where'}

HEAD = """\
// Generated from sdk/include/ccm/abi by `make abi-lock` (tests/abi/lock/rust.py). The C headers say what everything means.

use std::os::raw::{c_char, c_void};
"""


def rust_type(c_type):
    """How a C type of the lock is written in Rust."""
    function = re.fullmatch(r'(.+?) ?\(\*\)\((.*)\)', c_type)
    if function:
        parameters = [] if function[2] == 'void' else function[2].split(', ')
        result = '' if function[1] == 'void' else ' -> ' + rust_type(function[1])
        return f'Option<unsafe extern "C" fn({", ".join(map(rust_type, parameters))}){result}>'
    array = re.fullmatch(r'(.+)\[(\d+)\]', c_type)
    if array:
        return f'[{rust_type(array[1])}; {array[2]}]'
    if c_type.endswith('*const'):
        c_type = c_type[:-len('const')]
    if c_type.endswith('*'):
        inner = c_type[:-1].strip()
        # `const T *` points to constant things, and so does `T *const *`.
        constant = inner.endswith('*const') or (inner.startswith('const ') and '*' not in inner)
        inner = inner[len('const '):] if constant and '*' not in inner else inner
        return ('*const ' if constant else '*mut ') + rust_type(inner)
    return SIMPLE.get(c_type, c_type)


def member_name(name):
    return name + '_' if name in KEYWORDS else name


def structs_of(lock):
    """{name: [(member, C type)]}"""
    structs = {line.split()[1]: [] for line in lock if line.startswith('struct ')}
    for line in lock:
        match = re.fullmatch(r'member (\w+)\.(\w+) offset \d+ size \d+ type (.*)', line)
        if match:
            structs[match[1]].append((match[2], match[3]))
    return structs


def declarations(lock, minor):
    """The whole source file. `minor` is CCM_ABI_MINOR, which the lock leaves out."""
    lines = [HEAD, f'pub const CCM_ABI_MINOR: u32 = {minor};']
    for line in lock:
        kind, name, value = (line.split(' ', 2) + [''])[:3]
        if kind == 'id':
            lines.append(f'pub const {name}: &str = {value};')
        elif kind == 'constant':
            lines.append(f'pub const {name}: i32 = {value};')
        elif kind == 'alias':
            lines.append(f'pub type {name} = {rust_type(value)};')
        elif kind == 'function':
            lines.append(f'pub type {name} = {rust_type(value)};')
        elif kind == 'opaque':
            lines += ['', '#[repr(C)]', f'pub struct {name} {{', '    _opaque: [u8; 0],', '}']
    for name, members in structs_of(lock).items():
        lines += ['', '#[repr(C)]', '#[derive(Clone, Copy)]', f'pub struct {name} {{']
        lines += [f'    pub {member_name(member)}: {rust_type(type_)},' for member, type_ in members]
        lines.append('}')
        if members[0][0] == 'size':
            lines.append(f'sized!({name});')
    return '\n'.join(lines) + '\n'


def layout_program(lock):
    """A program that prints the lock's lines for the structs as the crate ccm_sys has them, without the types."""
    lines = ['use std::mem::{size_of, size_of_val, MaybeUninit};', 'use std::ptr::addr_of;', '', 'fn main() {', '    unsafe {']
    for name, members in structs_of(lock).items():
        lines += ['        {', f'        let place = MaybeUninit::<ccm_sys::{name}>::zeroed();',
                  '        let all = place.assume_init_ref();',
                  f'        println!("struct {name} size {{}}", size_of::<ccm_sys::{name}>());']
        for member, _ in members:
            field = f'all.{member_name(member)}'
            lines.append(f'        println!("member {name}.{member} offset {{}} size {{}}", '
                         f'addr_of!({field}) as usize - place.as_ptr() as usize, size_of_val(&{field}));')
        lines.append('        }')
    return '\n'.join(lines + ['    }', '}', ''])
