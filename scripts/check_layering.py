#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder includes and links only what the architecture allows. Exit 1 names every breach."""
import pathlib
import re
import sys

# folder -> (folders whose public headers it may include, targets outside its folder that it may link)
ALLOWED = {
    "hal-api": set(),
    "loader": {"hal-api"},
    "compiler": {"hal-api"},
    "operators": set(),
    "reference-backend": {"hal-api"},
    "backends": {"hal-api"},
    "runtime": {"hal-api", "loader", "compiler"},
    "conformance": {"hal-api", "loader", "compiler", "runtime"},
    "tools": {"hal-api", "loader", "compiler", "runtime", "conformance"},
    "examples": {"hal-api", "loader", "compiler", "runtime"},
}
# Which folder owns a header, by the longest prefix that fits.
OWNERS = {
    "hal/": "hal-api",
    "hal/loader": "loader",
    "hal/compiler/": "compiler",
    "hal/runtime/": "runtime",
    "hal/conformance/": "conformance",
}
TARGETS = {
    "hal_api": "hal-api", "hal_sdk": "hal-api", "hal": "loader", "hal_compiler": "compiler", "hal_runtime": "runtime",
    "hal_conformance": "conformance",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<](hal/[^">]+)[">]', re.M)
LINK = re.compile(r"(?:target_link_libraries\s*\(\s*\w+|\bLINK)\b([^)]*)", re.S)


def owner(header):
    best = max((p for p in OWNERS if header.startswith(p)), key=len)
    return OWNERS[best]


def breaches(root):
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".hpp"}:
                for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    if owner(header) not in allowed | {folder}:
                        yield f"{path.relative_to(root)}: includes {header} of {owner(header)}"
            if path.name == "CMakeLists.txt":
                for words in LINK.findall(path.read_text(encoding="utf-8")):
                    for target in words.split():
                        if target in TARGETS and TARGETS[target] not in allowed | {folder}:
                            yield f"{path.relative_to(root)}: links {target} of {TARGETS[target]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(breaches(root))
    for line in found:
        print(f"layering: {line}, which docs/architecture.md does not allow", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
