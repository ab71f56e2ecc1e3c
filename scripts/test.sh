#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test on a fresh Debian 12: install, build, run. With --nightly also the slow suites: sanitizers, fuzzers, models.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
nightly=0
for argument in "$@"; do
  case "$argument" in
    --nightly) nightly=1 ;;
    -h|--help) echo "usage: scripts/test.sh [--nightly]"; exit 0 ;;
    *) echo "test: unknown option $argument; usage: scripts/test.sh [--nightly]" >&2; exit 2 ;;
  esac
done

scripts/build.sh release
[ "$nightly" -eq 1 ] && scripts/nightly.sh
exec ctest --preset release
