"""The options of the library's tables, for type checkers. The text of zilch._options.stub()."""

from typing import Literal, TypedDict

from numpy.typing import ArrayLike

class OptimizerOptions(TypedDict, total=False):
    aggregate: Literal["latest", "mean", "later"] | None
    """Which value counts for a point that was evaluated more than once: the latest, the mean, or the mean of all but
    the first, which was a lucky one. Default: "later"."""
    archive_size: int | None
    """How many of the best points keep their coordinates, at least as many as elites; 0: all. Default: 0."""
    direction: Literal["minimize", "maximize"] | None
    """Whether small or large values are good. Default: "minimize"."""
    elites: int | None
    """Best points, to which the distribution is fitted; fewer than the population; 0: a fifth of it. They can be
    given only with a population. Default: 0."""
    expected_evaluations: int | None
    """Evaluations that the search will have, which say how large an automatic population is; 0: the limit of
    evaluations that it is run with, if there is one. Default: 0."""
    immigrants: float | None
    """Share of the new points in which one active value is drawn as in the first points. Default: 0.05."""
    initial_mu: float | None
    """Mean of the active coordinates in the first points, where neither bounds nor x0 say it. Default: 0."""
    initial_p: float | None
    """Share of active coordinates in the first points. Default: 0.5."""
    initial_sigma: float | None
    """Standard deviation of the active coordinates in the first points, where neither two bounds nor a scale say it.
    Default: 2."""
    initial_spread: float | None
    """Correlation between the masks of the first points. Above 0 some points are dense and some are sparse; at 0.5
    every number of active coordinates is equally likely. Default: 0.1."""
    inverter: Literal["exact", "amortised"] | None
    """How latent correlations follow from observed ones: in closed form, or by trained networks. Default: "exact"."""
    margin: float | None
    """Number of coordinates in which a new point is expected to differ from what all elites agree on, at most a tenth
    of all; 0: what all elites have lost never comes back. Default: 0.5."""
    max_active: int | None
    """The greatest number of active coordinates; 0: no limit. Default: 0."""
    mean_shift: float | None
    """Share of the new points that are moved on by twice the last step of the mean. Default: 0.25."""
    method: Literal["default", "published", "gaussian", "adhoc", "ea"] | None
    """How new points are made; the last three are there to compare with. Default: "default"."""
    min_active: int | None
    """The least number of active coordinates. Default: 0."""
    penalty: ArrayLike | None
    """Penalty for each active (nonzero) coordinate. A coordinate stays active only if it improves the value by more
    than this. Default: 0."""
    population: int | None
    """Points in each generation; 0: automatic. Default: 0."""
    prior_sigma: float | None
    """The standard deviations of the last generation count like this many elites in the fit. Default: 5."""
    projection: Literal["clip", "repair", "nearest", "weighted"] | None
    """How the correlations become a positive definite matrix. Default: "clip"."""
    quorum: float | None
    """A generation closes when this share of its population has been told. Default: 1."""
    rank: int | None
    """The greatest number of factors, for structure low-rank. Default: 10."""
    reactivation: float | None
    """Share of the other points in which a dropped coordinate is tried again with small values: its old spread times
    how much the others have narrowed since. Default: 0.5."""
    recombination: float | None
    """Share of the new points whose active values are copied from elites, each from another one. Default: 0.02."""
    reevaluate: Literal["all", "uncertain", "none"] | None
    """Which elites are evaluated again: all, those that noise may have put among the elites, or none. Default:
    "uncertain"."""
    refinement: bool | None
    """Whether the best point is improved by local models too, where values have no noise and archive_size is 0.
    Default: True."""
    shrinkage: Literal["none", "entrywise", "bayes", "fisher", "all"] | None
    """How latent correlations shrink towards 0, by their standard errors. Default: "fisher"."""
    sigma_floor: float | None
    """No standard deviation of the distribution is below this. Default: 0."""
    smoothing: bool | None
    """Whether noisy values are smoothed by what each coordinate adds on average, so that points are not ranked by
    luck. Default: True."""
    structure: Literal["full", "diagonal", "low-rank"] | None
    """Correlations of the distribution: any; none; or those of a few common factors, for thousands of coordinates.
    Default: "full"."""
    variance_scaling: bool | None
    """Whether the standard deviations grow while improvements come from far outside. Default: True."""
    weighting: Literal["equal", "linear"] | None
    """How much an elite counts in the fit: all the same, or by rank. Default: "linear"."""

class SearchOptions(OptimizerOptions, total=False):
    evaluations: int | None
    """Evaluations in all: those of the search and of the final check; 0: no limit. Default: 0."""
    generations: int | None
    """Stop the search after this many generations, before the final check; 0: no limit. Default: 0."""
    stagnation: int | None
    """Stop after this many generations without a better fitness; 0: no limit. Default: 0."""
    target: float | None
    """Stop when a feasible point has a value this good. Default: None."""
    final_candidates: int | None
    """Best points that are evaluated again at the end if values have noise; 0: up to 20. Default: 0."""
    final_front: int | None
    """If values have noise, evaluate each point of the front again at the end until it has this many evaluations.
    They are a part of evaluations, a fifth of them at first. Default: 0."""
    final_pruning: bool | None
    """Whether coordinates that are not missed are left out at the end. Default: True."""
