"""Reads the C declarations of the ABI headers, with the tags that their comments end or begin with."""
import re
from dataclasses import dataclass, field

THREADS = ('any-thread', 'serial', 'worker', 'create', 'operation')
ROLES = ('frozen', 'request', 'result', 'notice', 'host table', 'plugin table')


@dataclass
class Tags:
    """What a comment has in brackets: its words, and what stands after the colon of [null: a, b]."""
    words: list = field(default_factory=list)
    since: str = ''
    null: list = field(default_factory=list)

    def of(self, known):
        return [word for word in self.words if word in known]


@dataclass
class Member:
    name: str
    type: str
    tags: Tags


@dataclass
class Struct:
    name: str
    members: list
    tags: Tags


@dataclass
class Declarations:
    files: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    opaque: list = field(default_factory=list)
    aliases: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)  # typedefs of function pointers: (type, tags)
    constants: list = field(default_factory=list)
    ids: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)      # number: file
    cited: dict = field(default_factory=dict)      # number: file
    faults: list = field(default_factory=list)


# The minor version grows by itself; the rest are no values.
NO_CONSTANTS = {'CCM_ABI_MINOR', 'CCM_PLUGIN_EXPORT', 'CCM_PLUGIN_MANIFEST_TEXT'}
MARK = '\x01(\\d+)\x02'  # of a comment


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


def read_tags(comment):
    """The bracketed groups at the beginning and at the end; those in its sentences mean something else."""
    comment = ' '.join(re.sub(r'^[\s*/]+|\s*\*/$', '', line) for line in comment.splitlines()).strip()
    group = r'\[[^\]]+\]'
    runs = re.findall(rf'^(?:{group}\s*)+|(?:\s*{group})+$', comment)
    tags = Tags()
    for text in re.findall(r'\[([^\]]+)\]', ' '.join(runs)):
        if text.startswith('since '):
            tags.since = text[len('since '):]
        elif text.startswith('null:'):
            tags.null += [name.strip() for name in text[len('null:'):].split(',')]
        elif text in THREADS + ROLES + ('required', 'optional', 'null'):
            tags.words.append(text)
        else:
            raise ValueError(f'unknown tag [{text}]')
    return tags


def read_struct(name, body, comments, tags, found):
    """A comment that begins on the line on which a member ends is that member's, any other is the next one's."""
    members = []
    for text in body.split(';'):
        trailing = re.match(rf'[ \t]*{MARK}', text)
        if trailing and members:
            more = read_tags(comments[int(trailing[1])])
            members[-1].tags = Tags(members[-1].tags.words + more.words, members[-1].tags.since or more.since,
                                    members[-1].tags.null + more.null)
            text = text[trailing.end():]
        before = re.findall(MARK, text)
        text = re.sub(MARK, '', text)
        if not text.strip():
            continue
        own = read_tags(comments[int(before[-1])]) if before else Tags()
        member = Member(*declarator(text), own)
        if not member.name:
            raise ValueError(f'a member of {name} has no name')
        members.append(member)
        check_null_names(f'{name}.{member.name}', member, text, found)
    found.structs.append(Struct(name, members, tags))


def check_null_names(place, member, text, found):
    for parameter in member.tags.null:
        if not re.search(rf'\b{parameter}\b', text):
            found.faults.append(f'{place} has no parameter "{parameter}", which its tag names')


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
        match = re.fullmatch(r'#define (\w+)(?:\s+(.*))?', re.sub(MARK, '', line).rstrip())
        if match and not match[1].endswith('_H') and match[1] not in NO_CONSTANTS:
            value = (match[2] or '').strip()
            if value.startswith('"'):
                found.ids[match[1]] = value
            else:
                found.constants.append(match[1])
        if not line.startswith('#'):
            lines.append(line)
    return '\n'.join(lines)


def read_rules(text, file, found):
    for number in re.findall(r'^ \* R-(\d+)\s', text, flags=re.M):
        if int(number) in found.rules:
            found.faults.append(f'R-{number} stands in {found.rules[int(number)]} and in {file}')
        found.rules[int(number)] = file
    found.cited.update({int(number): file for number in re.findall(r'\bR-(\d+)', text)})


def read_header(text, file, found):
    read_rules(text, file, found)
    comments = []

    def mark(match):
        comments.append(match[0])
        return f'\x01{len(comments) - 1}\x02'

    text = re.sub(r'/\*.*?\*/', mark, text, flags=re.S)
    text = re.sub(MARK, '', text, count=1)  # of the header as a whole
    text = re.sub(r'#ifdef __cplusplus\n(?:extern "C" \{|\}|static_assert\([^\n]*)\n', '#ifdef\n', text)
    text = re.sub(r'#ifdef __cplusplus\n\}\nstatic_assert\([^\n]*\n', '#ifdef\n', text)
    text = re.sub(r'\b_Static_assert\([^\n]*\);|\bstatic_assert\([^\n]*\);', '', text)
    text = read_defines(text, found)
    text = re.sub(r'\bstatic inline [^{;]*\{.*?\n\}', '', text, flags=re.S)
    comment = rf'(?:{MARK}\s*)?'

    def tags(match):
        return read_tags(comments[int(match[1])]) if match[1] else Tags()

    text = take(comment + r'typedef struct (\w+) \{(.*?)\} \2;', text,
                lambda match: read_struct(match[2], match[3], comments, tags(match), found))
    text = take(comment + r'typedef struct (\w+) \2;', text, lambda match: found.opaque.append(match[2]))

    def enumeration(match):
        names = re.findall(r'(\w+) =', re.sub(MARK, '', match[2]))
        if not tags(match).since:
            found.faults.append(f'the enum of {names[0]} has no [since]')
        found.constants.extend(names)

    text = take(comment + r'\benum \{(.*?)\};', text, enumeration)

    def function(match):
        name, type_ = declarator(match[2])
        found.functions[name] = (type_, tags(match))

    text = take(comment + r'typedef ([^;{}\x01]*\(\s*\*[^;{}]*);', text, function)
    text = take(comment + r'typedef (\w+) (\w+);', text, lambda match: found.aliases.update({match[3]: match[2]}))
    text = re.sub(r'^\}\s*$', '', re.sub(MARK, '', text), flags=re.M)  # of extern "C"
    if text.strip():
        raise ValueError(f'not understood: {text.strip()[:300]}')


def read_headers(folder):
    """The declarations of all headers of the folder, by file name and then in their order."""
    found = Declarations()
    for path in sorted(folder.glob('*.h')):
        found.files.append(path.name)
        try:
            read_header(path.read_text(), path.name, found)
        except ValueError as fault:
            raise SystemExit(f'{path}: {fault}') from fault
    found.faults += [f'{file} cites R-{number}, which is no rule' for number, file in found.cited.items()
                     if number not in found.rules]
    return found
