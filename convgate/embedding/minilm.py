"""The bundled model in onnxruntime: one forward pass gives final vectors and the fourth layer's states.

The graphs come with convgate (`tools/encoder_graph.py` writes them), the weights with the model's package.
"""

from __future__ import annotations

import functools
import json
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from convgate.core.bundled_encoder import BUNDLED_MODEL, bundled_folder, verify_bundled_weights
from convgate.core.errors import EncoderError
from convgate.core.processors import count_threads
from convgate.embedding import chunks
from convgate.embedding.base import Embeddings, Progress, check_embeddings
from convgate.embedding.spans import STATE_LAYERS, Span, passage_tokenizer, unmark_spans

if TYPE_CHECKING:
    import onnxruntime

HIDDEN = 384  # width of a state, and of a vector
LAYERS, HEADS = 6, 12
LOWER_GRAPH = Path(__file__).with_name("minilm_lower.onnx")
UPPER_GRAPH = Path(__file__).with_name("minilm_upper.onnx")

_BATCH = 512  # word pieces; more at once is no faster on a processor
_MAX_PADDING = 8  # word pieces of a batch; an extra batch costs about as much
_REPORT_EVERY = 256  # texts between two progress reports

Weights = dict[str, NDArray[np.float32]]


class MiniLM:
    """all-MiniLM-L6-v2 on the processor. Thread-safe.

    A batch runs on one thread, and several batches on as many as there are processors: small batches are as
    fast as large ones, and no thread waits for another within a layer.
    """

    def __init__(self) -> None:
        verify_bundled_weights()
        weights = _read_weights(bundled_folder() / "model.safetensors")
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._lower = _session(LOWER_GRAPH, _layer_weights(weights, 0, STATE_LAYERS))
        self._upper = _session(UPPER_GRAPH, _layer_weights(weights, STATE_LAYERS, LAYERS))
        self._tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._threads = count_threads()
        self._pool = ThreadPoolExecutor(self._threads, "encoder")

    def encode(
        self,
        texts: Sequence[str],
        state_texts: Sequence[str] = (),
        marked_texts: Sequence[str] = (),
        *,
        progress: Progress | None = None,
    ) -> tuple[list[Embeddings], list[Embeddings], list[Embeddings]]:
        """Return for each text the (p, d) final vectors of its passages; the same of `state_texts` by their
        states after the fourth layer; and of `marked_texts` (`mark_spans`) the (s, d) mean states of spans.

        Blank text has one zero row. A span that is not read, in a very long text, has the mean of the text.
        Each distinct text is read once. Raises EncoderError when a vector is NaN or infinite.
        """
        ends, spans = set(texts), dict(map(unmark_spans, marked_texts))
        # Longest first, so that a batch holds passages of like length.
        distinct = [text for text in dict.fromkeys((*texts, *state_texts, *spans)) if text.strip()]
        distinct.sort(key=len, reverse=True)
        blank = np.zeros((1, HIDDEN), dtype=np.float32)
        finals: dict[str, Embeddings] = {}
        states: dict[str, Embeddings] = {}
        of_spans: dict[str, Embeddings] = {}
        for start in range(0, len(distinct), _REPORT_EVERY):
            some = distinct[start : start + _REPORT_EVERY]
            pieces = chunks.split(some, passage_tokenizer(), chunks.PASSAGE_PIECES)
            is_final = np.repeat([text in ends for text in some], np.diff(pieces.starts))
            encodings = self._tokenizer.encode_batch(pieces.texts)
            rows = _span_rows(some, pieces, encodings, spans)
            final_vectors, state_vectors, sums = self._run(pieces, encodings, is_final, rows)
            finals |= zip(some, chunks.weigh(final_vectors, pieces), strict=True)
            states |= zip(some, chunks.weigh(state_vectors, pieces), strict=True)
            for text, (first, stop) in zip(some, pairwise(pieces.starts), strict=True):
                if text in spans:
                    total = np.zeros((len(spans[text]), HIDDEN), dtype=np.float32)
                    for place in range(first, stop):
                        present, part = sums[place]
                        total[present] += part
                    total[~total.any(axis=1)] = states[text].sum(axis=0)
                    of_spans[text] = chunks.unit_rows(total)
            if progress:
                progress(start + len(some), len(distinct))
        return (
            [finals.get(text, blank) for text in texts],
            [states.get(text, blank) for text in state_texts],
            [of_spans[unmark_spans(text)[0]] for text in marked_texts],
        )

    def _run(
        self,
        pieces: chunks.Chunks,
        encodings: Sequence[Encoding],
        is_final: NDArray[np.bool_],
        span_rows: Mapping[int, NDArray[np.intp]],
    ) -> tuple[Embeddings, Embeddings, dict[int, tuple[NDArray[np.intp], Embeddings]]]:
        """Return (number of passages, d) final vectors, zeros where `is_final` is False, and mean states; and
        of passages in `span_rows` the spans there and the sums of their states.
        """
        sums: dict[int, tuple[NDArray[np.intp], Embeddings]] = {}
        finals, states = np.zeros((2, len(pieces.texts), HIDDEN), dtype=np.float32)

        def run(batch: list[int]) -> None:
            rows = np.array(batch)
            ids = [encodings[row].ids for row in batch]
            mask = np.zeros((len(ids), max(map(len, ids))), dtype=np.int32)
            embedded = np.zeros((*mask.shape, HIDDEN), dtype=np.float32)
            for row, text_ids in enumerate(ids):
                mask[row, : len(text_ids)] = 1
                embedded[row, : len(text_ids)] = self._words[text_ids]
            embedded += self._places[: mask.shape[1]]
            means, layer = self._lower.run(None, {"embedded": embedded, "mask": mask})
            states[rows] = means
            for row, passage in enumerate(batch):
                if passage in span_rows:
                    owners = span_rows[passage]
                    present = np.unique(owners[owners >= 0])
                    is_in = (owners == present[:, None]).astype(np.float32)
                    sums[passage] = present, is_in @ layer[row, : len(owners)]
            upper = is_final[rows]
            if upper.any():
                if not upper.all():
                    layer, mask = layer[upper], mask[upper]
                finals[rows[upper]] = self._upper.run(None, {"states": layer, "mask": mask})[0]

        share = -(-sum(pieces.sizes) // self._threads)
        batches = list(chunks.batches(pieces, min(_BATCH, share + _MAX_PADDING), _MAX_PADDING))
        if len(batches) == 1:
            run(batches[0])
        else:
            list(self._pool.map(run, batches))
        for vectors in (finals, states):
            check_embeddings(vectors, dimension=HIDDEN, source=BUNDLED_MODEL)
        return finals, states, sums


def _span_rows(
    texts: Sequence[str],
    pieces: chunks.Chunks,
    encodings: Sequence[Encoding],
    spans: Mapping[str, Sequence[Span]],
) -> dict[int, NDArray[np.intp]]:
    """Return for each passage of a text with spans the span that each of its word pieces is in, or -1."""
    rows = {}
    for text, (first, stop) in zip(texts, pairwise(pieces.starts), strict=True):
        if text not in spans:
            continue
        starts, ends = np.array(spans[text]).T
        begin = 0
        for passage in range(first, stop):
            # A passage that is not found is of a very long text, of which a sample was read.
            found = text.find(pieces.texts[passage], begin)
            offsets = np.array(encodings[passage].offsets)
            places = found + offsets[:, 0]
            owners = np.searchsorted(starts, places, side="right") - 1
            owners[(places >= ends[owners]) | (offsets[:, 1] == 0) | (found < 0)] = -1
            rows[passage] = owners
            begin = begin if found < 0 else found + len(pieces.texts[passage])
    return rows


_loading = threading.Lock()


def load_minilm() -> MiniLM:
    """Return the model, loaded once a process; EncoderError when its weights are missing or damaged."""
    with _loading:
        return _load()


@functools.cache
def _load() -> MiniLM:
    return MiniLM()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_load.cache_clear)  # a forked process has none of its threads


