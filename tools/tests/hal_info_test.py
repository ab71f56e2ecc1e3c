#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hal-info as a user sees it: exit codes, what goes to which stream, JSON that keeps to its schema, completion.

  hal_info_test.py HAL_INFO ZOO_FOLDER SCHEMA_FOLDER
"""
import json
import os
import pathlib
import pty
import statistics
import subprocess
import sys
import time
import unittest

HAL_INFO, ZOO, SCHEMAS = sys.argv[1:4]
SCHEMA, WATCH_SCHEMA = f"{SCHEMAS}/hal-info.schema.json", f"{SCHEMAS}/hal-info-watch.schema.json"
TELEMETRY = f"{sys.argv[2]}/mortise_telemetry.so"
GOOD, BAD = f"{ZOO}/mortise_good.so", f"{ZOO}/mortise_wrong_major.so"


def run(*arguments, **environment):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run([HAL_INFO, *arguments], text=True, capture_output=True, env=environment)


def schema_errors(value, schema, where="$"):
    """The part of JSON Schema that our schemas use."""
    types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if not any(isinstance(value, types[name]) and not isinstance(value, bool) for name in names):
        return [f"{where}: {value!r} is not {names}"]
    errors = []
    if "enum" in schema and value not in schema["enum"]:
        errors.append(f"{where}: {value!r} is not one of {schema['enum']}")
    if isinstance(value, dict):
        errors += [f"{where}: {key} is missing" for key in schema["required"] if key not in value]
        errors += [f"{where}: {key} is not in the schema" for key in value if key not in schema["properties"]]
        for key in value.keys() & schema["properties"].keys():
            errors += schema_errors(value[key], schema["properties"][key], f"{where}.{key}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            errors += schema_errors(item, schema["items"], f"{where}[{index}]")
    return errors


class HalInfo(unittest.TestCase):
    def check_json(self, result):
        value = json.loads(result.stdout)
        self.assertEqual(next(iter(value)), "schema_version")
        self.assertEqual(schema_errors(value, json.loads(pathlib.Path(SCHEMA).read_text(encoding="utf-8"))), [])
        return value

    def test_table(self):
        result = run("--plugin", GOOD)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("zoo-good:0", result.stdout)
        self.assertNotIn("\x1b", result.stdout)

    def test_details(self):
        for name in "zoo-good:0", "zoo-good", "7a6f6f2d-676f-6f64-2e2e-2e2e2e2e2e2e":
            result = run("--plugin", GOOD, name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("largest buffer", result.stdout)

    def test_json(self):
        result = run("--json", "--plugin", GOOD, "--plugin", f"{ZOO}/mortise_future_minor.so")
        self.assertEqual(result.returncode, 0, result.stderr)
        value = self.check_json(result)
        self.assertEqual([device["name"] for device in value["devices"]], ["zoo-future-minor:0", "zoo-good:0"])
        self.assertEqual(value["devices"][1]["heaps"][0]["size"], 1 << 20)
        self.assertEqual([plugin["abi"] for plugin in value["plugins"]], ["1.3", "1.0"])

    def test_a_device_with_a_problem(self):
        value = self.check_json(run("--json", "--plugin", f"{ZOO}/mortise_claims_too_much.so"))
        self.assertIn("executable.can_load", value["devices"][0]["problem"])

    def test_diagnose(self):
        result = run("diagnose", "--json", "--plugin", GOOD, "--plugin", BAD)
        self.assertEqual(result.returncode, 0, result.stderr)
        files = self.check_json(result)["files"]
        self.assertEqual([file["verdict"] for file in files], ["taken", "refused"])
        self.assertIn("9.2", files[1]["reason"])
        text = run("--plugin", GOOD, "--plugin", BAD, "diagnose").stdout
        self.assertIn("refused", text)
        self.assertIn("speaks ABI 9.2", text)

    def test_tree(self):
        result = run("--tree", "--plugin", GOOD, "--plugin", TELEMETRY)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "zoo-good 1.0.0 (ABI 1.0)")
        for line in "`-- zoo-good:0  A device of zoo-good", "    |-- heaps", "    |-- queues: at most 8":
            self.assertIn(line, lines)
        self.assertIn("temperature.core [Cel]", result.stdout)
        broken = run("--tree", "--plugin", f"{ZOO}/mortise_claims_too_much.so").stdout
        self.assertIn("problem: ", broken)

    def test_watch(self):
        result = run("--watch", "0.01", "--count", "3", "--plugin", TELEMETRY, "--plugin", GOOD)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.count("temperature.core"), 3)
        self.assertIn("36.5 Cel", result.stdout)
        self.assertIn("unavailable", result.stdout)

    def test_watch_json(self):
        begin = time.monotonic()
        result = run("--watch", "0.2", "--count", "3", "--json", "--plugin", TELEMETRY)
        self.assertGreaterEqual(time.monotonic() - begin, 0.4)
        readings = [json.loads(line) for line in result.stdout.splitlines()]
        schema = json.loads(pathlib.Path(WATCH_SCHEMA).read_text(encoding="utf-8"))
        for reading in readings:
            self.assertEqual(schema_errors(reading, schema), [])
        self.assertEqual([reading["metrics"][1]["value"] for reading in readings], [1, 2, 3])
        self.assertIsNone(readings[0]["metrics"][2]["value"])
        listed = self.check_json(run("--json", "--plugin", TELEMETRY))["devices"][0]["telemetry"]
        self.assertEqual([metric["kind"] for metric in listed], ["gauge", "counter", "gauge"])

    def test_watch_of_nothing_and_wrong_use(self):
        self.assertEqual(run("--watch", "1", "--plugin", GOOD).returncode, 3)
        for wrong in (["--watch", "0"], ["--watch", "x"], ["--count", "3"], ["--watch", "1", "--tree"]):
            self.assertEqual(run(*wrong, "--plugin", GOOD).returncode, 2, wrong)

    def test_watch_ends_when_its_reader_goes(self):
        command = f"'{HAL_INFO}' --watch 0.001 --plugin '{TELEMETRY}' | head -1"
        done = subprocess.run(["timeout", "20", "bash", "-c", command], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("temperature.core", done.stdout)

    def test_a_late_plugin_is_a_timeout(self):
        result = run("diagnose", "--json", MORTISE_PLUGIN_PATH=f"{ZOO}/mortise_hangs_in_query.so:{GOOD}",
                     MORTISE_PROBE_TIMEOUT="1000")
        self.assertEqual(result.returncode, 0, result.stderr)
        files = self.check_json(result)["files"]
        self.assertEqual([(file["verdict"], file["code"]) for file in files], [("refused", "timeout"), ("taken", "")])

    def test_exit_codes(self):
        self.assertEqual(run("--no-such-option").returncode, 2)
        self.assertEqual(run("--plugin").returncode, 2)
        self.assertEqual(run("--plugin", "/no/such.so").returncode, 3)
        self.assertEqual(run("--plugin", BAD).returncode, 3)
        self.assertEqual(run("--plugin", GOOD, "cpu:9").returncode, 3)
        self.assertEqual(run(MORTISE_PLUGIN_PATH="/no/such/folder").returncode, 3)
        self.assertEqual(run(MORTISE_PLUGIN_FILTER="a;b").returncode, 2)

    def test_an_error_names_what_exists(self):
        result = run("--plugin", GOOD, "cpu:9")
        self.assertEqual(result.stdout, "")
        self.assertIn("zoo-good:0", result.stderr)

    def test_results_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([HAL_INFO, "--plugin", GOOD], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("standard output", result.stderr)

    def test_help_and_version(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("hal-info diagnose", result.stdout)
        self.assertRegex(run("--version").stdout, r"^hal-info \d+\.\d+\.\d+\n$")

    def test_quiet_and_verbose(self):
        self.assertEqual(run("--quiet", "--verbose", "--plugin", GOOD).stderr, "")
        self.assertIn("opening", run("--verbose", "--plugin", GOOD).stderr)

    def test_completion(self):
        for shell in "bash", "zsh", "fish":
            script = run("--completion", shell)
            self.assertEqual(script.returncode, 0)
            for word in "json", "plugin", "diagnose", "completion":
                self.assertIn(word, script.stdout)
        source = run("--completion", "bash").stdout
        check = source + "\nCOMP_WORDS=(hal-info --js); COMP_CWORD=1; _complete_hal_info; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", check], text=True, capture_output=True)
        self.assertEqual((done.stdout, done.stderr), ("--json\n", ""))
        self.assertEqual(run("--completion", "tcsh").returncode, 2)

    def test_colour_is_for_terminals(self):
        main, side = pty.openpty()
        subprocess.run([HAL_INFO, "--plugin", GOOD], stdout=side, check=True)
        os.close(side)
        self.assertIn(b"\x1b[1m", os.read(main, 65536))
        os.close(main)

    def test_it_starts_fast(self):
        times = []
        for _ in range(11):
            begin = time.monotonic()
            run("--plugin", GOOD)
            times.append(time.monotonic() - begin)
        self.assertLess(statistics.median(times), 0.25, "a cold start takes a few milliseconds; 50 is the promise")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
