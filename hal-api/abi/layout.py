#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ABI's layout as text, taken from the headers by a compiler, and the rule that it only grows (HAL-ABI-03).

  layout.py print              the layout of the headers as they are
  layout.py check GOLDEN       exit 1 unless the headers are GOLDEN, or GOLDEN with things appended
  layout.py update GOLDEN      writes GOLDEN anew: for a release, or before the first one; with hal-1.0.golden the
                               SDK's first_sizes.h too

--include FOLDER looks at other headers than this tree's: those of another release, or changed ones.

Structs, fields, slots and enumerators come from clang's syntax tree, constants from the preprocessor; sizes, offsets and
values from a program that is compiled and run, once with each compiler that --cc names: they must agree.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDES = [ROOT / "hal-api/include", ROOT / "loader/include"]
HEADERS = ["hal/hal.h", "hal/layer.h", "hal/loader.h", "hal/formats/elf_cpu.h"]
FIRST_GOLDEN = "hal-1.0.golden"
FIRST_SIZES = ROOT / "hal-api/include/hal/sdk/first_sizes.h"
FIRST_SIZES_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * The size of each struct in ABI 1.0: the least that a host of any minor version passes (HAL-ABI-04). Made from
 * hal-1.0.golden by hal-api/abi/layout.py update; do not edit.
 */
