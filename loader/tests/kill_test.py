#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at any point of a run leaves nothing behind that blocks the next one: no shared memory, no file, no lock.

  kill_test.py HOST PLUGIN...     HOST finds devices, opens them and works on each (examples/list_devices)
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HOST, PLUGINS = sys.argv[1], sys.argv[2:]
KILLS = 100
SHARED = [pathlib.Path("/dev/shm"), pathlib.Path("/dev/mqueue")]


def shared_objects():
    """What the machine shares by name; other programs' names may come and go."""
    names = {str(entry) for folder in SHARED if folder.is_dir() for entry in folder.iterdir()}
    segments = pathlib.Path("/proc/sysvipc/shm")
    ours = segments.read_text(encoding="utf-8").splitlines()[1:] if segments.exists() else []
    return {name for name in names if "mortise" in name.lower() or "hal" in name.lower()}, len(ours)


class Kill(unittest.TestCase):
    def test_every_point_of_a_run(self):
        generator = random.Random(1)
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "HOME": home, "TMPDIR": home, "XDG_RUNTIME_DIR": home, "XDG_CACHE_HOME": home,
                           "XDG_CONFIG_HOME": home, "MORTISE_PLUGIN_PATH": ":".join(PLUGINS)}

            def start():
                return subprocess.Popen([HOST], env=environment, cwd=home, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

            def whole_run():
                begin = time.monotonic()
                host = start()
                out, err = host.communicate(timeout=60)
                self.assertEqual(host.returncode, 0, err)
                self.assertTrue(out)
                return out, time.monotonic() - begin

            whole_run()
            expected, seconds = whole_run()
            before = shared_objects()
            killed = 0
            for _ in range(KILLS):
                host = start()
                time.sleep(generator.uniform(0, seconds))
                host.send_signal(signal.SIGKILL)
                host.communicate()
                killed += host.returncode == -signal.SIGKILL
            self.assertGreater(killed, KILLS // 4, "most runs were over before they were killed")
            out, _ = whole_run()
            self.assertEqual(out, expected, "the run after the kills sees what the first one saw")
            self.assertEqual(os.listdir(home), [])
            self.assertEqual(shared_objects(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
