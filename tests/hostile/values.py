"""Values that a hostile study holds: texts, numbers and blobs, each chosen by a random generator.

PWNED is the file that a text tries to make; no test run may leave one. MARK is an element that no page may hold."""
import json
import struct

PWNED = "PWNED"
MARK = "<zilchmark"


def deep(kind, depth):
    """JSON that is nested so deep that a recursive reader runs out of stack."""
    opening, closing = {"array": ("[", "]"), "object": ('{"a":', "}")}[kind]
    return opening * depth + "1" + closing * depth


def settings(place):
    """Settings of a run, (kind, name, value), that name programs and files, or ask for much, or for nothing that there is."""
    touch = f"sh -c 'touch {place}/{PWNED}; cat'"
    return [
        [("problem", "program", touch)],
        [("problem", "program", touch), ("problem", "plain", "yes"), ("problem", "once", "yes"), ("means", "jobs", "1")],
        [("problem", "program", "sh -c touch${IFS}PWNED")], [("problem", "program", "/bin/sh")], [("problem", "program", "")],
        [("problem", "program", touch), ("problem", "sparse", "yes"), ("problem", "ahead", "4096"), ("means", "jobs", "4096")],
        [("problem", "Program", touch)], [("problem", "pro", touch)], [("problem", "program=" + touch, "yes")],
        [("problem", "plain", "--program=" + touch)], [("problem", "plain", "maybe")], [("problem", "once", "no")],
        [("problem", "study", f"{place}/{PWNED}")], [("problem", "output", f"{place}/{PWNED}")], [("means", "study", f"{place}/{PWNED}")],
        [("problem", "data", "/etc/passwd")], [("problem", "problem", "program")], [("problem", "dim", "1000000")],
        [("problem", "weights", "/dev/zero"), ("option", "inverter", "amortised")], [("problem", "warm_start", "/dev/stdin")],
        [("problem", "bounds_file", "/dev/tty")], [("problem", "bounds", "1:0")], [("problem", "forced_on", "1-" + "9" * 30)],
        [("problem", "forced_on", "1," * 20000)], [("problem", "groups", ";" * 100000)], [("problem", "response", "<b>")],
        [("problem", "searched", "none")], [("problem", "validation", "1e308")], [("problem", "timeout", "-1")], [("problem", "penalty", "automatic")],
        [("problem", "max_failures", "18446744073709551616")], [("problem", "over_ask", "10")], [("problem", "help", "yes")],
        [("problem", "name_" + "x" * 5000, "1")], [("problem", "\x1b]0;PWN\x07", "\x1b[2J")], [("problem", "--help", "--version")],
        [("option", "population", "1000000")], [("option", "population", "nan")], [("option", "method", "zig")], [("option", "price", "1")],
        [("option", "elites", "-1")], [("option", "penalty", "inf")], [("option", "archive_size", "1")], [("option", "x" * 100000, "1")],
        [("limit", "generations", "1000000000")], [("limit", "evaluations", "-1")], [("limit", "target", "nan")], [("limit", "stagnation", "")],
        [("final", "final_evaluations", "10000000")], [("final", "final_candidates", "100000")], [("final", "final_pruning", "maybe")],
        [("means", "threads", "1024")], [("means", "threads", "-1")], [("means", "time", "1e300")], [("means", "held_out", "1000000")],
        [("means", "jobs", "18446744073709551615")], [("means", "comparison_penalty", "1e999")], [("means", "comparison_penalty", "<b>")],
        [("", "", "")], [("problem", "", "x")], [("problem", "plain", "")],
        [("problem", f"setting{i}", "x") for i in range(3000)], [("means", "x", "a" * 10**6)],
    ]


def arguments(words, checksum="", **more):
    return json.dumps({"words": words, "checksum": checksum, **more})


