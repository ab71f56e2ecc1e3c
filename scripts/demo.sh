#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on a fresh Debian 12: install, build, show the CPU, certify it, and let a trained network read scans.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
step() { printf '\n== %s\n' "$*" >&2; }

step "Build"
scripts/build.sh release hal-info hal-compile hal-run hal-conformance digits mortise_cpu

bin=build/release/bin
step "Devices: $bin/hal-info"
"$bin/hal-info"

step "Digits: a network that scikit-learn's scans trained, through the same ABI as any chip"
"$bin/digits" --device cpu:0 examples/digits

step "Certify the CPU: $bin/hal-conformance --device cpu:0 --profile smoke --out out/cpu"
"$bin/hal-conformance" --device cpu:0 --profile smoke --jobs "$(nproc)" --out out/cpu
echo "Report: file://$root/out/cpu/report.html"
