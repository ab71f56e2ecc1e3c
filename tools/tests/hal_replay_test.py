#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hal-replay from end to end: a program is recorded through the environment alone, then played, listed and damaged.

  hal_replay_test.py HAL-REPLAY LIST-DEVICES
"""
import os
import pathlib
import subprocess
import sys
import tempfile

REPLAY, PROGRAM = sys.argv[1:3]


def replay(*arguments):
    return subprocess.run([REPLAY, *map(str, arguments)], text=True, capture_output=True)


def expect(condition, what, result):
    if not condition:
        sys.exit(f"{what}: exit {result.returncode}\n{result.stdout}{result.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "run.cpu"
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, MORTISE_PLUGIN_FILTER="cpu", MORTISE_LAYERS="record",
                           MORTISE_LAYER_RECORD_FILE=f"{folder}/run.%n")
        run = subprocess.run([PROGRAM], env=environment, text=True, capture_output=True)
        expect(run.returncode == 0 and record.exists(), "the program did not record", run)

        played = replay(record)
        expect(played.returncode == 0 and "0 of " in played.stdout, "it does not run again", played)
        both = replay(record, "--against", "cpu:0")
        expect(both.returncode == 0 and " 0 of 0 ranges" not in both.stdout, "nothing was compared", both)
        listed = replay(record, "--list")
        expect("queue.submit" in listed.stdout, "submissions are not listed", listed)

        damaged = bytearray(record.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        record.write_bytes(damaged)
        broken = replay(record)
        expect(broken.returncode == 3 and "damaged at byte" in broken.stderr, "damage was not found", broken)
        missing = replay(pathlib.Path(folder) / "none")
        expect(missing.returncode == 3, "a missing file was found", missing)
        expect(replay().returncode == 2, "wrong use was not noticed", missing)


if __name__ == "__main__":
    main()
