#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of the C ABI, one page for each header, made from the headers' own declarations and comments.

  make_reference.py OUT              writes OUT/index.md and OUT/<header>.md
  make_reference.py --check GOLDEN   exit 1 unless every struct, field, slot, constant and function of the golden file is
                                     on a page, and every slot of a group says what it does

There is no other copy of this text: whoever changes a header changes the reference.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "hal-api/include/hal", ROOT / "loader/include/hal"]
PAGES = ["base", "status", "dtype", "plugin", "device", "memory", "queue", "executable", "command_buffer", "collective",
         "profiling", "telemetry", "extension", "calls", "layer", "loader"]
PLUMBING = {"__cplusplus", "HAL_EXPORT"}

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
ITEM = re.compile(
    r"/\*(?P<comment>.*?)\*/"
    r"|typedef struct (?P<struct>hal_\w+) \{\n(?P<body>.*?)\n\} \w+;"
    r"|typedef enum (?P<enum>hal_\w+) \{\n(?P<items>.*?)\n\} \w+;"
    r"|^#define (?P<macro>HAL_\w+(?:\([^)]*\))?)(?P<value>(?:[^\n]*\\\n)*[^\n]*)"
    r"|^typedef (?P<alias>[^;{]*);"
    r"|^static inline (?P<inline>[^;{]*?) \{.*?\n?\}$"
    r"|^HAL_EXPORT (?P<function>[^;{]*\));", re.S | re.M)
MEMBER = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<declaration>[^;/]+;)(?P<after>[ \t]*/\*.*?\*/)?", re.S)


def clean(comment):
    """A comment's text as paragraphs: without stars, with list items on lines of their own."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment.strip().strip("/*").splitlines()]
    text = "\n".join(lines).strip()
    text = re.sub(r"SPDX-License-Identifier: \S+\s*", "", text)
    return re.sub(r"\n(?=\s+- )", "\n\n", text)


def cell(text):
    return " ".join(clean(text).split()).replace("|", "\\|").replace("<", "&lt;")


def code(text):
    return " ".join(text.split())


def members(body):
    """[(declaration, comment)]: a comment stands before its declaration, or after it on the same line."""
    found, before = [], ""
    for match in MEMBER.finditer(body):
        if match["comment"]:
            before = match["comment"]
            continue
        found.append((code(match["declaration"]).rstrip(";"), match["after"] or before))
        # A comment of a whole group of slots ("all of them") holds for those that follow without one.
        before = before if "(*" in match["declaration"] else ""
    return found


def struct_page(name, body, comment):
    lines = [f"## `{name}_t`", "", clean(comment), ""]
    if name.endswith("_group"):
        for declaration, text in members(body):
            slot = re.search(r"\(\*(\w+)\)", declaration)
            if slot:
                lines += [f"### `{name[4:-6]}.{slot[1]}`", "", f"```c\n{declaration};\n```", "", clean(text), ""]
        return lines
    lines += ["| field | | |", "|---|---|---|"]
    for declaration, text in members(body):
        called = re.search(r"\(\*(\w+)\)", declaration) or re.search(r"(\w+(?:\[\w+\])?(?:, \w+)*)$", declaration)
        kind = declaration if "(*" in declaration else declaration[:called.start()].strip()
        lines.append(f"| `{called[1]}` | `{kind}` | {cell(text)} |")
    return lines + [""]


def macro_line(name, value):
    after = COMMENT.search(value)
    text = COMMENT.sub("", value).replace("\\\n", " ")
    return f"| `{name}` | `{code(text)}` | {cell(after[0]) if after else ''} |".replace("\\|", "&#124;")


def table_lines(name, value):
    """An X-macro, such as HAL_STATUS_TABLE(X): a row for each X(...), named as its enumerator is."""
    prefix = name.split("_TABLE")[0]
    for row in re.findall(r"X\(((?:[^()\"]|\"[^\"]*\")*)\)", value):
        words = [word.strip().strip('"') for word in re.findall(r'"[^"]*"|[^,]+', row) if word.strip()]
        yield f"| `{prefix}_{words[1]}` | `{words[0]}` | {', '.join(words[2:])} |"


def page(path):
    """The page of one header."""
    text = re.sub(r"^(#if|#ifdef|#ifndef|#endif|#else|#include|extern).*$|^\}$", "", path.read_text(encoding="utf-8"), flags=re.M)
    lines, pending, is_first, in_constants = [f"# hal/{path.name}", ""], "", True, False
    for item in ITEM.finditer(text):
        if item["comment"] is not None:
            if is_first:
                lines += [clean(item["comment"]), ""]
                is_first = False
            else:
                pending = item["comment"]
            continue
        if item["macro"]:
            name = item["macro"]
            if name.endswith("_H_") or name.split("(")[0] in PLUMBING or name.split("(")[0].endswith("_"):
                continue
            if not in_constants or pending:
                lines += ["", clean(pending), ""] if pending else [""]
                lines += ["| constant | value | |", "|---|---|---|"]
            if "_TABLE(" in name:
                lines += table_lines(name, item["value"])
            else:
                lines.append(macro_line(name, item["value"]))
            in_constants, pending = True, ""
            continue
        lines += [""] if in_constants else []
        in_constants = False
        if item["struct"]:
            lines += struct_page(item["struct"], item["body"], pending)
        elif item["enum"]:
            lines += [f"## `{item['enum']}_t`", "", clean(pending), "", f"```c\n{item['items']}\n```", ""]
        else:
            declared = code(item["alias"] and f"typedef {item['alias']}" or item["inline"] or item["function"])
            lines += [f"```c\n{declared};\n```", "", clean(pending), ""]
        pending = ""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def pages():
    headers = {path.stem: path for folder in FOLDERS for path in folder.glob("*.h")}
    unknown = headers.keys() - set(PAGES) - {"hal"}
    if unknown:
        sys.exit(f"make_reference: {', '.join(sorted(unknown))} is a new header; add it to PAGES, where a reader meets it")
    return {name: page(headers[name]) for name in PAGES if name in headers}


def index(made):
    rows = [f"- [hal/{name}.h]({name}.md): {' '.join(text.split(chr(10) * 2)[1].split())}" for name, text in made.items()]
    return "\n".join(["# Reference of the C ABI", "", "Made from the headers, a page for each.", "", *rows, ""])


def gaps(made, golden):
    """What the golden file has and no page shows; and slots that nobody describes."""
    everything = "\n".join(made.values())
    words = set(re.findall(r"\w+", everything))
    for line in golden.splitlines():
        kind, name, _ = line.split(" ", 2)
        owner, _, field = name.partition(".")
        if name.endswith("_COUNT") or owner == "hal_elf_cpu" or "elf_cpu" in owner.lower():
            continue
        if (field or owner) not in words and f"{owner}_t" not in words:
            yield f"{name} is on no page"
    for match in re.finditer(r"^### `(\S+)`\n\n```c\n.*\n```\n\n(.*)$", everything, re.M):
        if not match[2].strip() or match[2].startswith("#"):
            yield f"slot {match[1]} has no comment in its header"


def main():
    made = pages()
    if sys.argv[1] == "--check":
        found = list(gaps(made, pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")))
        for gap in found:
            print(f"make_reference: {gap}", file=sys.stderr)
        slots = sum(text.count("\n### `") for text in made.values())
        print(f"{len(made)} pages, {slots} slots")
        return 1 if found or slots < 50 else 0
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, text in {**made, "index": index(made)}.items():
        (out / f"{name}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
