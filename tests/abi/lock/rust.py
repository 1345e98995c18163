"""Compares hand-written Rust declarations (#[repr(C)], no macros) with the lock's lines."""
import re

SIMPLE = {
    'void': 'c_void', 'bool': 'bool', 'char': 'c_char', 'double': 'f64', 'size_t': 'usize',
    'ccm_bool': 'u32', 'int8_t': 'i8', 'uint8_t': 'u8', 'int32_t': 'i32', 'uint32_t': 'u32', 'int64_t': 'i64', 'uint64_t': 'u64',
}


def rust_name(name):
    """ccm_host_ctx -> CcmHostCtx."""
    return ''.join(part.capitalize() for part in name.split('_'))


def rust_type(c_type, functions):
    """How a C type of the lock is written in Rust."""
    function = re.fullmatch(r'(.+?) ?\(\*\)\((.*)\)', c_type)
    if function:
        parameters = split_top(function[2])
        types = [] if parameters == ['void'] else [rust_type(part, functions) for part in parameters]
        result = '' if function[1] == 'void' else ' -> ' + rust_type(function[1], functions)
        return f'Option<unsafe extern "C" fn({", ".join(types)}){result}>'
    array = re.fullmatch(r'(.+)\[(\d+)\]', c_type)
    if array:
        return f'[{rust_type(array[1], functions)}; {array[2]}]'
    if c_type.endswith('*const'):
        c_type = c_type[:-len('const')]
    if c_type.endswith('*'):
        inner = c_type[:-1].strip()
        # `const T *` points to constant things, and so does `T *const *`.
        constant = inner.endswith('*const') or (inner.startswith('const ') and '*' not in inner)
        inner = inner[len('const '):] if constant and inner.startswith('const ') and '*' not in inner else inner
        return ('*const ' if constant else '*mut ') + rust_type(inner, functions)
    if c_type in functions:
        return rust_type(functions[c_type], functions)
    return SIMPLE.get(c_type) or rust_name(c_type)


def split_top(text):
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in '(<[') - (letter in ')]')
        depth -= letter == '>' and text[place - 1] != '-'
        if letter == ',' and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [part for part in parts + [text[begin:].strip()] if part]


def strip_comments(text):
    return re.sub(r'//[^\n]*', '', text)


def squeeze(text):
    text = re.sub(r'\s+', ' ', text).strip()
    # Parameters may have names in Rust: `fn(this: *mut c_void)`.
    text = re.sub(r'([(,] ?)\w+: ', r'\1', text)
    text = text.replace('( ', '(').replace('< ', '<')
    return re.sub(r',? ([)>])', r'\1', re.sub(r'-> ', '->', text)).replace('->', '-> ')


def member_name(field):
    """Keywords of Rust are written r#type; `self` cannot be, and is called `this`."""
    return 'self' if field == 'this' else field.removeprefix('r#')


def structs_of(text):
    """[(name, [(field, type)])] of each `pub struct Name { ... }` with fields."""
    found = []
    for match in re.finditer(r'pub struct (\w+) \{(.*?)\n\}', strip_comments(text), flags=re.S):
        fields = [part.split(':', 1) for part in split_top(match[2])]
        if all(name.startswith('pub ') for name, _ in fields):
            names = [name[len('pub '):].strip() for name, _ in fields]
            found.append((match[1], list(zip(names, (squeeze(kind) for _, kind in fields)))))
    return found


def aliases_of(text):
    return {name: squeeze(kind) for name, kind in
            re.findall(r'pub type (\w+) =(.*?);', strip_comments(text), flags=re.S)}


def check_rust(text, lock):
    """The mismatches, one sentence each. A struct, member or constant may be left out; a table may end early."""
    functions = {line.split()[1]: line.split(' ', 2)[2] for line in lock if line.startswith('function ')}
    aliases = aliases_of(text)
    constants = {line.split()[1]: line.split(' ', 2)[2] for line in lock if line.startswith(('constant ', 'id '))}
    members = {}
    for line in lock:
        match = re.fullmatch(r'member (\w+)\.(\w+) offset \d+ size \d+ type (.*)', line)
        if match:
            members.setdefault(rust_name(match[1]), []).append((match[2], rust_type(match[3], functions)))
    found = []
    structs = structs_of(text)
    for name, fields in structs:
        if name not in members:
            found.append(f'{name} is no struct of the headers')
            continue
        written = [(member_name(member), aliases.get(kind, kind)) for member, kind in fields]
        if written != members[name]:
            found += differences(name, written, members[name])
    for name, value in re.findall(r'pub const (CCM_\w+): [^=]+= (.*?);', text):
        value = re.sub(r'\\0"$', '"', value.lstrip('b'))
        # The minor version says with which headers a plugin was built; it need not be the newest.
        if constants.get(name) != value and name != 'CCM_ABI_MINOR':
            found.append(f'{name} is {value}, the headers say {constants.get(name)}')
    return found or ([] if structs else ['no declarations were found'])


def differences(name, written, expected):
    found = []
    for place in range(max(len(written), len(expected))):
        here = written[place] if place < len(written) else ('nothing', '')
        there = expected[place] if place < len(expected) else ('nothing', '')
        if here != there:
            found.append(f'{name} has {here[0]}: {here[1]}\n    where the headers have {there[0]}: {there[1]}')
    return found


def c_name(name):
    """CcmHostCtx -> ccm_host_ctx."""
    return re.sub(r'(?<!^)([A-Z])', r'_\1', name).lower()


def layout_program(path):
    """A program that prints the lock's lines for the structs of that file, without the types."""
    lines = ['#![allow(dead_code)]', f'#[path = "{path}"]', 'mod ccm;',
             'use std::mem::{size_of, size_of_val, MaybeUninit};', 'use std::ptr::addr_of;', '',
             'fn main() {', '    unsafe {']
    for name, fields in structs_of(path.read_text()):
        lines.append(f'        let place = MaybeUninit::<ccm::{name}>::zeroed();')
        lines.append('        let all = place.assume_init_ref();')
        lines.append(f'        println!("struct {c_name(name)} size {{}}", size_of::<ccm::{name}>());')
        for field, _ in fields:
            offset = f'addr_of!(all.{field}) as usize - place.as_ptr() as usize'
            lines.append(f'        println!("member {c_name(name)}.{member_name(field)} offset {{}} size {{}}", {offset}, '
                         f'size_of_val(&all.{field}));')
    return '\n'.join(lines + ['    }', '}', ''])
