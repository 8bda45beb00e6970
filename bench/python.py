"""What Python costs: the package beside the C library in one run, and its worlds beside Gymnasium's and EnvPool's.

    python3 bench/python.py build/release/libzilch.so

needs the package, Gymnasium with Box2D, and EnvPool where it installs (its row is left out otherwise). Every pair is measured
in turns, best of several, one thread: only the ratios mean something on another machine.
"""
import argparse
import ctypes
import time

import gymnasium
import numpy as np

import zilch

DIM, POPULATION, WORLDS = 90, 500, 4096
pointer = ctypes.c_void_p


def library(path):
    lib = ctypes.CDLL(path)
    lib.zilch_set_blas_threads(1)
    lib.zilch_lander_terminated.restype = lib.zilch_lander_truncated.restype = pointer
    lib.zilch_lander_step.argtypes = [pointer, pointer]
    lib.zilch_lander_reset.argtypes = [pointer, ctypes.c_size_t, ctypes.c_uint64]
    lib.zilch_lander_restart.argtypes = [pointer, ctypes.c_size_t]
    lib.zilch_optimizer_ask.argtypes = lib.zilch_optimizer_tell.argtypes = [pointer, ctypes.c_size_t, pointer, pointer]
    return lib


def seconds_of(function):
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


# ---- A generation outside the objective: tell, then ask

def value_of(x):
    return (np.arange(1, DIM + 1) * x**2).sum(axis=1)


def generation_in_c(lib):
    search = pointer()
    assert lib.zilch_optimizer_create(ctypes.byref(search), ctypes.c_size_t(DIM), ctypes.c_uint64(1), None) == 0
    ids, x = np.empty(POPULATION, np.uint64), np.empty((POPULATION, DIM))
    lib.zilch_optimizer_ask(search, POPULATION, ids.ctypes.data, x.ctypes.data)
    value = value_of(x)
    at = ids.ctypes.data, x.ctypes.data, value.ctypes.data

    def work():
        lib.zilch_optimizer_tell(search, POPULATION, at[0], at[2])
        lib.zilch_optimizer_ask(search, POPULATION, at[0], at[1])

    seconds = seconds_of(work)
    lib.zilch_optimizer_destroy(search)
    return seconds


def generation_in_python():
    search = zilch.Optimizer(DIM)
    ids, x = search.ask()
    value = value_of(x)

    def work():
        search.tell(ids, value)
        search.ask()

    return seconds_of(work)


# ---- Steps of the lander, with what follows an ending; random actions

def random_actions(worlds, count=16):
    return np.random.default_rng(1).uniform(-1, 1, (count, worlds, 2)).astype(np.float32)


def c_batch(lib, worlds, steps):
    lander = pointer()
    assert lib.zilch_lander_create(ctypes.byref(lander), ctypes.c_size_t(worlds), None) == 0
    for i in range(worlds):
        lib.zilch_lander_reset(lander, i, i)
    flags = [np.ctypeslib.as_array(ctypes.cast(get(lander), ctypes.POINTER(ctypes.c_uint8)), (worlds,))
             for get in (lib.zilch_lander_terminated, lib.zilch_lander_truncated)]
    actions = random_actions(worlds).astype(np.float64)
    at = [part.ctypes.data for part in actions]

    def work():
        ended = np.empty(0, dtype=np.int64)
        for k in range(steps):
            lib.zilch_lander_step(lander, at[k % len(at)])
            for i in ended:
                lib.zilch_lander_restart(lander, i)
            ended = np.flatnonzero(flags[0] | flags[1])

    rate = worlds * steps / seconds_of(work)
    lib.zilch_lander_destroy(lander)
    return rate


def vector(envs, steps):
    actions = random_actions(envs.num_envs)
    envs.reset(seed=0)

    def work():
        for k in range(steps):
            envs.step(actions[k % len(actions)])

    rate = envs.num_envs * steps / seconds_of(work)
    envs.close()
    return rate


def ours(worlds, steps):
    return vector(gymnasium.make_vec("zilch/LunarLander-v3", num_envs=worlds, continuous=True), steps)


def gymnasiums(mode, worlds, steps):
    return vector(gymnasium.make_vec("LunarLander-v3", num_envs=worlds, vectorization_mode=mode, continuous=True), steps)


def envpools(worlds, steps):
    import envpool

    envs = envpool.make_gymnasium("LunarLanderContinuous-v3", num_envs=worlds, num_threads=1)
    actions = random_actions(worlds)
    envs.reset()

    def work():
        for k in range(steps):
            envs.step(actions[k % len(actions)])

    return worlds * steps / seconds_of(work)


# ---- The tables

def in_turns(repeats, best, *functions):
    """Each function's best figure, all of them called in turns."""
    return [best(figures) for figures in zip(*([function() for function in functions] for _ in range(repeats)))]


def row(name, figure, reference):
    print(f"| {name} | {figure:,.4g} | {figure / reference:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libzilch.so of the same sources")
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    lib = library(arguments.library)

    c, python = in_turns(5 * arguments.repeats, min, lambda: generation_in_c(lib), generation_in_python)
    print(f"| a generation, d = {DIM}, N = {POPULATION} | ms | ratio |\n|---|---|---|")
    row("C: zilch_optimizer_tell, zilch_optimizer_ask", 1e3 * c, 1e3 * c)
    row("Python: tell, ask", 1e3 * python, 1e3 * c)

    c, python = in_turns(arguments.repeats // 2, max, lambda: c_batch(lib, WORLDS, 50), lambda: ours(WORLDS, 50))
    print("\n| Lunar Lander, continuous, one thread | steps/s | ratio |\n|---|---|---|")
    row(f"C: zilch_lander_step, {WORLDS} worlds", c, c)
    row(f"zilch.LunarLander, {WORLDS} worlds", python, c)
    rivals = {"zilch.LunarLander, 16 worlds": lambda: ours(16, 500),
              "gymnasium sync, 16 worlds": lambda: gymnasiums("sync", 16, 100),
              "gymnasium async, 16 worlds, all processors": lambda: gymnasiums("async", 16, 100)}
    try:
        envpools(16, 10)
        rivals |= {f"EnvPool, {n} worlds": lambda n=n: envpools(n, 3200 // n) for n in (16, 1024)}
    except Exception as error:  # not here, or another name of the environment
        print(f"EnvPool: {type(error).__name__}: {error}")
    for (name, _), figure in zip(rivals.items(), in_turns(3, max, *rivals.values())):
        row(name, figure, c)


if __name__ == "__main__":
    main()
