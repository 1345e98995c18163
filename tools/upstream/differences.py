"""The differences between two managers, less those that a table explains."""
import fnmatch

TABLE = "known_differences.tsv"
COLUMNS = ["kind", "name", "ours", "reason"]
MISSING = "-"


def differences(upstream, ours):
    """Each as (kind, name, upstream's, ours)."""
    for kind, theirs in upstream.items():
        for name, facts in sorted(theirs.items()):
            if name not in ours[kind]:
                yield kind, name, "there", MISSING
                continue
            for fact, value in facts.items():
                if ours[kind][name].get(fact, value) != value:
                    yield kind + "-" + fact, name, text(value), text(ours[kind][name][fact])
    # Roles that were written for the Go manager do not have it.
    for name in sorted(ours["rbac"].keys() - upstream["rbac"].keys()):
        yield "rbac", name, MISSING, "there"


def text(value):
    return str(value).lower() if isinstance(value, bool) else value or '""'


def rows_of(table):
    """The rows with their line numbers. A table that is not well formed raises ValueError."""
    lines = table.split("\n")
    if lines[0].split("\t") != COLUMNS:
        raise ValueError("%s: the columns are %s" % (TABLE, ", ".join(COLUMNS)))
    for number, line in enumerate(lines[1:], 2):
        row = line.split("\t")
        if line and (len(row) != len(COLUMNS) or not all(row)):
            raise ValueError("%s:%d: %d columns, each with text" % (TABLE, number, len(COLUMNS)))
        if line:
            yield number, row


def findings(found, rows):
    """The differences that no row explains, and the rows that explain none. A row holds for the names that match its pattern."""
    used = set()
    for kind, name, theirs, ours in found:
        fitting = [number for number, row in rows if row[0] == kind and row[2] == ours and fnmatch.fnmatchcase(name, row[1])]
        used.update(fitting)
        if not fitting:
            yield "%s %s: upstream %s, ours %s" % (kind, name, theirs, ours)
    for number, row in rows:
        if number not in used:
            yield "%s:%d: no difference needs %s %s any more" % (TABLE, number, row[0], row[1])
