#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's node cases through compiled code: exactly those that docs/onnx-node-suite.md lists do not pass.

  onnx_suite_test.py HAL_RUN PLUGIN LIST
"""
import json
import pathlib
import re
import subprocess
import sys

SUITE = pathlib.Path("/usr/share/libonnx-testdata/data/node")
HAL_RUN, PLUGIN, LIST = sys.argv[1:4]
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.M)


def run():
    command = [HAL_RUN, "--onnx-suite", str(SUITE), "--plugin", PLUGIN, "--json", "-q"]
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode not in (0, 1) or not result.stdout:
        sys.exit(f"{' '.join(command)} ended with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)["cases"]


def main():
    if not SUITE.exists():
        print("skipped: install libonnx-testdata for ONNX's node cases")
        return 77
    cases = run()
    failing = {case["name"]: case["reason"] for case in cases if case["verdict"] != "PASS"}
    listed = dict(ROW.findall(pathlib.Path(LIST).read_text(encoding="utf-8")))
    for name in sorted(failing.keys() - listed.keys()):
        print(f"{name} passed before and does not now: {failing[name]}")
    for name in sorted(listed.keys() - failing.keys()):
        print(f"{name} passes: take it out of {LIST}")
    print(f"{len(cases) - len(failing)} of {len(cases)} pass")
    return 0 if cases and failing.keys() == listed.keys() else 1


if __name__ == "__main__":
    sys.exit(main())
