"""Mutations of a study as a file: its journal, its pages, the files beside it, and what it is."""
import os
import shutil
import sqlite3
import stat
import struct

import rows
import values

JOURNAL = bytes.fromhex("d9d505f920a163d7")
WAL = 0x377F0682


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read(2**24))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


# ---- The journal's mode --------------------------------------------------------------------------------------------

def live_log(mutant):
    """As a study is while somebody writes: copied with its write-ahead log."""
    copy = mutant.path + "-copy"
    shutil.copy(mutant.path, copy)
    connection = rows.connect(copy)
    if connection.execute("PRAGMA journal_mode=wal").fetchone()[0] != b"wal":
        connection.close()
        raise sqlite3.OperationalError("no write-ahead log")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    text = mutant.rng.choice(values.texts(mutant.place))
    connection.execute("UPDATE runs SET machine=CAST(? AS TEXT)", (text,))
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(copy + suffix, mutant.path + suffix)
    connection.close()
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(copy + suffix):
            os.unlink(copy + suffix)
    left = mutant.rng.choice(["both", "both", "no -shm", "no -wal"])
    if left != "both":
        os.unlink(mutant.path + left[3:])
    return f"live write-ahead log ({left}), runs.machine = {rows.shown(text)}"


def journal_mode(mutant):
    mode = mutant.rng.choice(["delete", "truncate", "persist", "wal"])
    connection = rows.connect(mutant.path)
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("UPDATE runs SET machine=machine")
    connection.close()
    return f"journal_mode = {mode}"


MODES = [live_log, live_log, journal_mode]


# ---- Pages ---------------------------------------------------------------------------------------------------------

def page_bytes(mutant):
    data = read(mutant.path)
    count = mutant.rng.choice([1, 1, 2, 8, 64, 1000])
    for _ in range(count):
        data[mutant.rng.randrange(len(data))] = mutant.rng.randrange(256)
    write(mutant.path, data)
    return f"{count} random bytes"


def header(mutant):
    """The first 100 bytes: page size, versions, reserved space, counts."""
    data = read(mutant.path)
    at, size = mutant.rng.choice([(16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4),
                                  (44, 4), (48, 4), (52, 4), (56, 4), (60, 4), (64, 4), (68, 4), (92, 4), (96, 4)])
    new = mutant.rng.choice([bytes(size), b"\xff" * size, mutant.rng.randbytes(size), (1).to_bytes(size, "big"), (2).to_bytes(size, "big"),
                             (2**(8 * size - 1)).to_bytes(size, "big")])
    data[at:at + size] = new
    write(mutant.path, data)
    return f"header byte {at} = {new.hex()}"


def page_swap(mutant):
    data = read(mutant.path)
    pages = len(data) // 4096
    one, other = mutant.rng.randrange(1, pages), mutant.rng.randrange(pages)
    first, second = bytes(data[one * 4096:][:4096]), bytes(data[other * 4096:][:4096])
    data[one * 4096:(one + 1) * 4096] = second
    if mutant.rng.random() < 0.5:
        data[other * 4096:(other + 1) * 4096] = first
    write(mutant.path, data)
    return f"pages {one + 1} and {other + 1} swapped"


def free_list(mutant):
    """A list of free pages that goes in a circle, or names pages in use."""
    data = read(mutant.path)
    pages = len(data) // 4096
    trunk = mutant.rng.choice([1, 2, pages, pages + 1, 2**31])
    data[32:40] = struct.pack(">II", trunk, mutant.rng.choice([1, 5, pages, 2**32 - 1]))
    if 1 < trunk <= pages:
        leaves = mutant.rng.choice([0, 1, 1022, 2**31])
        data[(trunk - 1) * 4096:(trunk - 1) * 4096 + 12] = struct.pack(">III", trunk, leaves, mutant.rng.randrange(2, pages + 1))
    write(mutant.path, data)
    return f"free list begins at page {trunk}"


