#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digits network and writes digits.onnx, test_images.npy, test_labels.npy and expected.npy.

Run by hand, when the network is to change; the build uses the files that it wrote. expected.npy is what ONNX Runtime
answers for the images. Needs numpy, scikit-learn, onnx and onnxruntime (scripts/requirements.txt). Data: scikit-learn's load_digits, 1,797 scans of 8x8 pixels with values 0..16 (the test part
of the UCI Optical Recognition of Handwritten Digits set); 360 of them are held out. Everything is seeded.
"""
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

EPOCHS, BATCH, RATE = 60, 64, 2e-3
HERE = pathlib.Path(__file__).parent


def columns(x):
    """[N, C, H, W] padded by one -> [N, H, W, C*9]: the 3x3 neighbourhoods."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    view = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return view.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


def uncolumns(g, c):
    """The transpose of columns: gradients of neighbourhoods added back to pixels."""
    n, h, w, _ = g.shape
    g = g.reshape(n, h, w, c, 3, 3)
    x = np.zeros((n, c, h + 2, w + 2), g.dtype)
    for i in range(3):
        for j in range(3):
            x[:, :, i : i + h, j : j + w] += g[:, :, :, :, i, j].transpose(0, 3, 1, 2)
    return x[:, :, 1:-1, 1:-1]


class Conv:
    def __init__(self, rng, cin, cout):
        self.p = [rng.normal(0, np.sqrt(2 / (9 * cin)), (cout, cin * 9)), np.zeros(cout)]

    def forward(self, x):
        self.c, self.cols = x.shape[1], columns(x)
        self.y = (self.cols @ self.p[0].T + self.p[1]).transpose(0, 3, 1, 2)
        return np.maximum(self.y, 0)

    def backward(self, g):
        g = (g * (self.y > 0)).transpose(0, 2, 3, 1)
        flat = g.reshape(-1, g.shape[-1])
        self.g = [flat.T @ self.cols.reshape(flat.shape[0], -1), flat.sum(0)]
        return uncolumns(g @ self.p[0], self.c)


class Pool:
    p = g = ()

    def forward(self, x):
        n, c, h, w = x.shape
        self.shape = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // 2, w // 2, 4)
        self.arg = blocks.argmax(-1)
        return blocks.max(-1)

    def backward(self, g):
        n, c, h, w = self.shape
        out = np.zeros((*g.shape, 4))
        np.put_along_axis(out, self.arg[..., None], g[..., None], -1)
        return out.reshape(n, c, h // 2, w // 2, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(self.shape)


class Dense:
    def __init__(self, rng, cin, cout):
        self.p = [rng.normal(0, np.sqrt(1 / cin), (cout, cin)), np.zeros(cout)]

    def forward(self, x):
        self.shape, self.x = x.shape, x.reshape(len(x), -1)
        return self.x @ self.p[0].T + self.p[1]

    def backward(self, g):
        self.g = [g.T @ self.x, g.sum(0)]
        return (g @ self.p[0]).reshape(self.shape)


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def train(layers, x, y, rng):
    moments = [[(np.zeros_like(p), np.zeros_like(p)) for p in layer.p] for layer in layers]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(x))
        for begin in range(0, len(x), BATCH):
            pick = order[begin : begin + BATCH]
            shift = rng.integers(-1, 2, 2)  # one pixel of translation, so that position is not learnt by heart
            logits = forward(layers, np.roll(x[pick], shift, (2, 3)))
            prob = np.exp(logits - logits.max(1, keepdims=True))
            prob /= prob.sum(1, keepdims=True)
            prob[np.arange(len(pick)), y[pick]] -= 1
            grad = prob / len(pick)
            for layer in reversed(layers):
                grad = layer.backward(grad)
            step += 1
            for layer, moment in zip(layers, moments):  # Adam, Kingma and Ba 2015
                for p, g, (m, v) in zip(layer.p, layer.g, moment):
                    m += 0.1 * (g - m)
                    v += 0.001 * (g * g - v)
                    p -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)


def export(layers, path):
    conv1, conv2, dense = layers[0], layers[2], layers[4]
    weights = {
        "conv1.weight": conv1.p[0].reshape(16, 1, 3, 3), "conv1.bias": conv1.p[1],
        "conv2.weight": conv2.p[0].reshape(32, 16, 3, 3), "conv2.bias": conv2.p[1],
        "dense.weight": dense.p[0], "dense.bias": dense.p[1],
    }
    pads, pool = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1]), dict(kernel_shape=[2, 2], strides=[2, 2])
    nodes = [
        helper.make_node("Div", ["image", "scale"], ["scaled"], "scale_pixels"),
        helper.make_node("Conv", ["scaled", "conv1.weight", "conv1.bias"], ["a1"], "conv1", **pads),
        helper.make_node("Relu", ["a1"], ["r1"], "relu1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", **pool),
        helper.make_node("Conv", ["p1", "conv2.weight", "conv2.bias"], ["a2"], "conv2", **pads),
        helper.make_node("Relu", ["a2"], ["r2"], "relu2"),
        helper.make_node("MaxPool", ["r2"], ["p2"], "pool2", **pool),
        helper.make_node("Flatten", ["p2"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", "dense.weight", "dense.bias"], ["logits"], "dense", transB=1),
        helper.make_node("Softmax", ["logits"], ["probability"], "softmax", axis=1),
    ]
    initialisers = [numpy_helper.from_array(v.astype(np.float32), k) for k, v in weights.items()]
    initialisers.append(numpy_helper.from_array(np.float32(16), "scale"))
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["batch", 10])], initialisers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], producer_name="mortise digits example")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    digits = load_digits()
    x = digits.images.astype(np.float64)[:, None]
    x_train, x_test, y_train, y_test = train_test_split(
        x, digits.target, test_size=360, random_state=0, stratify=digits.target)
    rng = np.random.default_rng(0)
    layers = [Conv(rng, 1, 16), Pool(), Conv(rng, 16, 32), Pool(), Dense(rng, 32 * 4, 10)]
    train(layers, x_train / 16, y_train, rng)
    right = forward(layers, x_test / 16).argmax(1) == y_test
    print(f"held-out: {right.sum()} of {len(right)} right ({right.mean():.2%})")
    export(layers, HERE / "digits.onnx")
    np.save(HERE / "test_images.npy", x_test.astype(np.float32))
    np.save(HERE / "test_labels.npy", y_test.astype(np.int64))
    session = onnxruntime.InferenceSession(HERE / "digits.onnx")
    expected = session.run(None, {"image": x_test.astype(np.float32)})[0]
    np.save(HERE / "expected.npy", expected)
    print(f"ONNX Runtime {onnxruntime.__version__}: {(expected.argmax(1) == y_test).mean():.2%}")


if __name__ == "__main__":
    main()
