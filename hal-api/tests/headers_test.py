#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles by itself, without a warning, in every language version that it promises (HAL-ABI-01).

  headers_test.py COMPILER     gcc or clang
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "hal-api/include", ROOT / "loader/include"]
C = ["c99", "c11", "c17"]
CXX = ["c++11", "c++14", "c++17", "c++20"]
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wpadded", "-Werror"]
MODERN = ["-pedantic", "-Wall", "-Wextra", "-Werror"]


def cases():
    """(header, language, standard, warnings) for C headers in C and C++, and for C++ headers in C++20."""
    for folder in FOLDERS:
        for header in sorted(folder.rglob("*.h")):
            name = header.relative_to(folder).as_posix()
            yield from ((name, "c", standard, STRICT) for standard in C)
            yield from ((name, "c++", standard, STRICT) for standard in CXX)
        for header in sorted(folder.rglob("*.hpp")):
            yield header.relative_to(folder).as_posix(), "c++", "c++20", MODERN


def foreign_includes():
    """The ABI's own C headers know nothing but <stddef.h> and <stdint.h>."""
    for folder in FOLDERS:
        for header in sorted(folder.glob("hal/*.h")):
            for name in re.findall(r"#\s*include\s*<([^>]+)>", header.read_text(encoding="utf-8")):
                if name not in {"stddef.h", "stdint.h"}:
                    yield f"{header} includes <{name}>"


def compile_one(compiler, case):
    header, language, standard, warnings = case
    # Twice, so that the include guard is tested; and something of our own, since an empty C file is pedantically wrong.
    source = f'#include "{header}"\n#include "{header}"\nextern int hal_headers_test;\n'
    command = [compiler, "-x", language, f"-std={standard}", *warnings, "-fsyntax-only", "-"]
    result = subprocess.run(command + [f"-I{folder}" for folder in FOLDERS], input=source, text=True, capture_output=True)
    return None if result.returncode == 0 else f"{header} as {standard} by {compiler}:\n{result.stderr}"


def main():
    compiler = sys.argv[1]
    every = list(cases())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(lambda case: compile_one(compiler, case), every) if failure]
    failures += foreign_includes()
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{compiler}: {len(every)} compilations, {len(failures)} failed")
    return 1 if failures or len(every) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
