#!/usr/bin/env python3
"""docs/reference/sdks.md says which functions of the ABI the SDKs in C++, Go and Rust have, as their sources do:   sdks.py [--write]

A function that one of them lacks needs a reason in WHY, a member of a struct that no line of its sources names one in WHY_MEMBERS.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/sdks.md"
INCLUDE = ROOT / "sdk/include/ccm"
HANDLES = {"ccm_host", "ccm_component", "ccm_plugin"}  # that each SDK has whole, or there would be no plugin
GOROUTINES = "a goroutine of its own does it"
# (table, function or "*", language): why there is none.
WHY = {
    ("ccm_controller", "*", "Go"): "providers only", ("ccm_controller", "*", "Rust"): "providers only",
    ("ccm_host_queue", "*", "Go"): "providers only", ("ccm_host_queue", "*", "Rust"): "providers only",
    ("ccm_host_setup", "*", "Go"): "providers only", ("ccm_host_setup", "*", "Rust"): "providers only",
    **{("ccm_host_kube", function, language): "a provider needs `get` for the cluster's UID" for language in ("Go", "Rust")
       for function in ("cached", "cached_each", "list", "patch", "create", "remove")},
    ("ccm_host_crypto", "*", "Go"): "the standard library",
    **{("ccm_host_process", "run", language): "a draft" for language in ("Go", "Rust")},
    ("ccm_host_worker", "*", "Go"): GOROUTINES, ("ccm_host_post", "*", "Go"): GOROUTINES,
    ("ccm_host_http", "send_wait", "C++"): "`send`, and the worker waits",
    ("ccm_host_http", "send_wait", "Go"): "`send`, and the goroutine waits",
    ("ccm_host_http", "send_wait", "Rust"): "`send`, and the worker waits",
    ("ccm_host_ctx", "background", "Go"): "`Host.Go`",
    ("ccm_host_ctx", "ended", "Go"): "`context.Context`", ("ccm_host_ctx", "ended", "Rust"): "`end_code`",
    ("ccm_host_ctx", "end_code", "Go"): "`context.Context`",
    ("ccm_host_ctx", "remove_on_end", "Go"): "`context.Context`",
    **{("ccm_host_object", function, "Go"): "`encoding/json` of `Object.JSON`" for function in ("find_in", "kind", "each", "equal")},
    ("ccm_host_object", "parse", "Go"): "`encoding/json`",
    ("ccm_host_timer", "now_ms", "Go"): "`time.Now`",
}
# (struct, member or "*", language): why there is none.
WHY_MEMBERS = {
    **{(struct, "*", language): "providers only" for language in ("Go", "Rust")
       for struct in ("ccm_watch", "ccm_watch_event", "ccm_queue_options", "ccm_queue_item", "ccm_reconcile_request", "ccm_reconcile_result")},
    **{(struct, "*", language): "a provider needs `get` for the cluster's UID" for language in ("Go", "Rust")
       for struct in ("ccm_kube_reference", "ccm_kube_list_request", "ccm_kube_list", "ccm_kube_delete_request")},
    **{(struct, member, language): why for language in ("Go", "Rust") for struct, member, why in (
        ("ccm_instance", "why", "the host tells it to controllers"),
        ("ccm_node_identity", "max_age_ms", "0 for a provider"),
        ("ccm_event", "source", "the component's name, which the host fills in"),
        ("ccm_object_reference", "api_version", "an Event is about an object that the host gave"),
        ("ccm_read_file_request", "size_limit", "1 MiB, the most"))},
    ("ccm_sign_request", "*", "Go"): "the standard library",
    **{("ccm_run_request", "*", language): "a draft" for language in ("Go", "Rust")},
    ("ccm_value", "*", "Go"): "`encoding/json` of `Object.JSON`",
    ("ccm_value", "*", "C++"): "copied whole",
}


def read(*patterns):
    return "\n".join(path.read_text() for pattern in patterns for path in sorted(ROOT.glob(pattern)) if "_test." not in path.name)


CPP_FILES = [path.read_text() for folder in ("", "detail") for path in sorted((INCLUDE / folder).glob("*.hpp"))]
CPP = "\n".join(CPP_FILES)
GO_HOST, GO_PLUGIN = read("sdk/go/host_calls.c"), read("sdk/go/plugin.c")
RUST = read("sdk/rust/ccm/src/*.rs")


def tables():
    """(header, table, whether it is the host's, functions) in the order of the headers."""
    for header in sorted((INCLUDE / "abi").glob("*.h")):
        for kind, name, body in re.findall(r"\[(host|plugin) table\](?:(?!\*/).)*\*/\s*typedef struct (\w+) \{(.*?)\n\}", header.read_text(), re.S):
            if name not in HANDLES:
                yield header.name, name, kind == "host", re.findall(r"\(\*(\w+)\)\(", body)


def service(table):
    return table.removeprefix("ccm_host_").removeprefix("ccm_cloud_")


def has_cpp(table, function, host):
    if host:
        return bool(re.search(rf"&{table}::{function}\b", CPP))
    return any(re.search(rf"\b{table}\b", file) and re.search(rf"\bslots\.{function} = &", file) for file in CPP_FILES)


def has_go(table, function, host):
    if host:
        return any(re.search(rf"\b{table}\b", part) and re.search(rf"\btable->{function}\(", part) for part in GO_HOST.split("\n}\n"))
    member = re.search(rf"\b{table} (\w+);", GO_PLUGIN)
    return bool(member and re.search(rf"SET\({member.group(1)}, {function},", GO_PLUGIN))


def has_rust(table, function, host):
    if host:
        return bool(re.search(rf"\b{service(table)}\.{function}\(", RUST) or
                    re.search(rf"Table<{table}>", RUST) and re.search(rf"functions\.{function}\b", RUST))
    return bool(re.search(rf"{table} \{{[^}}]*?\b{function}: Some\(", RUST, re.S) or
                re.search(rf"tables\.\w+::<P>\(\)\.{function} = Some\(\w+::{function}", RUST))


LANGUAGES = {"C++": has_cpp, "Go": has_go, "Rust": has_rust}


def members():
    """(header, struct, member) of each struct that holds values, in the order of the headers."""
    for header in sorted((INCLUDE / "abi").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for body, struct in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, re.S):
            if "(*" not in body:
                yield from ((header.name, struct, member) for member in re.findall(r"\b(\w+);", body) if member != "reserved")


# Go's cgo and the C of its module have a member's name as it is, Rust adds "_" to its own words.
SOURCES = {"C++": CPP, "Go": read("sdk/go/*.go", "sdk/go/*.c", "sdk/go/*.h"), "Rust": RUST}


def names(language, member):
    return bool(re.search(rf"(\.|->){member}_?\b|\b{member}_?[:,]", SOURCES[language]))


def members_page(wrong):
    text = """
Members of structs that an SDK lacks although it has what they are for:

| header | member | without it | why |
| --- | --- | --- | --- |
"""
    used = set()
    for header, struct, member in members():
        lacking = {}
        for language in LANGUAGES:
            if names(language, member):
                continue
            why = next((key for key in ((struct, member, language), (struct, "*", language)) if key in WHY_MEMBERS), None)
            if why is None:
                wrong.append(f"{language} lacks {struct}.{member}, and WHY_MEMBERS gives no reason")
            used |= {why}
            if why is not None and why[1] == "*":
                continue  # the functions above say it
            lacking.setdefault(WHY_MEMBERS.get(why, "?"), []).append(language)
        for why, languages in lacking.items():
            text += f"| `ccm/abi/{header}` | `{struct}.{member}` | {', '.join(languages)} | {why} |\n"
    return text, wrong + [f"WHY_MEMBERS[{key}] is of no use" for key in WHY_MEMBERS.keys() - used]


def page():
    text = """# What the SDKs have
Each function of the plugin ABI, and whether the SDK of a language has it. C has the headers themselves. `tests/docs/sdks.py --write` makes
this page of the sources of the SDKs, and fails when one of them lacks a function without a reason.

| header | function | C++ | Go | Rust |
| --- | --- | --- | --- | --- |
"""
    wrong, used = [], set()
    for header, table, host, functions in tables():
        for function in functions:
            cells = []
            for language, has in LANGUAGES.items():
                keys = [(table, function, language), (table, "*", language)]
                why = next((key for key in keys if key in WHY), None)
                there = has(table, function, host)
                used |= {why} if why else set()
                if there and why:
                    wrong.append(f"{language} has {table}.{function}: WHY says that it does not")
                if not there and not why:
                    wrong.append(f"{language} lacks {table}.{function}, and WHY gives no reason")
                cells.append("yes" if there else f"no: {WHY.get(why, '?')}")
            text += f"| `ccm/abi/{header}` | `{table}.{function}` | {' | '.join(cells)} |\n"
    return text, wrong + [f"WHY[{key}] is of no use" for key in WHY.keys() - used]


def main():
    text, wrong = page()
    more, wrong = members_page(wrong)
    text += more
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        wrong.append(f"{PAGE} is not current: tests/docs/sdks.py --write")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
