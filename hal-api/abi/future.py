#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of a later minor version, made from today's by the only change that is allowed: things appended.

  future.py MINOR OUT          writes OUT/hal/*.h as ABI 1.MINOR would have them

Each minor version appends one field, future_N, to every struct that may grow (it begins with struct_size and lies in no
other), and one slot, future_N, to every group's table. Plugins and hosts that are built with these headers show that
today's go on working with them (HAL-ABI-03 to 05), before there is a later version.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "hal-api/include", ROOT / "loader/include"]
STRUCT = re.compile(r"typedef struct (hal_\w+) \{\n(.*?)\n\} \1_t;", re.S)
MEMBER = re.compile(r"^\s*(?:struct )?(hal_\w+?)(?:_t)? (?!\*)\w+(?:\[[^\]]*\])?;", re.M)


def embedded(texts):
    """Names of structs that lie inside others by value: they are as long for ever as they are."""
    return {name for text in texts for _, body in STRUCT.findall(text) for name in MEMBER.findall(body)}


def grown(text, minor, fixed):
    def grow(match):
        name, body = match.groups()
        if name in fixed or not re.match(r"\s*uint32_t struct_size;", body):
            return match.group(0)
        kind = "hal_status_t* (*future_{})(void* object);" if name.endswith("_group") else "uint64_t future_{};"
        added = "\n".join("  " + kind.format(n) for n in range(1, minor + 1))
        return f"typedef struct {name} {{\n{body}\n{added}\n}} {name}_t;"

    text = re.sub(r"(#define HAL_ABI_MINOR) \d+u", rf"\1 {minor}u", text)
    return STRUCT.sub(grow, text)


def write(minor, out):
    paths = {path.relative_to(folder): path for folder in FOLDERS for path in folder.rglob("*.h*")}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    abi = {name for name in texts if len(name.parts) == 2}  # hal/x.h; what lies deeper is compiled with its user
    fixed = embedded(texts[name] for name in abi)
    shutil.rmtree(out, ignore_errors=True)
    for name, text in texts.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(grown(text, minor, fixed) if name in abi else text, encoding="utf-8")


if __name__ == "__main__":
    write(int(sys.argv[1]), pathlib.Path(sys.argv[2]))
