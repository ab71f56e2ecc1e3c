#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the real models (from Python wheels) and compares each with ONNX Runtime's outputs through hal-run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
models=${MORTISE_MODELS:-build/models}
if [ ! -x build/venv/bin/python ]; then
  python3 -m venv build/venv
  build/venv/bin/pip install --quiet -r scripts/requirements.txt
fi
build/venv/bin/python scripts/fetch_models.py --out "$models"
failed=0
for model in "$models"/*/model.onnx; do
  build/release/bin/hal-run "$model" --device cpu:0 --test-data "$(dirname "$model")" --scale-tolerance 1e-3 || failed=1
done
exit $failed
