"""Make the reference table of small networks that zilch's tests compare against.

Run from the repository root (needs Debian's python3-numpy; a moment; always the same bytes):
    /usr/bin/python3 tests/reference/make_network.py

It writes network.txt beside itself. Parameters and inputs are C99 hex floats, so exactly the single-precision numbers
a C program reads; they come from Python's own generator, whose numbers do not change between versions. Outputs are
evaluated by NumPy in double precision, as the formulas stand in the paper, and rounded to 12 decimals.
"""
import random
import re
from pathlib import Path
import numpy as np

SHAPES = (3, 8), (4, 16), (6, 32)                       # inputs, units
EXAMPLES = 12

def hexa(x):
    """The float x as a C99 hex float, without trailing zeros."""
    return re.sub(r"\.?0+p", "p", float(x).hex())

def draw(rng, bound, *shape):
    """Uniform in +-bound, rounded to single precision, as doubles."""
    values = [rng.uniform(-bound, bound) for _ in range(int(np.prod(shape)))]
    return np.array(values, dtype=np.float32).astype(np.float64).reshape(shape)

def gated(x, value, value_bias, gate, gate_bias):
    """A gated layer: x has an example a row, a matrix a unit a row."""
    return (x @ value.T + value_bias) / (np.logaddexp(0.0, x @ gate.T + gate_bias) + 0.1)

def network(rng, inputs, units):
    """Parameters of both layers and the output, such that the gates are anything between nearly 0 and large."""
    layers = [[draw(rng, bound, units, count), draw(rng, bound, units), draw(rng, 1.5 * bound, units, count),
               draw(rng, 1.5 * bound, units)] for count, bound in ((inputs, 1.2), (units, 1.5 / units ** 0.5))]
    return layers, draw(rng, 0.4 / units ** 0.75, units), draw(rng, 0.2, 1)

def rows_of(name, matrix):
    yield f"# {name}"
    for row in np.atleast_2d(matrix):
        yield " ".join(map(hexa, row))

def table():
    rng = random.Random(5)
    yield from (f"# {line}" for line in (
        "Made by tests/reference/make_network.py; do not edit.",
        "Three networks. Of each: a row with its inputs, units and examples; matrices, a unit a row, and biases, in the",
        "order of src/math/mlp.h; the examples, a row each: inputs and output, the output rounded to 12 decimals."))
    for inputs, units in SHAPES:
        layers, output, bias = network(rng, inputs, units)
        x = draw(rng, 1.0, EXAMPLES, inputs)
        h = x
        for layer in layers:
            h = gated(h, *layer)
        y = np.tanh(h @ output + bias)
        yield f"{inputs} {units} {EXAMPLES}"
        for name, matrix in zip("W1 b1 W2 b2 W3 b3 W4 b4 w b".split(), [*layers[0], *layers[1], output, bias]):
            yield from rows_of(name, matrix)
        yield "# examples"
        for row, answer in zip(x, y):
            yield " ".join(map(hexa, row)) + f" {answer:.12f}"

if __name__ == "__main__":
    text = "\n".join(table()) + "\n"
    Path(__file__).with_name("network.txt").write_text(text, encoding="ascii")
    print(f"network.txt: {len(text)} bytes")
