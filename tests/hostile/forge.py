"""Mutations whose sums are right: what a study's checkpoints are checked with can be computed by anybody.

A mutant then gets as far as an honest study would, to whatever goes on from its points, values and state."""
import struct

import rows
import values

BEGIN, PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, 2**64 - 1
POLYNOMIAL = 0xC96C5795D7870F42


def fnv(total, data):
    for byte in data:
        total = (total ^ byte) * PRIME & MASK
    return total


def crc64(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    remainder = MASK
    for byte in data:
        remainder = (remainder >> 8) ^ table[(remainder ^ byte) & 255]
    return remainder ^ MASK


def signed(number):
    return number - 2**64 if number >= 2**63 else number


def sums(connection, run):
    """Those of src/store/study.c: over genomes with their lengths, and over evaluations."""
    points = evaluations = BEGIN
    for (genome,) in connection.execute("SELECT genome FROM points WHERE run=? ORDER BY point", (run,)):
        genome = b"" if genome == b"forgotten" else genome
        points = fnv(fnv(points, struct.pack("<Q", len(genome))), genome)
    query = "SELECT generation, id, point, value, weight FROM evaluations WHERE run=? ORDER BY generation, position"
    for generation, number, point, value, weight in connection.execute(query, (run,)):
        bits = struct.pack("<Q", MASK) if value is None else struct.pack("<d", value)
        words = struct.pack("<QQQ", generation & MASK, number & MASK, point & MASK) + bits + struct.pack("<d", weight)
        evaluations = fnv(evaluations, words)
    return signed(points), signed(evaluations)


def seal(connection):
    """All sums as they must be. True if they were so already."""
    before = connection.execute("SELECT run, points_sum, evaluations_sum, state FROM checkpoints ORDER BY run").fetchall()
    after = []
    for run, _, _, state in before:
        body = state[:-8]
        after.append((run, *sums(connection, run), body + struct.pack("<Q", crc64(body))))
    connection.executemany("UPDATE checkpoints SET points_sum=?2, evaluations_sum=?3, state=?4 WHERE run=?1", after)
    return before == after


def forge_state(mutant):
    """The optimiser's state: numbers, counts and names in it changed."""
    connection = rows.connect(mutant.path)
    rng = mutant.rng
    run, state = rng.choice(connection.execute("SELECT run, state FROM checkpoints").fetchall())
    state = bytearray(state)
    places = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(max(len(state) - 8, 1))
        at -= rng.choice([0, at % 8, at % 4])
        new = rng.choice([struct.pack("<Q", rng.choice(values.INTEGERS) & MASK), struct.pack("<d", values.double(rng)),
                          struct.pack("<I", rng.choice([0, 1, 2, 255, 2**16, 2**31, 2**32 - 1])), bytes([state[at] ^ (1 << rng.randrange(8))])])
        state[at:at + len(new)] = new
        places.append(f"{at}: {new.hex()}")
    connection.execute("UPDATE checkpoints SET state=? WHERE run=?", (bytes(state), run))
    connection.execute("DELETE FROM conclusions WHERE run=?", (run,))
    seal(connection)
    connection.close()
    return f"forged state of run {run}, settings as they were ({'; '.join(places)})"


def forge_points(mutant):
    """Genomes, values, weights and ids, each of them allowed by the schema."""
    connection = rows.connect(mutant.path)
    rng = mutant.rng
    said = []
    for _ in range(rng.choice([1, 2, 4])):
        table, name = rng.choice([("points", "genome"), ("points", "active"), ("evaluations", "value"), ("evaluations", "weight"), ("evaluations", "id"),
                                  ("evaluations", "fitness"), ("checkpoints", "generation"), ("checkpoints", "points"), ("runs", "seed"), ("runs", "dim")])
        old = connection.execute(f"SELECT {name} FROM {table}").fetchone()
        if name == "genome":
            value = values.blob(rng, old[0])
        else:
            value = values.double(rng) if name in ("value", "weight", "fitness") else rng.choice(values.INTEGERS)
            value = None if name != "weight" and value != value else 1e-300 if value != value else value
        said.append(f"{table}.{name} = {rows.shown(value)} in {rows.put(connection, mutant, table, name, value)}")
    if rng.random() < 0.7:
        connection.execute("DELETE FROM conclusions")
    seal(connection)
    connection.close()
    return f"forged, settings as they were: {', '.join(said)}"


ALL = [forge_state, forge_points]