#ifndef HAL_SDK_FIRST_SIZES_H_
#define HAL_SDK_FIRST_SIZES_H_
"""
# Constants that say nothing about layout, or grow with it on purpose.
IGNORED = re.compile(r"_INIT$|_H_$|_$|^HAL_EXPORT$|^HAL_ABI_VERSION$|^HAL_ABI_MINOR$")


def run(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"layout: {command[0]} refuses the headers:\n{done.stderr}")
    return done.stdout


def source():
    return "".join(f'#include "{header}"\n' for header in HEADERS)


def flags(includes):
    return ["-std=c11"] + [f"-I{folder}" for folder in includes]


def syntax_tree(includes):
    command = ["clang", "-x", "c", *flags(includes), "-fsyntax-only", "-Xclang", "-ast-dump=json", "-"]
    return json.loads(run(*command, input=source()))["inner"]


def structs(tree):
    """[(name, [(field, type)])] in the order of the headers."""
    for node in tree:
        if node["kind"] == "RecordDecl" and node.get("completeDefinition") and node.get("name", "").startswith("hal_"):
            fields = [f for f in node.get("inner", []) if f["kind"] == "FieldDecl"]
            yield node["name"], [(f["name"], f["type"]["qualType"]) for f in fields]


def constants(tree, includes):
    """Names of enumerators and of object-like macros that have a value."""
    names = []
    for node in tree:
        if node["kind"] == "EnumDecl":
            names += [n["name"] for n in node.get("inner", []) if n["kind"] == "EnumConstantDecl"]
    for line in run("clang", "-x", "c", *flags(includes), "-E", "-dM", "-", input=source()).splitlines():
        match = re.match(r"#define (HAL_\w+) (.+)", line)
        if match:
            names.append(match.group(1))
    return sorted(name for name in set(names) if name.startswith("HAL_") and not IGNORED.search(name))


def functions(tree):
    """What a library exports or looks up: declarations without a body."""
    for node in tree:
        is_defined = any(child["kind"] == "CompoundStmt" for child in node.get("inner", []))
        if node["kind"] == "FunctionDecl" and node["name"].startswith("hal_") and not is_defined:
            yield f"function {node['name']} {node['type']['qualType']}\n"


def program(tree, includes):
    lines = [source(), "#include <stdio.h>",
             "static void number(const char* n, unsigned long long v) { printf(\"value %s %llu\\n\", n, v); }",
             "static void string(const char* n, const char* v) { printf(\"value %s \\\"%s\\\"\\n\", n, v); }",
             "#define SHOW(n) _Generic((n), char*: string, const char*: string, default: number)(#n, n)",
             "int main(void) {"]
    for name, fields in structs(tree):
        lines.append(f'printf("struct {name} %zu %zu\\n", sizeof(struct {name}), _Alignof(struct {name}));')
        for field, kind in fields:
            where = f"offsetof(struct {name}, {field}), sizeof(((struct {name}*)0)->{field})"
            lines.append(f'printf("field {name}.{field} %zu %zu %s\\n", {where}, {json.dumps(kind)});')
    lines += [f"SHOW({name});" for name in constants(tree, includes)]
    return "\n".join(lines + ["return 0; }"])


def layout(compilers, includes=tuple(INCLUDES)):
    tree = syntax_tree(includes)
    text = program(tree, includes)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            binary = f"{folder}/layout"
            run(compiler, "-x", "c", *flags(includes), "-w", "-o", binary, "-", input=text)
            results.append(run(binary))
    if any(result != results[0] for result in results):
        sys.exit(f"layout: {' and '.join(compilers)} lay the structs out differently")
    return results[0] + "".join(functions(tree))


def first_sizes(golden):
    """The SDK's header of the sizes that structs had in ABI 1.0: an earlier host's may be so short."""
    sizes, fields, _ = parse(golden)
    lines = [f"#define HAL_SDK_FIRST_SIZE_{name}_t {sizes[name][0]}u" for name in sizes
             if fields[name] and fields[name][0][0] == "struct_size"]
    return "\n".join([FIRST_SIZES_HEAD, *lines, "", "#endif /* HAL_SDK_FIRST_SIZES_H_ */", ""])


def parse(text):
    """{struct: (size, align)}, {struct: [(field, offset, size, type)]}, {constant or function: value or type}"""
    sizes, fields, values = {}, {}, {}
    for line in text.splitlines():
        kind, name, rest = line.split(" ", 2)
        if kind == "struct":
            sizes[name] = tuple(int(n) for n in rest.split())
            fields[name] = []
        elif kind == "field":
            owner, field = name.split(".")
            offset, size, type_name = rest.split(" ", 2)
            fields[owner].append((field, int(offset), int(size), type_name))
        else:
            values[name] = rest
    return sizes, fields, values


def breaches(golden, current):
    """What in `current` is neither in `golden` nor appended to it."""
    old_sizes, old_fields, old_values = parse(golden)
    sizes, fields, values = parse(current)
    for name, fields_then in old_fields.items():
        if name not in fields:
            yield f"struct {name} has gone"
            continue
        now = fields[name]
        for index, field in enumerate(fields_then):
            if index >= len(now) or now[index] != field:
                found = f"there is {now[index]}" if index < len(now) else "there is nothing"
                yield f"struct {name}: field {index} was {field}, {found}"
        added = now[len(fields_then):]
        if sizes[name] != old_sizes[name] and not added:
            yield f"struct {name}: size and alignment were {old_sizes[name]}, they are {sizes[name]}"
        for field, offset, _, _ in added:
            if not fields_then or fields_then[0][0] != "struct_size":
                yield f"struct {name}: {field} is new, but the struct has no struct_size and cannot grow"
            elif offset < old_sizes[name][0]:
                yield f"struct {name}: {field} is new, at offset {offset}, inside the {old_sizes[name][0]} bytes of before"
    for name, value in old_values.items():
        if values.get(name) != value and not name.endswith("_COUNT"):
            yield f"{name} was {value}, it is {values.get(name, 'gone')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["print", "check", "update"])
    parser.add_argument("golden", nargs="?", type=pathlib.Path)
    parser.add_argument("--include", action="append", type=pathlib.Path, help="a folder of headers; may be repeated")
    parser.add_argument("--cc", action="append", default=None, help="a compiler; may be repeated (default: gcc, clang)")
    arguments = parser.parse_args()
    if arguments.action != "print" and arguments.golden is None:
        parser.error("name the golden file")
    current = layout(arguments.cc or ["gcc", "clang"], arguments.include or INCLUDES)
    if arguments.action == "print":
        print(current, end="")
    elif arguments.action == "update":
        arguments.golden.write_text(current, encoding="utf-8")
        if arguments.golden.name == FIRST_GOLDEN:
            FIRST_SIZES.write_text(first_sizes(current), encoding="utf-8")
    else:
        found = list(breaches(arguments.golden.read_text(encoding="utf-8"), current))
        for breach in found:
            print(f"layout: {breach}", file=sys.stderr)
        if found:
            print("layout: within a major version the ABI only grows at its end (HAL-ABI-03)", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
