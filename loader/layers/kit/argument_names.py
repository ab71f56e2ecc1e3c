#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the names of every slot's parameters, taken from the C headers, as a C++ list for slot.hpp.

  argument_names.py FOLDER-OF-HAL-HEADERS OUTPUT
"""
import pathlib
import re
import sys

GROUP = re.compile(r"typedef struct hal_(\w+)_group \{(.*?)\} hal_\1_group_t;", re.S)
SLOT = re.compile(r"\(\*(\w+)\)\(([^)]*)\);")


def rows(folder):
    for header in sorted(pathlib.Path(folder).glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        for group, body in GROUP.findall(text):
            for slot, parameters in SLOT.findall(body):
                names = [re.search(r"(\w+)\s*$", p).group(1) for p in parameters.split(",")]
                yield f'HAL_ARGUMENTS({group}, {slot}, "{" ".join(names)}")\n'


def main():
    found = "".join(rows(sys.argv[1]))
    pathlib.Path(sys.argv[2]).write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
