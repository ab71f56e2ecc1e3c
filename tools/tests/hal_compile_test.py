#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user of hal-compile sees: exit codes, streams, files. Usage: hal_compile_test.py HAL_COMPILE SCHEMA"""
import json
import pathlib
import subprocess
import sys
import tempfile

TOOL = sys.argv[1]
OPERATOR = """op Triple(x: T[..S]) -> y: T[..S]
  where T in floats
  attr by: float = 3
{
  y = x * by
}
"""


def run(*words):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        operator, program = path / "triple.op", path / "triple.halp"
        operator.write_text(OPERATOR, encoding="utf-8")

        code, out, err = run(operator, "--shape", "x=f32[N,130]", "--target", "elf-x86-64/1,x86-64+sse3+ssse3+sse4.1", "--json", "-o", program)
        assert code == 0, err
        report = json.loads(out)
        assert list(report)[0] == "schema_version" and report["schema_version"] == 1
        assert report["inputs"] == [{"name": "x", "dtype": "f32", "shape": ["N", 130]}], report
        schema = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
        assert set(report) == set(schema["required"]) == set(schema["properties"]), sorted(report)
        assert report["kernels"] >= 1 and report["code_bytes"] > 0
        assert program.stat().st_size > report["code_bytes"]

        code, out, err = run(operator, "--shape", "x=f32[4]", "--print-after", "portable", "--print-after", "tile", "-q")
        assert code == 0 and "// ---- after portable" in out and "// ---- after tile" in out, (out, err)
        assert "after assembly" not in out and err == "", err

        source = path / "three times.c"
        code, out, err = run(operator, "--shape", "x=f32[N,130]", "--target", "c99", "-o", source)
        assert code == 0 and out == "" and "three_times_run" in err, (out, err)
        object_file = path / "triple.o"
        subprocess.run(["cc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-c", source, "-o", object_file], check=True)
        assert b"three_times_arena_bytes" in object_file.read_bytes()
        code, _, err = run(operator, "--shape", "x=f32[4]", "--target", "c99")
        assert code == 2 and "-o FILE.c" in err, err

        assert run()[0] == 2
        assert run("--print-after", "nonsense", operator)[0] == 2
        assert run(operator, "--device", "cpu:0", "--target", "elf-x86-64/1")[0] == 2
        code, out, err = run(operator, "--shape", "x=f32[")
        assert code == 2 and "f32[4,N]" in err and out == "", err
        assert run(path / "missing.onnx")[0] == 3
        broken = path / "broken.onnx"
        broken.write_bytes(b"\xff" * 100)
        code, _, err = run(broken)
        assert code == 3 and "broken.onnx: not an ONNX model" in err, err
        code, out, _ = run("--completion", "bash")
        assert code == 0 and "--print-after" in out
        code, out, _ = run("--help")
        assert code == 0 and "Examples:" in out and "--dim" in out
    print("hal-compile: all as promised")


if __name__ == "__main__":
    main()
