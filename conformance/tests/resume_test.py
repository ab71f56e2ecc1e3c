#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the runner at random moments and resumes: the verdicts are those of a run that was left alone. Also: the
report fits its schema, reproduce and diff do what they say, and exit codes are the documented ones."""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

TOOL, PLUGIN, FAULTY, SCHEMA = sys.argv[1:5]


def run(*words, **options):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=280, **options)


def verdicts(folder):
    report = json.loads((folder / "report.json").read_text())
    return {case["name"]: case["verdict"] for case in report["cases"]}, report["totals"]


def check(holds, what):
    if not holds:
        sys.exit(f"resume_test: {what}")


def kill_and_resume(folder, arguments, seed):
    """Starts, kills and resumes until a run ends by itself; returns how often it was killed."""
    rng = random.Random(seed)
    kills = 0
    extra = []
    while True:
        process = subprocess.Popen([TOOL, *arguments, *extra, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=rng.uniform(0.05, 0.4) if kills < 8 else 280)
            return kills, process.returncode
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            extra = ["--resume"]


def main():
    with tempfile.TemporaryDirectory() as temporary:
        base = pathlib.Path(temporary)
        faulty = ["--plugin", FAULTY, "--config", "faulty.fault=crash", "--jobs", "2", "--filter", "runtime.*"]
        whole = run(*faulty, "-q", "--out", str(base / "whole"))
        check(whole.returncode == 1, f"a run with a failure ended with {whole.returncode}: {whole.stderr}")
        kills = 0
        for attempt in range(3):
            folder = base / f"killed{attempt}"
            count, code = kill_and_resume(folder, [*faulty, "--out", str(folder)], attempt)
            kills += count
            check(code == 1, f"the resumed run ended with {code}")
            check(verdicts(folder) == verdicts(base / "whole"), "a run that was killed and resumed has other verdicts")
        check(kills >= 3, f"only {kills} kills; the test did not test")

        good = run("--plugin", PLUGIN, "-q", "--filter", "runtime.copy.*", "--out", str(base / "good"))
        check(good.returncode == 0, f"a good run ended with {good.returncode}: {good.stdout}{good.stderr}")
        try:
            import jsonschema
            jsonschema.validate(json.loads((base / "whole" / "report.json").read_text()), json.loads(pathlib.Path(SCHEMA).read_text()))
        except ImportError:
            print("python3-jsonschema is not there; the schema was not checked")

        report = json.loads((base / "whole" / "report.json").read_text())
        bad = [case for case in report["cases"] if case["verdict"] == "CRASH"]
        check(bad, "the crashing plugin has no CRASH")
        again = run("-q", "reproduce", bad[0]["reproduce"])
        check(again.returncode == 1 and "CRASH" in again.stdout, f"reproduce gave {again.returncode}: {again.stdout}{again.stderr}")

        same = run("diff", str(base / "good" / "report.json"), str(base / "good" / "report.json"))
        check(same.returncode == 0, "a report differs from itself")
        other = run("diff", str(base / "whole" / "report.json"), str(base / "good" / "report.json"))
        check(other.returncode == 1, "two reports of other cases do not differ")

        check(run().returncode == 2, "no target is wrong use")
        check(run("--plugin", PLUGIN, "--profile", "none").returncode == 2, "an unknown profile is wrong use")
        check(run("--plugin", PLUGIN, "--shard", "3/2").returncode == 2, "a shard that cannot be is wrong use")
        check(run("--plugin", "/nowhere/x.so").returncode == 3, "no such plugin is exit code 3")
        check(run("diff", "/nowhere/a.json", "/nowhere/b.json").returncode == 3, "no such report is exit code 3")
        check(run("--version").returncode == 0 and run("--help").returncode == 0, "--version and --help are good")
        check(run("--plugin", PLUGIN, "--plan").returncode == 0, "--plan is good")
    print(f"resume_test: {kills} kills, equal verdicts")


if __name__ == "__main__":
    main()
