"""Faults in the form of declarations, as base.h demands it (R-1 to R-14): one sentence each."""
import re

from declarations import ROLES, THREADS

FOREIGN = re.compile(r'\b(bool|_Bool|int|long|short|unsigned|float|wchar_t|enum|union)\b')


def is_function(member, functions):
    return '(*)' in member.type or (member.type in functions and member.type not in ('ccm_drop_fn',))


def check_struct(struct, functions):
    roles = struct.tags.of(ROLES)
    if not roles:
        yield f'{struct.name} has none of the tags {", ".join(f"[{role}]" for role in ROLES)}'
    if not struct.tags.since:
        yield f'{struct.name} has no [since]'
    first = [(member.name, member.type) for member in struct.members[:2]]
    if 'frozen' in roles:
        if first[0][0] == 'size':
            yield f'{struct.name} is [frozen] and has a size'
    elif first[0] != ('size', 'uint32_t'):
        yield f'{struct.name} does not begin with uint32_t size (R-4)'
    if 'request' in roles and first[1:] != [('flags', 'uint32_t')]:
        yield f'{struct.name} is a [request] without uint32_t flags after its size (R-6)'
    table = [role for role in roles if role.endswith('table')]
    for member in struct.members:
        place = f'{struct.name}.{member.name}'
        if FOREIGN.search(member.type):
            yield f'{place} has a type that other languages see differently: {member.type} (R-1)'
        if not is_function(member, functions):
            continue
        if table and not member.tags.of(THREADS):
            yield f'{place} does not say on which thread it is called (R-14)'
        if table == ['plugin table'] and len(member.tags.of(('required', 'optional'))) != 1:
            yield f'{place} does not say whether a plugin needs it: [required] or [optional]'
        if table == ['host table'] and member.tags.of(('required', 'optional')):
            yield f'{place} is the host\'s, which has every function'


def check_layout(struct, facts):
    """No padding: what a later member would lie in must not be garbage."""
    end = 0
    for member in struct.members:
        offset, size = (int(fact) for fact in facts[f'{struct.name}.{member.name}'])
        if offset != end:
            yield f'{struct.name} has a hole of {offset - end} bytes before {member.name} (R-4)'
        end = offset + size
    whole = int(facts[struct.name][0])
    if whole != end:
        yield f'{struct.name} has {whole - end} bytes of padding at its end (R-4)'
    if 'frozen' not in struct.tags.words and (whole % 8 != 0 or whole > 4096):
        yield f'{struct.name} has {whole} bytes: no multiple of 8, or more than 4,096 (R-4)'


def layout_breaches(declarations, facts):
    """`facts` are the compiler's: the size of each struct, offset and size of each member."""
    return [breach for struct in declarations.structs for breach in check_layout(struct, facts)]


def breaches(declarations):
    found = list(declarations.faults)
    for struct in declarations.structs:
        found += check_struct(struct, declarations.functions)
    for name, (type_, tags) in declarations.functions.items():
        if FOREIGN.search(type_):
            found.append(f'{name} has a type that other languages see differently: {type_} (R-1)')
        if not tags.since:
            found.append(f'{name} has no [since]')
        if name != 'ccm_drop_fn' and not tags.of(THREADS):
            found.append(f'{name} does not say on which thread it is called (R-14)')
    return found
