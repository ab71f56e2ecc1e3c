#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long hal-info takes from nothing, with the plugins that it finds: the promise is at most 50 ms.

  bench_hal_info.py HAL_INFO [ROUNDS]     prints milliseconds; exit 1 if the median is above the promise

"Warm" runs follow each other. "Cold" runs have the files of hal-info, libhal and the plugins dropped from the page cache
first, as after a boot; the disk is then part of the figure.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PROMISE_MS = 50.0


def milliseconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def drop_from_cache(paths):
    for path in paths:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main():
    tool, rounds = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 21
    plugins = json.loads(subprocess.run([tool, "--json"], check=True, capture_output=True).stdout)["plugins"]
    files = [tool, *(plugin["path"] for plugin in plugins), *tool.parent.parent.glob("lib/libhal.so*")]
    warm = [milliseconds([tool]) for _ in range(rounds)]
    cold = []
    for _ in range(rounds):
        drop_from_cache(files)
        cold.append(milliseconds([tool]))
    for name, times in ("warm", warm), ("cold", cold):
        print(f"{name}: median {statistics.median(times):.1f} ms, least {min(times):.1f}, most {max(times):.1f}")
    print(f"plugins: {', '.join(plugin['name'] for plugin in plugins)}; promise: {PROMISE_MS:.0f} ms")
    return 0 if statistics.median(cold) <= PROMISE_MS else 1


if __name__ == "__main__":
    sys.exit(main())