def tree_cycle(mutant):
    """Inner pages whose children are themselves or the first."""
    data = read(mutant.path)
    page = mutant.rng.randrange(1, len(data) // 4096)
    at = page * 4096
    inner = mutant.rng.choice([5, 2])
    cells = mutant.rng.choice([0, 1, 1, 200])
    child = mutant.rng.choice([page + 1, 1, 2, 2**32 - 1])
    # A page of its own making: each cell 4096 - 8 points to the child with the key 1.
    new = bytearray(4096)
    new[0:12] = struct.pack(">BHHHBI", inner, 0, cells, 4096 - 8, 0, child)
    for i in range(cells):
        new[12 + 2 * i:14 + 2 * i] = struct.pack(">H", 4096 - 8)
    new[4096 - 8:4096 - 3] = struct.pack(">IB", child, 1)
    data[at:at + 4096] = new
    write(mutant.path, data)
    return f"page {page + 1} is an inner page ({inner}) with {cells} children {child}"


def overflow_loop(mutant):
    """A text that runs over many pages, whose chain of pages turns back."""
    connection = rows.connect(mutant.path)
    column = mutant.rng.choice(["problem", "name", "version", "machine"])
    connection.execute(f"UPDATE runs SET {column}=CAST(zeroblob(30000) AS TEXT)||replace(hex(zeroblob(20000)),'00','ab') WHERE run=1")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode=delete")
    connection.execute("PRAGMA journal_mode=wal")
    connection.close()
    data = read(mutant.path)
    pages = len(data) // 4096
    # The chain was written last: its pages are at the end, each beginning with the number of the next.
    for page in range(max(2, pages - 4), pages):
        data[page * 4096:page * 4096 + 4] = struct.pack(">I", mutant.rng.choice([page, page + 1, page - 1, 1, 2**32 - 1]))
    write(mutant.path, data)
    return f"runs.{column} has pages in a loop"


def resized(mutant):
    size = os.path.getsize(mutant.path)
    new = mutant.rng.choice([0, 1, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, size // 2, size - 1, size + 1, size + 4096, size * 4, 2**31, 2**40])
    os.truncate(mutant.path, new)
    return f"{new} bytes long instead of {size}"


PAGES = [page_bytes, page_bytes, header, header, page_swap, free_list, tree_cycle, tree_cycle, overflow_loop, resized]


# ---- Files beside it -----------------------------------------------------------------------------------------------

def journal_bytes(mutant, victim):
    """A journal whose rollback ends with deleting a file that it names; as SQLite writes one for several databases."""
    name = os.fsencode(victim)
    pages = os.path.getsize(mutant.path) // 4096
    head = (JOURNAL + struct.pack(">IIIII", 0, 1, pages, 512, 4096)).ljust(512, b"\0")
    return head + struct.pack(">I", 262145) + name + struct.pack(">II", len(name), sum(name)) + JOURNAL


def super_journal(mutant):
    if mutant.rng.random() < 0.5:
        journal_mode_off(mutant)
    write(mutant.path + "-journal", journal_bytes(mutant, mutant.victim))
    return f"a -journal that names {mutant.victim}"


def journal_mode_off(mutant):
    connection = rows.connect(mutant.path)
    connection.execute("PRAGMA journal_mode=delete")
    connection.close()


def hot_journal(mutant):
    """A journal with pages to be put back, one of them changed."""
    data = read(mutant.path)
    rng = mutant.rng
    records = rng.choice([0, 1, 2, 2**32 - 1])
    nonce = rng.getrandbits(32)
    body = b""
    for _ in range(min(records, 3)):
        page = rng.randrange(1, max(len(data) // 4096, 2))
        content = bytearray(data[(page - 1) * 4096:page * 4096].ljust(4096, b"\0"))
        content[rng.randrange(4096)] = rng.randrange(256)
        total = (nonce + sum(content[4096 - 200 * i] for i in range(1, 21))) & 0xFFFFFFFF
        body += struct.pack(">I", page) + bytes(content) + struct.pack(">I", total)
    sector = rng.choice([512, 4096, 0, 3, 2**31])
    head = JOURNAL + struct.pack(">IIIII", records, nonce, rng.choice([1, len(data) // 4096, 2**31]), sector, rng.choice([4096, 512, 65536, 7]))
    write(mutant.path + "-journal", head.ljust(sector if 0 < sector <= 4096 else 512, b"\0") + body)
    return f"a hot -journal with {records} pages"


def garbage_log(mutant):
    rng = mutant.rng
    head = struct.pack(">IIIIII", WAL + rng.randrange(2), 3007000, rng.choice([4096, 512, 65536, 0, 3]), rng.randrange(9), rng.getrandbits(32),
                       rng.getrandbits(32))
    data = rng.choice([b"", b"x", head, head + rng.randbytes(8), head + rng.randbytes(20000), rng.randbytes(5000), bytes(40000)])
    write(mutant.path + "-wal", data)
    return f"garbage as -wal ({len(data)} bytes)"


def others_log(mutant):
    """The write-ahead log of another study, whole and valid."""
    name = mutant.rng.choice(sorted(mutant.bases))
    copy = mutant.path + "-other"
    shutil.copy(mutant.bases[name], copy)
    connection = rows.connect(copy)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("UPDATE runs SET problem='another'")
    shutil.copy(copy + "-wal", mutant.path + "-wal")
    connection.close()
    os.unlink(copy)
    return f"the -wal of {name}"


def garbage_index(mutant):
    size = mutant.rng.choice([0, 1, 136, 32768, 65536, 100000])
    write(mutant.path + "-shm", mutant.rng.randbytes(size))
    if not os.path.lexists(mutant.path + "-wal"):
        garbage_log(mutant)
    return f"garbage as -shm ({size} bytes)"


def flipped_log(mutant):
    """A live log with bytes changed in it or in its index."""
    if not os.path.exists(mutant.path + "-wal"):
        live_log(mutant)
    path = mutant.path + mutant.rng.choice(["-wal", "-shm"])
    if not os.path.exists(path):
        path = mutant.path + "-wal" if path.endswith("-shm") else mutant.path + "-shm"
    data = read(path)
    for _ in range(mutant.rng.choice([1, 4, 100])):
        data[mutant.rng.randrange(len(data))] = mutant.rng.randrange(256)
    write(path, data)
    return f"bytes changed in {path[-4:]}"


def odd_file(mutant):
    """A file beside the study that is no file."""
    suffix = mutant.rng.choice(["-journal", "-wal", "-shm"])
    path = mutant.path + suffix
    if os.path.lexists(path):
        os.unlink(path)
    return f"{suffix} is {become(mutant, path)}"


def become(mutant, path):
    kind = mutant.rng.choice(["a FIFO", "a link to a victim", "a link to a victim", "a hard link of a victim", "a folder", "a device",
                              "a link to /dev/zero", "a dangling link", "a link to itself", "a socket"])
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a link to a victim":
        os.symlink(mutant.victim, path)
    elif kind == "a hard link of a victim":
        os.link(mutant.victim, path)
    elif kind == "a folder":
        os.mkdir(path)
    elif kind == "a dangling link":
        os.symlink(mutant.place + "/" + values.PWNED, path)
    elif kind == "a link to itself":
        os.symlink(os.path.basename(path), path)
    elif kind == "a socket":
        make_node(path, stat.S_IFSOCK | 0o600, 0)
    elif kind == "a device":
        make_node(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    else:
        os.symlink("/dev/zero", path)
    return kind


def make_node(path, mode, device):
    try:
        os.mknod(path, mode, device)
    except PermissionError:
        os.symlink("/dev/zero", path)


BESIDE = [super_journal, super_journal, super_journal, hot_journal, garbage_log, others_log, garbage_index, flipped_log, odd_file, odd_file, odd_file]


# ---- The study itself ----------------------------------------------------------------------------------------------

def study_is_odd(mutant):
    """The study is a link to one, or no file at all."""
    real = os.path.join(os.path.dirname(mutant.path), "real.study")
    kind = mutant.rng.randrange(8)
    if kind < 2:
        os.rename(mutant.path, real)
        os.symlink("real.study", mutant.path)
        return "a link to a study"
    if kind < 4:
        os.link(mutant.path, real)
        return "a hard link of a study"
    os.unlink(mutant.path)
    if kind == 4:
        os.mkfifo(mutant.path)
        return "a FIFO"
    if kind == 5:
        os.mkdir(mutant.path)
        return "a folder"
    os.symlink(["/dev/zero", "/dev/full"][kind - 6], mutant.path)
    return "a link to a device"


def links_in_figures(mutant):
    """The folder that a report keeps its figures in is there already, full of links to a victim."""
    folder = os.path.join(mutant.folder, "out", "figures")
    os.mkdir(folder)
    names = ["return", "active", "run", "activity", "correlations", "style", "methods", "curves", "study.meta", "run.meta", "progress", "landing"]
    for name in names:
        for ending in ("svg", "png", "pdf", "gp", "dat"):
            os.symlink(mutant.victim, os.path.join(folder, f"{name}.{ending}"))
    return "the figures' folder is full of links"


ITSELF = [study_is_odd, study_is_odd, links_in_figures]