def _read_weights(path: Path) -> Weights:
    """Return the weights of a safetensors file as views of it, so that only what is used is in memory."""
    content = np.memmap(path, np.uint8, "r")
    start = 8 + int(content[:8].view("<u8")[0])
    header = json.loads(content[8:start].tobytes())
    return {
        name: content[start:][slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _layer_weights(weights: Weights, first: int, stop: int) -> Weights:
    """Return the weights of some layers as the graphs multiply by them: (inputs, outputs)."""
    prefixes = tuple(f"encoder.layer.{layer}." for layer in range(first, stop))
    chosen = {
        name: np.ascontiguousarray(weight.T) for name, weight in weights.items() if name.startswith(prefixes)
    }
    for prefix in prefixes:
        biases = [chosen.pop(f"{prefix}attention.self.{part}.bias") for part in ("query", "key", "value")]
        chosen[f"{prefix}attention.self.bias"] = np.concatenate(biases)
    if not first:
        for part in ("weight", "bias"):
            chosen[f"embeddings.LayerNorm.{part}"] = weights[f"embeddings.LayerNorm.{part}"].copy()
    return chosen


def _session(graph: Path, weights: Weights) -> onnxruntime.InferenceSession:
    # Before it is imported: it would report to Microsoft, and keep an id in the cache of the user.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # versions before 1.29 on Windows do not read the variable
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # they keep the largest batch's memory
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # it is fused
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
    options.add_external_initializers(list(weights), values)
    try:
        return onnxruntime.InferenceSession(graph.read_bytes(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base
        raise EncoderError(f"the bundled encoder cannot be loaded by onnxruntime: {error}") from error
