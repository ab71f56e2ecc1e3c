#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches real models from Python wheels, with inputs and ONNX Runtime's outputs, for `hal-run MODEL --test-data DIR`.

  fetch_models.py [--out DIR] [--only NAME] [--force]        default DIR: ~/.cache/mortise/models

Each model gets a folder DIR/NAME: model.onnx, and test_data_set_N with input_I.npy and output_I.npy. The weights of the
"light" models of the onnx wheel are constants; they are refilled at random (seeded), in scales that keep activations
of order one. The text detector's height and width are declared as multiples of 32, as its five halvings need, and the
text recogniser's height as 48, for which it was trained. Needs scripts/requirements.txt and, the first time, network.
"""
import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from PIL import Image, ImageDraw, ImageFont
from sklearn.datasets import load_sample_images

OCR_WHEEL = "rapidocr-onnxruntime==1.4.4"
SEED = 20240607


def ocr_models(cache):
    """The folder of the OCR wheel's models; the wheel is downloaded and unpacked, not installed."""
    folder = cache / "wheels" / OCR_WHEEL
    if not list(folder.glob("**/*.onnx")):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, OCR_WHEEL], check=True)
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.endswith(".onnx")]
                archive.extractall(folder, names)
    return next(folder.glob("**/models"))


def photograph(index, width, height):
    """One of scikit-learn's sample photographs, with some text written into it: something to detect."""
    image = Image.fromarray(load_sample_images().images[index]).resize((width, height))
    draw = ImageDraw.Draw(image)
    for line, text in enumerate(("Mortise reads 360 scans", "640 x 480", "exit code 0")):
        draw.text((width // 10, height // 6 + line * height // 4), text, fill="white", font=ImageFont.load_default(size=28))
    return image


def line_of_text(text, width):
    image = Image.new("RGB", (width, 48), "white")
    ImageDraw.Draw(image).text((8, 6), text, fill="black", font=ImageFont.load_default(size=30))
    return image


def pixels(image, mean, scale):
    """[1, 3, H, W] of f32 in the order blue, green, red."""
    values = np.asarray(image, dtype=np.float32)[:, :, ::-1] / 255.0
    return ((values - np.float32(mean)) / np.float32(scale)).transpose(2, 0, 1)[None].astype(np.float32).copy()


def detection_input(index, width, height):
    return pixels(photograph(index, width, height), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def recognition_input(text, width):
    return pixels(line_of_text(text, width), 0.5, 0.5)


def declare(model, **extents):
    """Writes extents (numbers or expressions) into the shape of the first input; keys: d0, d1, ..."""
    dims = model.graph.input[0].type.tensor_type.shape.dim
    for key, value in extents.items():
        if isinstance(value, int):
            dims[int(key[1:])].dim_value = value
        else:
            dims[int(key[1:])].dim_param = value
    return model


def random_weights(name, shape, draw):
    """He-style by the part that the name says; batch normalisation: scale and variance near 1."""
    if "bn_riv" in name or "bn_s" in name:
        # The last scale of a residual branch is small, so that the sum of branches does not grow with depth.
        return draw.uniform(0.2, 0.4, shape) if "branch2c_bn_s" in name else draw.uniform(0.8, 1.2, shape)
    if len(shape) < 2:
        return draw.normal(0.0, 0.05, shape)
    return draw.normal(0.0, math.sqrt(2.0 / math.prod(shape[1:])), shape)


def refilled(path):
    """A light model with ConstantOfShape weights replaced by initialisers of random numbers."""
    model = onnx.load(path)
    graph, draw = model.graph, np.random.default_rng(SEED)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    fillers = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    weights = {node.output[0]: tuple(int(n) for n in shapes[node.input[0]]) for node in fillers}
    floats = [t for t in graph.initializer if t.data_type == onnx.TensorProto.FLOAT]
    weights.update({tensor.name: tuple(tensor.dims) for tensor in floats if tensor.name not in weights})
    replaced = set(weights) | {node.input[0] for node in fillers}
    kept = [tensor for tensor in graph.initializer if tensor.name not in replaced]
    filled = [numpy_helper.from_array(random_weights(n, s, draw).astype(np.float32), n) for n, s in sorted(weights.items())]
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    inputs = [value for value in graph.input if value.name not in replaced | {tensor.name for tensor in kept}]
    for field, values in ((graph.initializer, kept + filled), (graph.node, nodes), (graph.input, inputs)):
        del field[:]
        field.extend(values)
    model.ir_version = 8  # from version 4 on an initialiser need not be an input
    onnx.checker.check_model(model)
    return model


def light_model(name):
    return refilled(pathlib.Path(onnx.__file__).parent / "backend/test/data/light" / f"{name}.onnx")


def imagenet_inputs():
    return [pixels(photograph(index, 224, 224), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)) for index in (0, 1)]


def models(cache):
    """name -> (how to get the model, how to get its inputs)."""

    def ocr(file):
        return onnx.load(ocr_models(cache) / file)

    return {
        "ocr_detection": (
            lambda: declare(ocr("ch_PP-OCRv4_det_infer.onnx"), d2="32*h", d3="32*w"),
            lambda: [detection_input(0, 640, 480), detection_input(1, 736, 320)],
        ),
        "ocr_recognition": (
            lambda: declare(ocr("ch_PP-OCRv4_rec_infer.onnx"), d2=48),
            lambda: [recognition_input("Mortise 2024", 320), recognition_input("hal-run", 160)],
        ),
        "ocr_orientation": (
            lambda: ocr("ch_ppocr_mobile_v2.0_cls_infer.onnx"),
            lambda: [recognition_input("upright", 192), recognition_input("turned", 192)[:, :, ::-1, ::-1].copy()],
        ),
        "light_resnet50": (lambda: light_model("light_resnet50"), imagenet_inputs),
        "light_squeezenet": (lambda: light_model("light_squeezenet"), imagenet_inputs),
    }


def check(name, outputs):
    for output in outputs:
        if not np.isfinite(output).all() or float(np.ptp(output)) == 0.0:
            raise SystemExit(f"{name}: an output is constant or not finite, which would test nothing")


def write(folder, name, model, inputs):
    partial = folder.with_name(folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    onnx.save(model, partial / "model.onnx")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for index, value in enumerate(inputs):
        outputs = session.run(None, {session.get_inputs()[0].name: value})
        check(name, outputs)
        case = partial / f"test_data_set_{index}"
        case.mkdir()
        np.save(case / "input_0.npy", value)
        for number, output in enumerate(outputs):
            np.save(case / f"output_{number}.npy", output)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)  # whole or not at all


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "mortise/models"
    parser.add_argument("--out", type=pathlib.Path, default=default, help="where the models go")
    parser.add_argument("--only", help="only the model of this name")
    parser.add_argument("--force", action="store_true", help="make them again, even if they are there")
    options = parser.parse_args()
    known = models(options.out.parent)
    if options.only not in (None, *known):
        parser.error(f"--only: expected one of {', '.join(known)}")
    for name, (get_model, get_inputs) in known.items():
        folder = options.out / name
        if options.only not in (None, name) or (folder.exists() and not options.force):
            continue
        print(f"fetch_models: {name}", file=sys.stderr)
        write(folder, name, get_model(), get_inputs())
    print(options.out)


if __name__ == "__main__":
    main()
