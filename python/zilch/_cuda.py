"""Worlds of the Lunar Lander on an NVIDIA graphics card: what LunarLander(device="cuda") gives.

The card is used through libzilch_cuda, which a wheel does not have inside. It is loaded when the first card is asked for.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._lander import LunarLander

_FLOATS, _DOUBLES, _CHOICES = range(3)
_FORMS = {"<f4": _FLOATS, "<f8": _DOUBLES, "<i8": _CHOICES}
_LEGACY = (None, 0, 1)  # streams that are the legacy default stream, in DLPack and __cuda_array_interface__
_KCUDA = 2  # DLPack's number for memory of a card
_ERRORS: dict[int, type[Exception]] = {-1: ValueError, -2: MemoryError, -7: OSError, -9: NotImplementedError}


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("gravity", ctypes.c_double), ("wind", ctypes.c_int),
                ("wind_power", ctypes.c_double), ("turbulence_power", ctypes.c_double), ("max_steps", ctypes.c_uint),
                ("lanes", ctypes.c_uint)]


def _load() -> ctypes.CDLL:
    name = os.environ.get("ZILCH_CUDA_LIBRARY") or "libzilch_cuda.so.0"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise NotImplementedError(
            f"device: libzilch_cuda cannot be loaded ({error}); build zilch with -DZILCH_CUDA=ON and install it, or give the file's "
            "name in the environment as ZILCH_CUDA_LIBRARY") from None
    library.zilch_version.restype = library.zilch_last_error.restype = library.zilch_cuda_name.restype = ctypes.c_char_p
    library.zilch_lander_defaults.restype = _Options
    for name in ("observations", "rewards", "terminated", "truncated"):
        getattr(library, f"zilch_cuda_lander_{name}").restype = ctypes.c_void_p
    if library.zilch_version().decode() != _core.version():
        raise NotImplementedError(f"device: libzilch_cuda is of version {library.zilch_version().decode()}, the package of {_core.version()}")
    return library


_library: ctypes.CDLL | None = None


class _Card:
    """Worlds on a card and the card itself, which live as long as an array of them does."""

    def __init__(self, device: int, worlds: int, options: dict[str, Any]) -> None:
        global _library
        _library = _library or _load()
        self.library = _library
        self.card, self.worlds = ctypes.c_void_p(), ctypes.c_void_p()
        chosen = self.library.zilch_lander_defaults()
        for name, value in options.items():
            setattr(chosen, name, value)
        self.check(self.library.zilch_cuda_open(ctypes.byref(self.card), ctypes.c_uint(device)))
        self.device = device
        self.check(self.library.zilch_cuda_lander_create(ctypes.byref(self.worlds), self.card, ctypes.c_size_t(worlds),
                                                         ctypes.byref(chosen)))

    def check(self, status: int) -> None:
        if status != 0:
            raise _ERRORS.get(status, RuntimeError)(self.library.zilch_last_error().decode(errors="backslashreplace"))

    def call(self, name: str, *arguments: Any) -> None:
        self.check(getattr(self.library, f"zilch_cuda_lander_{name}")(self.worlds, *arguments))

    def __del__(self) -> None:
        if hasattr(self, "card"):
            self.library.zilch_cuda_lander_destroy(self.worlds)
            self.library.zilch_cuda_close(self.card)


class CudaArray:
    """An array on a card: ``torch.from_dlpack(array)``, ``cupy.asarray(array)``, ``jax.dlpack.from_dlpack(array)``.

    Nothing is copied. The next step of the worlds writes what it gives to the same memory: clone what you keep.
    """

    def __init__(self, card: _Card, name: str, shape: tuple[int, ...], dtype: str) -> None:
        self._card = card
        self._pointer = int(getattr(card.library, f"zilch_cuda_lander_{name}")(card.worlds))
        self._name = name
        self.shape, self.dtype = shape, np.dtype(dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._pointer, False), "strides": None, "stream": 1,
                "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return _KCUDA, self._card.device

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("the array can be shared where it is; numpy() copies it to the host")
        if stream not in _LEGACY and stream != -1:
            self._card.call("before", ctypes.c_void_p(int(stream)))
        code = {"f": 2, "b": 6}[self.dtype.kind]
        return _core.dlpack(self, self._pointer, self.shape, code, 8 * self.dtype.itemsize, *self.__dlpack_device__())

    def numpy(self) -> NDArray[Any]:
        """A copy on the host, after the step under way."""
        out = np.empty(self.shape, self.dtype)
        places = {"observations": None, "rewards": None, "terminated": None, "truncated": None, self._name: _address(out)}
        self._card.call("read", *places.values())
        return out

    def __repr__(self) -> str:
        return f"<zilch.CudaArray: {self._name}, {self.dtype} {self.shape}>"


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class CudaLander(LunarLander):
    """What ``LunarLander(num_envs, device="cuda")`` gives: the same worlds with the same bits, on a graphics card.

    Observations, rewards and flags are :class:`CudaArray` and stay on the card, in the same memory at every step. Actions are arrays on
    the card, such as tensors of PyTorch: float32 or float64 of the shape (num_envs, 2) for continuous worlds, else int64 of
    (num_envs,). A card cannot refuse an action: NaN is read as 0, and an unknown choice as nothing. ``autoreset_mode`` is
    "NextStep" or "Disabled"; a world that has ended then stays as it is until it is reset. A ``reset_mask`` is an array on
    the card too, of bool or uint8. Steps are queued on CUDA's legacy default stream, PyTorch's usual one.
    """

    def __init__(self, num_envs: int = 1, *, continuous: bool = False, gravity: float = -10.0, enable_wind: bool = False,
                 wind_power: float = 15.0, turbulence_power: float = 1.5, max_episode_steps: int = 1000,
                 autoreset_mode: Any = "NextStep", render_mode: None = None, device: str = "cuda") -> None:
        self._configure(num_envs, continuous, autoreset_mode, render_mode)
        if self.autoreset_mode == "SameStep":
            raise ValueError("autoreset_mode: on a card it is NextStep or Disabled")
        self._card = _Card(_number(device), self.num_envs, {
            "gravity": float(gravity), "wind": int(bool(enable_wind)), "wind_power": float(wind_power),
            "turbulence_power": float(turbulence_power),
            "max_steps": _arrays.count(max_episode_steps, "max_episode_steps", 1, 10**9)})
        n = self.num_envs
        self._observations = CudaArray(self._card, "observations", (n, 8), "<f4")
        self._results = (CudaArray(self._card, "rewards", (n,), "<f8"), CudaArray(self._card, "terminated", (n,), "|b1"),
                         CudaArray(self._card, "truncated", (n,), "|b1"))

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("worlds on a graphics card cannot be copied")

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """All worlds begin anew, or those of ``options["reset_mask"]``; seeds as on the processor, but for all worlds or none."""
        mask = None if options is None else options.get("reset_mask")
        with self._alone():
            seeds, is_seeded = self._seeds(seed)
            if is_seeded.any() and not is_seeded.all():
                raise ValueError("seed: on a card, all worlds must have a seed, or none")
            pointer = None if mask is None else self._given(mask, "reset_mask", ("|b1", "|u1"), (self.num_envs,))[0]
            self._card.call("reset", pointer, _address(seeds) if is_seeded.all() else None)
            self._is_fresh[:] = False
            return self._observations, {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step of every world: observations, rewards, terminations, truncations, info."""
        with self._alone():
            types, shape = (("<f4", "<f8"), (self.num_envs, 2)) if self.continuous else (("<i8",), (self.num_envs,))
            pointer, form = self._given(actions, "actions", types, shape)
            self._card.call("step", ctypes.c_int(_FORMS[form]), pointer, ctypes.c_int(self.autoreset_mode == "NextStep"))
            return self._observations, *self._results, {}

    def look(self, world: int = 0) -> dict[str, Any]:
        raise NotImplementedError("look: worlds on a graphics card cannot be drawn")

    def _given(self, array: Any, name: str, types: tuple[str, ...], shape: tuple[int, ...]) -> tuple[ctypes.c_void_p, str]:
        """Where an array on the card is, which is looked at without copying it; and its type."""
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            raise TypeError(f"{name}: must be an array on the card, with __cuda_array_interface__, not {type(array).__name__}")
        form, strides = interface["typestr"], interface.get("strides")
        each = np.dtype(form).itemsize
        rows = tuple(each * int(np.prod(shape[axis + 1:])) for axis in range(len(shape)))
        if form not in types or tuple(interface["shape"]) != shape or (strides is not None and tuple(strides) != rows):
            raise ValueError(f"{name}: must be {' or '.join(types)} of the shape {shape}, one row after the other, not {form} of "
                             f"{tuple(interface['shape'])}")
        if interface.get("stream") not in _LEGACY:
            self._card.call("after", ctypes.c_void_p(int(interface["stream"])))
        return ctypes.c_void_p(interface["data"][0]), form


def _number(device: Any) -> int:
    """Which card "cuda" or "cuda:1" is."""
    kind, colon, number = str(device).partition(":")
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise ValueError(f"device: must be cpu, cuda, or a card's number as in cuda:1, not {device!r}")
    return int(number or 0)
