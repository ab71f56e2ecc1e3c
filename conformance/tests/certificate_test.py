#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a run to a verified certificate with the tool itself; each tampering is refused with its own reason and exit
code 1; report, waivers and certificate fit their schemas."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOL, PLUGIN, FAULTY, REPORT_SCHEMA, SCHEMAS = sys.argv[1:6]


def run(*words):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=280)


def check(holds, what):
    if not holds:
        sys.exit(f"certificate_test: {what}")


def expect(code, reason, *words):
    done = run(*words)
    check(done.returncode == code and reason in done.stderr + done.stdout,
          f"{words}: expected exit code {code} and '{reason}', got {done.returncode}: {done.stdout}{done.stderr}")
    return done


def check_schemas(out):
    try:
        import jsonschema
        from referencing import Registry, Resource
    except ImportError:
        print("python3-jsonschema is not there; the schemas were not checked")
        return
    folder = pathlib.Path(SCHEMAS)
    waivers = json.loads((folder / "waivers.schema.json").read_text())
    registry = Registry().with_resource("waivers.schema.json", Resource.from_contents(waivers))
    for schema, document in [(folder / "certificate.schema.json", out / "certificate.json"), (pathlib.Path(REPORT_SCHEMA), out / "report.json")]:
        jsonschema.Draft202012Validator(json.loads(schema.read_text()), registry=registry).validate(json.loads(document.read_text()))


def main():
    with tempfile.TemporaryDirectory() as temporary:
        base = pathlib.Path(temporary)
        key, other, out, report = base / "key", base / "other", base / "out", base / "out" / "report.json"
        expect(0, "", "keygen", key)
        expect(2, "cannot be made", "keygen", key)
        expect(0, "", "keygen", other)
        expect(0, "", "-q", "--plugin", PLUGIN, "--level", "runtime", "--jobs", "2", "--out", out)
        expect(0, "certificate", "sign", out, "--key", key)
        certificate = out / "certificate.json"
        verify = ["verify", certificate, "--trusted-key", f"{key}.pub"]
        expect(0, "level runtime: passed", *verify, "--plugin", PLUGIN)
        check_schemas(out)
        check((out / "certificate.svg").read_text().startswith("<svg"), "no badge")
        check("http" not in (out / "certificate.html").read_text(), "the page fetches something")

        expect(1, "another plugin:", *verify, "--plugin", FAULTY)
        expect(1, "untrusted key:", "verify", certificate, "--trusted-key", f"{other}.pub")
        expect(3, "", "verify", base / "none.json", "--trusted-key", f"{key}.pub")
        expect(3, "PEM", "verify", certificate, "--trusted-key", report)
        expect(2, "--day", *verify, "--day", "tomorrow")

        original = report.read_text()
        report.write_text(original + " ")
        expect(1, "another report:", *verify)
        altered = base / "altered.json"
        altered.write_text(certificate.read_text().replace('"PASS"', '"FAIL"', 1))
        expect(1, "altered:", "verify", altered, "--trusted-key", f"{key}.pub")
        elsewhere = base / "elsewhere.json"
        shutil.copy(certificate, elsewhere)
        expect(0, "was not compared", "verify", elsewhere, "--trusted-key", f"{key}.pub")

        document = json.loads(original)
        dropped = document["cases"].pop()
        document["totals"]["planned"] -= 1
        document["totals"][dropped["verdict"]] -= 1
        report.write_text(json.dumps(document))
        expect(1, "another suite's list:", "sign", out, "--key", key)
        document = json.loads(original)
        document["target"]["plugin_sha256"] = "0" * 64
        report.write_text(json.dumps(document))
        expect(1, "another plugin:", "sign", out, "--key", key)

        expect(0, "", "-q", "--plugin", PLUGIN, "--filter", "runtime.copy.*", "--out", base / "part")
        expect(1, "missing cases:", "sign", base / "part", "--key", key)
        expect(1, "", "-q", "--plugin", FAULTY, "--config", "faulty.fault=crash", "--level", "runtime", "--jobs", "2", "--out", base / "bad")
        bad = [case["name"] for case in json.loads((base / "bad" / "report.json").read_text())["cases"] if case["verdict"] == "CRASH"]
        waivers = base / "waivers.json"
        waivers.write_text(json.dumps({"schema_version": 1, "waivers": [
            {"case": name, "reason": "a known fault", "owner": "the tests", "expires": "2099-01-01"} for name in bad]}))
        expect(0, "passed with waivers", "-q", "--plugin", FAULTY, "--config", "faulty.fault=crash", "--level", "runtime",
               "--jobs", "2", "--waivers", waivers, "--out", base / "waived")
        expect(0, "", "sign", base / "waived", "--key", key)
        waived = ["verify", base / "waived" / "certificate.json", "--trusted-key", f"{key}.pub"]
        expect(0, "passed with waivers", *waived, "--day", "2099-01-01")
        expect(1, "expired waiver:", *waived, "--day", "2099-01-02")
    print("certificate_test: good")


if __name__ == "__main__":
    main()
