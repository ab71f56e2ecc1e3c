#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The slow suites: address, undefined-behaviour and thread sanitizers, C files on other machines, a minute of each fuzzer,
# the real models.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
seconds=${MORTISE_FUZZ_SECONDS:-60}

scripts/install.sh packages-nightly.txt
ctest --preset release -R '^Toolchains/'

for preset in asan-ubsan tsan; do
  scripts/build.sh "$preset"
  ctest --preset "$preset"
done

scripts/build.sh fuzz
for fuzzer in build/fuzz/bin/*fuzz*; do
  name=$(basename "$fuzzer")
  mkdir -p "build/fuzz/corpus/$name"
  "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=4096 -print_final_stats=1 "build/fuzz/corpus/$name" \
    >"build/fuzz/$name.log" 2>&1 || { tail -n 40 "build/fuzz/$name.log" >&2; exit 1; }
  echo "fuzz: $name clean for $seconds s"
done

scripts/check_models.sh
