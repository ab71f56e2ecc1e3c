#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers are what hal-1.0.golden says, and the rule that holds them there does see each kind of breach."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ABI = pathlib.Path(__file__).resolve().parent.parent / "abi"
sys.path.insert(0, str(ABI))
import layout  # noqa: E402

GOLDEN = (ABI / "hal-1.0.golden").read_text(encoding="utf-8")


def changed(old, new):
    assert old in GOLDEN, old
    return list(layout.breaches(GOLDEN, GOLDEN.replace(old, new)))


class Layout(unittest.TestCase):
    def test_headers_are_golden_or_appended(self):
        """To each release of this major version, not only to the last."""
        current = layout.layout(["gcc", "clang"])
        goldens = sorted(ABI.glob("hal-1.*.golden"))
        self.assertIn(ABI / layout.FIRST_GOLDEN, goldens)
        for golden in goldens:
            with self.subTest(golden.name):
                self.assertEqual(list(layout.breaches(golden.read_text(encoding="utf-8"), current)), [])

    def test_first_sizes_are_those_of_the_first_golden(self):
        self.assertEqual(layout.FIRST_SIZES.read_text(encoding="utf-8"), layout.first_sizes(GOLDEN),
                         "run hal-api/abi/layout.py update hal-api/abi/hal-1.0.golden")

    def test_golden_is_not_empty(self):
        sizes, fields, values = layout.parse(GOLDEN)
        self.assertGreater(len(sizes), 50)
        self.assertGreater(sum(len(f) for f in fields.values()), 300)
        self.assertGreater(len(values), 150)

    def test_an_append_is_allowed(self):
        last = next(line for line in GOLDEN.splitlines() if line.startswith("field hal_memory_group.buffer_export"))
        grown = GOLDEN.replace("struct hal_memory_group 104 8", "struct hal_memory_group 112 8")
        grown = grown.replace(last, last + "\nfield hal_memory_group.added 104 8 void (*)(void)")
        grown += "value HAL_NEW_CONSTANT 7\nstruct hal_new 8 8\nfield hal_new.x 0 8 uint64_t\n"
        self.assertNotEqual(grown, GOLDEN)
        self.assertEqual(list(layout.breaches(GOLDEN, grown)), [])

    def test_breaches(self):
        cases = {
            "a moved field": ("field hal_status.message 16", "field hal_status.message 24"),
            "a retyped field": ("field hal_status.vendor_code 8 8 int64_t", "field hal_status.vendor_code 8 8 uint64_t"),
            "a renamed slot": ("hal_memory_group.buffer_map ", "hal_memory_group.buffer_maps "),
            "a changed slot": ("hal_queue_group.submit 24 8 hal_status_t *(*)(hal_queue_t *, ",
                               "hal_queue_group.submit 24 8 hal_status_t *(*)("),
            "a resized struct": ("struct hal_string 16 8", "struct hal_string 24 8"),
            "another value": ("value HAL_STATUS_BUSY 9", "value HAL_STATUS_BUSY 10"),
            "a constant that went": ("value HAL_STATUS_BUSY 9\n", ""),
            "another text": ('value HAL_PLUGIN_QUERY_NAME "hal_plugin_query"', 'value HAL_PLUGIN_QUERY_NAME "query"'),
            "another function": ("function hal_time_now hal_time_t (void)", "function hal_time_now hal_time_t (int)"),
            "a field in a fixed struct": ("field hal_string.length 8 8 uint64_t",
                                          "field hal_string.length 8 8 uint64_t\nfield hal_string.more 16 8 uint64_t"),
            "a slot in the middle": ("field hal_memory_group.buffer_map ",
                                     "field hal_memory_group.new 48 8 void *\nfield hal_memory_group.buffer_map "),
        }
        for name, (old, new) in cases.items():
            with self.subTest(name):
                self.assertTrue(changed(old, new))


class ChangedHeaders(unittest.TestCase):
    """The check as CI runs it, on headers that someone changed: it fails on anything but an append."""

    def check(self, header, old, new):
        with tempfile.TemporaryDirectory() as folder:
            include = pathlib.Path(folder) / "include"
            for original in layout.INCLUDES:
                shutil.copytree(original, include, dirs_exist_ok=True)
            path = include / "hal" / header
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, f"{header} has no such place: {old}")
            path.write_text(text.replace(old, new), encoding="utf-8")
            command = [sys.executable, ABI / "layout.py", "check", ABI / "hal-1.0.golden", "--include", include]
            return subprocess.run(command, text=True, capture_output=True)

    def test_unchanged_headers_and_appends_pass(self):
        for header, old, new in [
            ("memory.h", "} hal_heap_info_t;", "  uint64_t added;\n} hal_heap_info_t;"),
            ("device.h", "} hal_device_group_t;", "  void (*added)(void);\n} hal_device_group_t;"),
            ("base.h", "#define HAL_TIME_POLL", "#define HAL_ADDED 1\n#define HAL_TIME_POLL"),
            ("base.h", "#define HAL_ABI_MINOR 0u", "#define HAL_ABI_MINOR 1u"),
        ]:
            with self.subTest(new):
                done = self.check(header, old, new)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_anything_else_fails_and_is_named(self):
        slot = "  hal_status_t* (*config_keys)(uint32_t capacity, uint32_t* out_count, hal_config_key_t* out_keys);\n"
        for name, header, old, new in [
            ("hal_heap_info", "memory.h", "  uint64_t granularity; ", "  uint64_t added;\n  uint64_t granularity; "),
            ("hal_heap_info", "memory.h", "  uint64_t granularity; ", "  uint32_t granularity, added; "),
            ("hal_device_group", "device.h", slot, ""),
            ("hal_device_group", "device.h", slot, "  hal_status_t* (*config_keys)(uint32_t capacity);\n"),
            ("hal_device_group", "device.h", slot, "  void (*added)(void);\n" + slot),
            ("hal_string", "base.h", "} hal_string_t;", "  uint64_t added;\n} hal_string_t;"),
            ("HAL_CHAIN_MAX_DEPTH", "base.h", "#define HAL_CHAIN_MAX_DEPTH 64u", "#define HAL_CHAIN_MAX_DEPTH 32u"),
            ("hal_time_now", "loader.h", "hal_time_t hal_time_now(void);", "hal_time_t hal_time_now(int clock);"),
        ]:
            with self.subTest(new):
                done = self.check(header, old, new)
                self.assertEqual(done.returncode, 1)
                self.assertIn(name, done.stderr)
                self.assertIn("HAL-ABI-03", done.stderr)


if __name__ == "__main__":
    unittest.main()
