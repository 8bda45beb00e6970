"""The sampler of zilch, for OptunaHub."""

from zilch.optuna import Sampler as ZilchSampler

__all__ = ["ZilchSampler"]