def programs(place):
    """Arguments of a run of version 4 that name programs and files, which only the person at the keyboard may name."""
    touch = f"sh -c 'touch {place}/{PWNED}; cat'"
    base = ["--dim", "5", "--population", "6", "--elites", "2", "--generations", "9"]
    # The same length in each list; the last of an option counts.
    return [
        ["optimize", "--program", touch] + base,
        ["optimize", "--program=" + touch, "--plain", "--once"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2", "--program=" + touch] + base,
        ["ask", "--program", touch, "--dim", "3"],
        ["lander", "--program", touch],
        ["compare", "--program", touch] + base,
        ["bench"],
        ["train", "-o", f"{place}/{PWNED}"],
        ["optimize", "--problem=sphere:dim=5,active=2", "--study", f"{place}/{PWNED}"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2", "-o", f"{place}/{PWNED}"] + base,
        ["report", "x", "--figures", f"{place}/{PWNED}"],
        ["optimize", "--problem", "linear", "--data", "/etc/passwd"] + base,
        ["optimize", "--problem", "linear", "--data", "/dev/zero"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2", "--weights", "/dev/zero", "--inverter=amortised"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2", "--warm-start", "/dev/stdin"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2", "--bounds-file", "/dev/tty"] + base,
        ["optimize", "--problem=sphere:dim=5,active=2,noise=0"] + base + ["--population=1000000"],
        ["optimize", "--problem=sphere:dim=1000000,active=2"] + base[2:] + ["--generations=1000000000"],
        ["optimize", "--problem=sphere:dim=5,active=2"] + base + ["--threads=1024"],
        ["optimize", "--problem=lander:episodes=1000000"] + base,
        ["optimize", "--problem=smop1:dim=18446744073709551615"] + base,
        ["optimize"] + ["--on=1"] * 20000,
        ["--help"], ["--version"], [], [""], ["optimize", "--help"],
    ]


def texts(place):
    """Texts against everything that a text may pass through on its way to a person."""
    touch = f"touch {place}/{PWNED}"
    plain = [
        "", " ", "'", '"', "`", "\\", "it's", 'say "so"', "a\nb", "a\tb", "a\rb", "-", "--help", "@problem", "%", "$",
        # gnuplot: strings, commands, macros, enhanced text
        f"x']; system('{touch}'); array q[1]=['", f'x"; system("{touch}"); y="', f"`{touch}`", f"'.system('{touch}').'",
        f"x'\nsystem '{touch}'\n'", f"x'; set print '{place}/{PWNED}'; print 1; y='", f"< {touch}", f"| {touch}",
        f"'; !{touch}\n'", "@@a", "a_b^c{d}/e&f~g", "{/=900 x}", "\\", "'\\", "\\'", f"\\'; system('{touch}'); #",
        # a shell
        f"; {touch}", f"$({touch})", f"& {touch} &", f"x\n{touch}\n", f"-o{place}/{PWNED}", f"{place}/{PWNED}",
        f"../../../..{place}/{PWNED}", f"|{touch}",
        # pages, LaTeX, CSV, JSON
        f"{MARK} onload=alert(1)>", f"'>{MARK}>", f'">{MARK}>', f"</script>{MARK}>", f"--></style>{MARK}>", f"]]>{MARK}>",
        f"<svg>{MARK}>", f"</title>{MARK}>", "javascript:alert(1)", "&lt;b&amp;", "{{x}}", "%7B%7D", "<!--", "@name@", "{x}",
        f"\\input{{|{touch}}}", f"\\immediate\\write18{{{touch}}}", "\\end{tabular}\\input{/etc/passwd}", "$\\frac", "a & b \\\\",
        f"=cmd|' /C {touch}'!A1", "+1+1", "@SUM(1)", 'a","b', "a,b;c", '{"a":1}', "[", "null", "nan", "\\u0000", "\\ud800",
        # a terminal
        "\x1b]0;PWN\x07", "\x1b[2J\x1b[H", "\x1b]52;c;UFdO\x07", "\x9b31m", "\u009b31m\u009d0;x\u009c", "\x00", "a\x00b",
        "\x08\x08\x08", "\x7f", "\x0e\x0f", "\u202eabc\u202c", "\u2066\u2067x", "\u200f", "\u2028\u2029", "\ufeff", "\u061c",
        "e" + "\u0301" * 500, "\U000e0041\U000e0042",
        # formats and numbers
        "%s%s%s%s%n", "%1000000000d", "%*c", "{0.__class__}", "1e999", "-0", "0x7fffffffffffffff", "18446744073709551616",
        "1" * 400, "9" * 5000, "1e-999999999", "NaN", "Infinity",
        # what texts of zilch's own say
        "sphere", "sphere:dim=1000000000", "sphere:dim=0", "sphere:dim=5,active=2,noise=1e308", "lander", "lander:episodes=1e9",
        "lander:seeds=common,gravity=1e308", "linear:data=/etc/passwd,response=1", f"linear:data={place}/{PWNED}", "linear",
        "logistic:data=/dev/zero", "smop1:dim=99999999999999999999", "by hand", f"program:{touch}", "program:", "program", "linear:response=1,searched=subset,validation=0.3",
        "linear:response=99999999999999999999", ":", ":::=,=,",
        "sphere:" + "a=1," * 3000, "zig", "dense", "default", "published", "gaussian", "adhoc", "ea", "automatic", "minimize", "maximize", "target", "observer", "forgotten",
        "2026-01-01T00:00:00Z", "9999999999-13-77", "0.1.0", "999.999.999",
        # long
        "a" * 1000000, "\u20ac" * 300000, "<" * 200000, "'" * 200000, "\x1b" * 1000, "\n" * 100000, " " * 300000,
        "a" * 4095, "a" * 4096, "b" * 399, "b" * 400, "b" * 401, "c" * 255, "c" * 256, "d" * 65536,
        deep("array", 100000), deep("object", 50000), deep("array", 2000), deep("object", 2048),
        '{"words":"optimize"}', '{"words":[1,2]}', '{"words":[null]}', '{"words":{"0":"optimize"}}', '{"words":["optimize"',
        '{"words":["optimize\\u0000x"],"checksum":""}', '{"checksum":"x"}', '{"words":[],"words":["optimize"]}',
        '{"words":["optimize","--problem=linear"],"checksum":"' + "f" * 100000 + '"}', '{"columns":["<b>"]}',
    ]
    return [text.encode("utf-8", "surrogatepass") for text in plain] + [
        b"\xff\xfe", b"\xc3", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"a\xe2\x80", b"\xe2\x80\xae",
        b"\x80\x81\x9b31m", b"\xf0\x9f" * 1000, b"\xfe" * 1000, bytes(range(256)),
    ]


INTEGERS = [0, 1, -1, 2, 3, 5, 6, 7, 8, 100, 255, 256, 4096, 65535, 65536, 10**6, 10**6 + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
            2**32 + 1, 10**9, 10**12, 2**53, 2**60, 2**61, 2**62, 2**63 - 1, -2**63, -2**63 + 1, -2**31, -2**32, -2, -3]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e300, -1e300, 1.7976931348623157e308, -1.7976931348623157e308,
         float("inf"), float("-inf"), 1e18, 9.3e18, 1e19, -1e19, 4294967296.5, 2.0**53 + 2, 3e-5]


def double(rng):
    return rng.choice(REALS + [struct.unpack("<d", rng.randbytes(8))[0]])


def blob(rng, old):
    """A blob in the place of another: cut, longer, flipped, with numbers that are lengths to whoever reads them."""
    old = old if isinstance(old, bytes) else b""
    kind = rng.randrange(10)
    if kind == 0:
        return b""
    if kind == 1:
        return old[:rng.randrange(len(old) + 1)]
    if kind == 2:
        return old + rng.randbytes(rng.choice([1, 7, 8, 4096, 10**6]))
    if kind == 3:
        return bytes(rng.choice([1, 8, 64, 10**6]))
    if kind == 4:
        return rng.randbytes(rng.choice([1, 8, len(old), 10**5]))
    if kind == 5:
        return b"forgotten"
    changed = bytearray(old or b"\0" * 8)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        at = rng.randrange(len(changed))
        if kind == 6:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 7:
            changed[at:at + 8] = struct.pack("<d", double(rng))
        elif kind == 8:
            changed[at:at + 8] = struct.pack("<q", rng.choice(INTEGERS))
        else:
            changed[at:at + 4] = struct.pack("<I", rng.choice([0, 1, 2**31, 2**32 - 1, 2**24, 65537]))
    return bytes(changed)


def number(rng, whole):
    if whole:
        return rng.choice(INTEGERS + [rng.getrandbits(63) - 2**62, rng.randrange(50)])
    return double(rng)
