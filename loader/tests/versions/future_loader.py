#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loader's sources as a later minor version would have them: today's, with that version's slots in slots.hpp.

  future_loader.py MINOR OUT
"""
import pathlib
import re
import shutil
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "src"


def with_slots(text, minor):
    """Each group's last S(...) line is followed by the slots that future.py appends to its table."""
    slots = re.findall(r"^  S\((\w+), \w+, \w+\).*\n", text, re.M)
    for group in dict.fromkeys(slots):
        last = list(re.finditer(rf"^  S\({group}, \w+, \w+\).*\n", text, re.M))[-1]
        line = last.group(0)
        added = "".join(f"  S({group}, future_{n}, kOptional) \\\n" for n in range(1, minor + 1))
        if line.rstrip().endswith("\\"):
            text = text[:last.end()] + added + text[last.end():]
        else:  # the list's end
            text = text[:last.start()] + line.rstrip() + " \\\n" + added.rstrip("\\\n") + "\n" + text[last.end():]
    return text


if __name__ == "__main__":
    minor, out = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(SOURCES, out)
    slots_file = out / "slots.hpp"
    slots_file.write_text(with_slots(slots_file.read_text(encoding="utf-8"), minor), encoding="utf-8")
