"""The options of the library's tables, for type checkers. The text of zilch._options.stub()."""

from typing import Literal, TypedDict

class OptimizerOptions(TypedDict, total=False):
    aggregate: Literal["latest", "mean", "later"] | None
    archive_size: int | None
    direction: Literal["minimize", "maximize"] | None
    elites: int | None
    expected_evaluations: int | None
    immigrants: float | None
    initial_mu: float | None
    initial_p: float | None
    initial_sigma: float | None
    initial_spread: float | None
    inverter: Literal["exact", "amortised"] | None
    margin: float | None
    max_active: int | None
    mean_shift: float | None
    method: Literal["default", "published", "gaussian", "adhoc", "ea"] | None
    min_active: int | None
    penalty: float | None
    population: int | None
    prior_sigma: float | None
    projection: Literal["clip", "repair", "nearest", "weighted"] | None
    quorum: float | None
    rank: int | None
    reactivation: float | None
    recombination: float | None
    reevaluate: Literal["all", "uncertain", "none"] | None
    refinement: bool | None
    shrinkage: Literal["none", "entrywise", "bayes", "fisher", "all"] | None
    sigma_floor: float | None
    smoothing: bool | None
    structure: Literal["full", "diagonal", "low-rank"] | None
    variance_scaling: bool | None
    weighting: Literal["equal", "linear"] | None

class SearchOptions(OptimizerOptions, total=False):
    evaluations: int | None
    generations: int | None
    stagnation: int | None
    target: float | None
    final_candidates: int | None
    final_pruning: bool | None
