"""Worlds on a graphics card: on a stand-in for one, whose memory is the host's (tests/cuda/standin.cpp)."""
import gc
import os
import sys
import types

import numpy as np
import pytest

import zilch
from zilch import _core, _cuda

STANDIN = os.environ.get("ZILCH_CUDA_STANDIN", "")
needs_standin = pytest.mark.skipif(not STANDIN, reason="there is no stand-in for a card")


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """The stand-in in the place of the library, loaded anew in each test."""
    monkeypatch.setattr(_cuda, "_library", None)
    monkeypatch.setenv("ZILCH_CUDA_LIBRARY", STANDIN)


def on_card(array):
    """What PyTorch and others would give for an array on the card."""
    interface = {"shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False), "strides": None,
                 "version": 2}
    return types.SimpleNamespace(__cuda_array_interface__=interface, kept=array)


def expect_same(card, own):
    for there, here in zip(card, own, strict=True):
        assert np.array_equal(there.numpy(), here)


@needs_standin
@pytest.mark.parametrize("continuous", [True, False])
def test_worlds_are_those_of_the_processor(continuous):
    arguments = {"continuous": continuous, "enable_wind": continuous, "max_episode_steps": 150}
    card, own = zilch.LunarLander(6, device="cuda", **arguments), zilch.LunarLander(6, **arguments)
    assert isinstance(card, zilch.LunarLander)
    expect_same(card.reset(seed=3)[:1], own.reset(seed=3)[:1])
    rng, ended = np.random.default_rng(1), 0
    for _ in range(250):
        actions = rng.uniform(-1, 1, (6, 2)).astype(np.float32) if continuous else rng.integers(0, 4, 6)
        seen = own.step(actions)
        expect_same(card.step(on_card(actions))[:4], seen[:4])
        ended += int((seen[2] | seen[3]).sum())
    assert ended > 6


@needs_standin
def test_masks_and_seeds():
    card = zilch.LunarLander(4, device="cuda:0", autoreset_mode="Disabled")
    own = zilch.LunarLander(4, autoreset_mode="Disabled")
    with pytest.raises(RuntimeError, match="reset all worlds with seeds first"):
        card.step(on_card(np.zeros(4, np.int64)))
    seeds = [5, 9, 1, 2**64 - 1]
    expect_same(card.reset(seed=seeds)[:1], own.reset(seed=seeds)[:1])
    mask = np.array([True, False, False, True])
    expect_same(card.reset(options={"reset_mask": on_card(mask)})[:1], own.reset(options={"reset_mask": mask})[:1])
    expect_same(card.reset()[:1], own.reset()[:1])
    with pytest.raises(ValueError, match="all worlds must have a seed, or none"):
        card.reset(seed=[1, None, 2, 3])


@needs_standin
def test_arrays_say_where_they_are():
    card = zilch.LunarLander(3, device="cuda")
    observations, _ = card.reset(seed=1)
    interface = observations.__cuda_array_interface__
    assert interface["shape"] == (3, 8) and interface["typestr"] == "<f4" and interface["stream"] == 1
    assert observations.__dlpack_device__() == (2, 0)
    capsule = observations.__dlpack__(stream=7)
    assert "dltensor" in repr(capsule)
    with pytest.raises(BufferError):
        observations.__dlpack__(dl_device=(1, 0))
    _, rewards, terminated, _, _ = card.step(on_card(np.zeros(3, np.int64)))
    assert rewards.__cuda_array_interface__["typestr"] == "<f8" and terminated.__cuda_array_interface__["typestr"] == "|b1"
    assert observations.__cuda_array_interface__["data"] == interface["data"]  # the same memory at every step
    del card, rewards, terminated, capsule
    gc.collect()
    assert observations.numpy().shape == (3, 8)  # the worlds live as long as an array of theirs


@needs_standin
@pytest.mark.parametrize("arguments, wrong, problem", [
    ({}, np.zeros(3, np.int64), TypeError), ({}, on_card(np.zeros(3, np.int32)), ValueError),
    ({}, on_card(np.zeros(2, np.int64)), ValueError), ({"continuous": True}, on_card(np.zeros((2, 3), np.float32)), ValueError),
    ({"continuous": True}, on_card(np.zeros((3, 2), np.float16)), ValueError)])
def test_actions_must_fit(arguments, wrong, problem):
    card = zilch.LunarLander(3, device="cuda", **arguments)
    card.reset(seed=1)
    with pytest.raises(problem, match="actions: must be"):
        card.step(wrong)


@needs_standin
def test_what_is_missing_is_said(monkeypatch):
    with pytest.raises(ValueError, match="there is no card 7"):
        zilch.LunarLander(device="cuda:7")
    with pytest.raises(ValueError, match="gravity"):
        zilch.LunarLander(device="cuda", gravity=1.0)
    monkeypatch.setenv("ZILCH_STANDIN_MEMORY", "10000")
    with pytest.raises(MemoryError, match="out of memory on the card: 1000 worlds"):
        zilch.LunarLander(1000, device="cuda")
    monkeypatch.setenv("ZILCH_STANDIN_CARDS", "0")
    with pytest.raises(NotImplementedError, match="no NVIDIA graphics card"):
        zilch.LunarLander(device="cuda")


def test_without_the_library(monkeypatch):
    monkeypatch.setenv("ZILCH_CUDA_LIBRARY", "/nowhere/libzilch_cuda.so")
    with pytest.raises(NotImplementedError, match="libzilch_cuda cannot be loaded.*ZILCH_CUDA=ON"):
        zilch.LunarLander(device="cuda")
    for wrong in ("gpu", "cuda:x", "cuda1"):
        with pytest.raises(ValueError, match="device: must be cpu, cuda"):
            zilch.LunarLander(device=wrong)
    with pytest.raises(ValueError, match="NextStep or Disabled"):
        zilch.LunarLander(device="cuda", autoreset_mode="SameStep")


def test_lent_memory_is_kept_and_given_back():
    class Lent:
        def __init__(self):
            self.numbers = np.arange(6.0)

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            return _core.dlpack(self, self.numbers.ctypes.data, (2, 3), 2, 64, 1, 0)

    lent = Lent()
    before = sys.getrefcount(lent)
    capsule = lent.__dlpack__()
    assert sys.getrefcount(lent) == before + 1
    del capsule  # nobody took it
    assert sys.getrefcount(lent) == before
    taken = np.from_dlpack(lent)
    assert taken.shape == (2, 3) and taken[1, 2] == 5.0
    lent.numbers[5] = 7.0
    assert taken[1, 2] == 7.0
    assert sys.getrefcount(lent) == before + 1
    del taken
    gc.collect()
    assert sys.getrefcount(lent) == before
    with pytest.raises(ValueError, match="too many axes"):
        _core.dlpack(lent, 0, (1,) * 5, 2, 64, 1, 0)
