#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applications of ABI 1.0 to 1.4, over libhal 1.0 and 1.4, with plugins of 1.0 to 1.4: all of them together.

  versions_test.py FOLDER LIBHAL_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER, LIBHAL = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
MINORS = range(5)
LIBHALS = {0: LIBHAL, 4: FOLDER / "1.4"}


class Versions(unittest.TestCase):
    def test_each_with_each(self):
        runs = 0
        for libhal, where in LIBHALS.items():
            for host in MINORS:
                for plugin in MINORS:
                    with self.subTest(host=f"1.{host}", libhal=f"1.{libhal}", plugin=f"1.{plugin}"):
                        path = FOLDER / f"1.{plugin}/version_plugin_{plugin}.so"
                        done = subprocess.run([FOLDER / f"1.{host}/version_host_{host}", str(libhal), path, str(plugin)],
                                              text=True, capture_output=True, timeout=60,
                                              env={**os.environ, "LD_LIBRARY_PATH": str(where)})
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                        runs += 1
        self.assertEqual(runs, 50)

    def test_the_wrong_expectation_is_seen(self):
        """A host that is told that an old plugin is newer must complain: else this test sees nothing."""
        done = subprocess.run([FOLDER / "1.2/version_host_2", "0", FOLDER / "1.0/version_plugin_0.so", "2"], text=True,
                              capture_output=True, timeout=60, env={**os.environ, "LD_LIBRARY_PATH": str(LIBHAL)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected:", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
