#!/usr/bin/env python3
"""A weights file of zilch train as C source, on standard output: src/model/weights.c.

    tools/weights_source.py WEIGHTS        (tools/make_weights.sh does all of it)
"""
import struct
import sys

HEAD = """/* The networks that the library carries, in the order of mlp.h. Made by tools/make_weights.sh, that
 * is by
 *
%s
 */
#include "model/networks.h"
"""
RECORD = "<IQQQ QQQddQ Qdd"


def read(data):
    """Name, inputs, units, record, parameters of each block; the layout is in src/model/networks.c."""
    assert data[:8] == b"zilchnet" and struct.unpack_from("<I", data, 8) == (1,), "not weights of version 1"
    place = 12
    for name in ("mm", "vm", "vv"):
        inputs, units = struct.unpack_from("<II", data, place)
        record = struct.unpack_from(RECORD, data, place + 8)
        place += 8 + struct.calcsize(RECORD)
        count = 2 * units * (inputs + 1) + 2 * units * (units + 1) + units + 1
        yield name, inputs, units, record, struct.unpack_from(f"<{count}f", data, place)
        place += 4 * count
    assert place + 8 == len(data), "the file has another length"


def literal(value):
    """A single-precision number, exactly and as short as hexadecimal allows."""
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}F" if value else "0.0F"


def command(name, record):
    labels, count, rows, seed, units, epochs, batch, rate, final_rate, *_ = record
    more = (" --labels simulated" if labels else "") + (f" --rows {rows}" if rows else "")
    return (f" *     zilch train --block {name} --units {units} --examples {count}{more} --epochs {epochs}"
            f" --batch {batch}\n *         --rate {rate:g} --final-rate {final_rate:g} --seed {seed} -o WEIGHTS")


def array(name, values):
    words, lines, line = [literal(v) + "," for v in values], [], "   "
    for word in words:
        if len(line) + 1 + len(word) > 110:
            lines.append(line)
            line = "   "
        line += " " + word
    lines.append(line.rstrip(","))
    return f"static const float {name}[] = {{\n" + "\n".join(lines) + "};\n"


def network(name, inputs, units, record):
    labels, count, rows, seed, _, epochs, batch, rate, final_rate, own_seed, done, training, validation = record
    label = ("ZILCH_LABELS_EXACT", "ZILCH_LABELS_SIMULATED")[labels]
    return f"""    {{.shape = {{{inputs}, {units}}},
     .parameter = {name},
     .record = {{.examples = {{sizeof(zilch_examples_options), {label}, {count}, {rows}, {seed}}},
                .options = {{sizeof(zilch_training_options), {units}, {epochs}, {batch}, {rate!r}, {final_rate!r}, {own_seed}}},
                .report = {{{done}, {training!r}, {validation!r}}}}}}},
"""


blocks = list(read(open(sys.argv[1], "rb").read()))
print(HEAD % "\n".join(command(name, record) for name, _, _, record, _ in blocks))
print("/* clang-format off */")
for name, _, _, _, values in blocks:
    print(array(name, values))
print("const zilch_networks zi_shipped_networks = {{")
for name, inputs, units, record, _ in blocks:
    print(network(name, inputs, units, record), end="")
print("}};")
