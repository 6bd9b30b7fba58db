"""Write the graphs of the bundled encoder without its weights: `python -m tools.encoder_graph`.

The lower graph has the first four layers, the upper one the last two. The weights are those of the installed
package, which `convgate.embedding.minilm` hands to onnxruntime under the names that they have there.
"""

from __future__ import annotations

import onnx
from onnx import NodeProto, TensorProto, helper

from convgate.embedding.minilm import HEADS, HIDDEN, LAYERS, LOWER_GRAPH, UPPER_GRAPH
from convgate.embedding.spans import STATE_LAYERS

_INNER = 4 * HIDDEN
_EPSILON = 1e-12
_FUSED = "com.microsoft"  # the domain of onnxruntime's fused operators


def main() -> None:
    """Write both graphs."""
    for path, graph in ((LOWER_GRAPH, build_lower()), (UPPER_GRAPH, build_upper())):
        path.write_bytes(graph.SerializeToString())
        print(f"{path}: {path.stat().st_size:,} bytes")


def build_lower() -> onnx.ModelProto:
    """Return the graph from embedded word pieces (b, s, d) to their states, and the mean state (b, d)."""
    weights = [_weight(f"embeddings.LayerNorm.{name}", HIDDEN) for name in ("weight", "bias")]
    norm = helper.make_node(
        "LayerNormalization", ["embedded", *(weight.name for weight in weights)], ["layer0"], epsilon=_EPSILON
    )
    return _build("lower", "embedded", [norm], weights, range(STATE_LAYERS), ["states"])


def build_upper() -> onnx.ModelProto:
    """Return the graph from states (b, s, d) to the mean output (b, d)."""
    rename = helper.make_node("Identity", ["states"], [f"layer{STATE_LAYERS}"])
    return _build("upper", "states", [rename], [], range(STATE_LAYERS, LAYERS), [])


def _build(
    name: str,
    source: str,
    nodes: list[NodeProto],
    weights: list[TensorProto],
    layers: range,
    outputs: list[str],
) -> onnx.ModelProto:
    for layer in layers:
        _add_layer(layer, nodes, weights)
    last = f"layer{layers.stop}"
    nodes += [helper.make_node("Identity", [last], [output]) for output in outputs]
    nodes += [
        helper.make_node("Cast", ["mask"], ["is_piece"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["is_piece", "last_axis"], ["piece_weights"]),
        helper.make_node("Mul", [last, "piece_weights"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "piece_axis"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["is_piece", "piece_axis"], ["count"], keepdims=1),
        helper.make_node("Div", ["sum", "count"], ["mean"]),
    ]
    batch = ["batch", "pieces"]
    graph = helper.make_graph(
        nodes,
        name,
        [
            helper.make_tensor_value_info(source, TensorProto.FLOAT, [*batch, HIDDEN]),
            helper.make_tensor_value_info("mask", TensorProto.INT32, batch),
        ],
        [
            helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["batch", HIDDEN]),
            *(helper.make_tensor_value_info(out, TensorProto.FLOAT, [*batch, HIDDEN]) for out in outputs),
        ],
        [
            *weights,
            helper.make_tensor("piece_axis", TensorProto.INT64, [1], [1]),
            helper.make_tensor("last_axis", TensorProto.INT64, [1], [2]),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _add_layer(layer: int, nodes: list[NodeProto], weights: list[TensorProto]) -> None:
    """Append one layer of BERT: self-attention and a feed-forward network, each added to its input."""
    x, prefix = f"layer{layer}", f"encoder.layer.{layer}."

    def weight(name: str, *shape: int) -> str:
        weights.append(_weight(prefix + name, *shape))
        return prefix + name

    def name(value: str) -> str:
        return f"{value}{layer}"

    def add_normalised(product: str, skip: str, output: str, dense: str, norm: str) -> None:
        inputs = [weight(f"{norm}.LayerNorm.{part}", HIDDEN) for part in ("weight", "bias")]
        inputs.append(weight(f"{dense}.bias", HIDDEN))
        nodes.append(
            helper.make_node(
                "SkipLayerNormalization", [product, skip, *inputs], [output], domain=_FUSED, epsilon=_EPSILON
            )
        )

    for part in ("query", "key", "value"):
        matrix = weight(f"attention.self.{part}.weight", HIDDEN, HIDDEN)
        nodes.append(helper.make_node("MatMul", [x, matrix], [name(part)]))
    bias = weight("attention.self.bias", 3 * HIDDEN)
    nodes += [
        helper.make_node(
            "MultiHeadAttention",
            [name("query"), name("key"), name("value"), bias, "mask"],
            [name("attended")],
            domain=_FUSED,
            num_heads=HEADS,
        ),
        helper.make_node(
            "MatMul",
            [name("attended"), weight("attention.output.dense.weight", HIDDEN, HIDDEN)],
            [name("mixed")],
        ),
    ]
    add_normalised(name("mixed"), x, name("between"), "attention.output.dense", "attention.output")
    nodes += [
        helper.make_node(
            "MatMul", [name("between"), weight("intermediate.dense.weight", HIDDEN, _INNER)], [name("wide")]
        ),
        helper.make_node(
            "BiasGelu",
            [name("wide"), weight("intermediate.dense.bias", _INNER)],
            [name("active")],
            domain=_FUSED,
        ),
        helper.make_node(
            "MatMul", [name("active"), weight("output.dense.weight", _INNER, HIDDEN)], [name("narrow")]
        ),
    ]
    add_normalised(name("narrow"), name("between"), f"layer{layer + 1}", "output.dense", "output")


def _weight(name: str, *shape: int) -> TensorProto:
    """Return the place of a weight that is given when the graph is loaded."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    tensor.dims.extend(shape)
    tensor.external_data.add(key="location", value="weights")
    return tensor


if __name__ == "__main__":
    main()
