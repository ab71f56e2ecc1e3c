#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HAL-ABI-23: a program with raised privileges reads no variable, and names each that is set, once. A real set-user-id
program, so only root can run this; others skip it (exit code 77).

  secure_test.py HAL_INFO PLUGIN
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NOBODY = 65534


def copy_for_all(source, target):
    shutil.copy(source, target)
    target.chmod(0o755)


def main():
    if os.geteuid() != 0:
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        program = folder / "hal-info"
        copy_for_all(sys.argv[1], program)
        program.chmod(0o4755)
        copy_for_all(sys.argv[2], folder / "plugin.so")

        def run(user):
            return subprocess.run([program, "--verbose", "diagnose"], user=user, text=True, capture_output=True,
                                  env={"MORTISE_PLUGIN_PATH": str(folder / "plugin.so"), "HOME": "/nonexistent"})

        as_root, as_nobody = run(0), run(NOBODY)
        if as_nobody.returncode in (126, 127) or "loading shared libraries" in as_nobody.stderr:
            print(as_nobody.stderr)
            return SKIPPED
        assert str(folder / "plugin.so") in as_root.stdout, as_root
        assert "is ignored" not in as_root.stderr, as_root
        assert str(folder / "plugin.so") not in as_nobody.stdout, as_nobody
        lines = [line for line in as_nobody.stderr.splitlines() if "MORTISE_PLUGIN_PATH is ignored" in line]
        assert len(lines) == 1, as_nobody
    return 0


if __name__ == "__main__":
    sys.exit(main())
