"""Reads the C declarations of the ABI headers."""
import re
from dataclasses import dataclass, field


@dataclass
class Member:
    name: str
    type: str


@dataclass
class Struct:
    name: str
    members: list


@dataclass
class Declarations:
    files: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    opaque: list = field(default_factory=list)
    functions: dict = field(default_factory=dict)  # typedefs of function pointers
    constants: list = field(default_factory=list)
    ids: dict = field(default_factory=dict)


# The minor version grows by itself; the rest are no values.
NO_CONSTANTS = {'CCM_ABI_MINOR', 'CCM_PLUGIN_EXPORT'}


def squeeze(text):
    """One spelling for each type: single spaces, none beside the punctuation of function types."""
    text = ' '.join(text.split())
    text = re.sub(r'\s*\*\s*', ' *', text).replace('* *', '**').replace(' *)', '*)').replace('( *', '(*')
    return re.sub(r'\*(const)\b', r'*\1', text).strip()


def split_top(text):
    """The parts between commas that are not inside parentheses."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == '(') - (letter == ')')
        if letter == ',' and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    return parts + [text[begin:]]


def declarator(text):
    """(name, type) of `int32_t code`, `char name[4]` or `void (*fn)(void *self, ccm_str key)`."""
    text = ' '.join(text.split())
    function = re.fullmatch(r'(.+?)\(\s*\*\s*(\w*)\s*\)\s*\((.*)\)', text)
    if function:
        result, name, parameters = function.groups()
        types = [declarator(part)[1] for part in split_top(parameters)]
        return name, f'{squeeze(result)} (*)({", ".join(types)})'
    array = re.fullmatch(r'(.+?)(\w+)\s*\[(\d+)\]', text)
    if array:
        return array[2], f'{squeeze(array[1])}[{array[3]}]'
    named = re.fullmatch(r'(.*[\s*])(\w+)', text)
    # A lone type, such as the void of an empty list, or a type whose parameter has no name.
    if not named or named[2] in ('void', 'const'):
        return '', squeeze(text)
    return named[2], squeeze(named[1])


def read_struct(name, body):
    members = []
    for text in body.split(';'):
        if text.strip():
            members.append(Member(*declarator(text)))
    if any(not member.name for member in members):
        raise ValueError(f'a member of {name} has no name')
    return Struct(name, members)


def take(pattern, text, use):
    """Calls use(match) for each match and returns the text without them."""
    def replace(match):
        use(match)
        return ''
    return re.sub(pattern, replace, text, flags=re.S)


def read_defines(text, found):
    """Notes ids and constants; returns the text without preprocessor lines. Macros with arguments are no values."""
    lines = []
    for line in text.replace('\\\n', ' ').splitlines():
        match = re.fullmatch(r'#define (\w+)(?:\s+(.*))?', line)
        if match and not match[1].endswith('_H') and match[1] not in NO_CONSTANTS:
            value = (match[2] or '').strip()
            if value.startswith('"'):
                found.ids[match[1]] = value
            else:
                found.constants.append(match[1])
        if not line.startswith('#'):
            lines.append(line)
    return '\n'.join(lines)


def read_header(text, found):
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n(?:extern "C" \{|\}|static_assert\([^\n]*)\n', '#ifdef\n', text)
    text = re.sub(r'#ifdef __cplusplus\n\}\nstatic_assert\([^\n]*\n', '#ifdef\n', text)
    text = re.sub(r'\b_Static_assert\([^\n]*\);|\bstatic_assert\([^\n]*\);', '', text)
    text = read_defines(text, found)
    text = take(r'typedef struct (\w+) \{(.*?)\} \1;', text,
                lambda match: found.structs.append(read_struct(match[1], match[2])))
    text = take(r'typedef struct (\w+) \1;', text, lambda match: found.opaque.append(match[1]))
    text = take(r'\benum \{(.*?)\};', text,
                lambda match: found.constants.extend(re.findall(r'(\w+) =', match[1])))

    def function(match):
        name, type_ = declarator(match[1])
        found.functions[name] = type_

    text = take(r'typedef ([^;{}]*\(\s*\*[^;{}]*);', text, function)
    text = re.sub(r'^\}\s*$', '', text, flags=re.M)  # of extern "C"
    if text.strip():
        raise ValueError(f'not understood: {text.strip()[:300]}')


def read_headers(folder):
    """The declarations of all headers of the folder, by file name and then in their order."""
    found = Declarations()
    for path in sorted(folder.glob('*.h')):
        found.files.append(path.name)
        try:
            read_header(path.read_text(), found)
        except ValueError as fault:
            raise SystemExit(f'{path}: {fault}') from fault
    return found
