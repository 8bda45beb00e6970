"""Fit the distribution to data with many exact zeros and look at what goes with what: which are active together, whose values do."""
import numpy as np

import zilch
import zilch.plot

rng = np.random.default_rng(1)
rain = rng.random(3000) < 0.3  # days; drains, pumps and the overflow run when it rains, some more than others
flow = np.where(rain, rng.gamma(4.0, 1.0, 3000), 0.0)
runs = [flow > threshold for threshold in (0.5, 2.0, 5.0)]
X = np.column_stack([np.where(on, 2 + flow * share + rng.normal(0, 0.3, 3000), 0) for on, share in zip(runs, (1, 0.6, 0.3))])
X = np.column_stack([X, np.where(rng.random(3000) < 0.5, rng.normal(3, 1, 3000), 0)])  # and something that is not about rain

model = zilch.ZeroInflatedGaussian().fit(X)
names = [f"value {i}" for i in range(1, 5)] + [f"mask {i}" for i in range(1, 5)]
rows, columns = np.triu_indices(8, 1)
for k in np.argsort(-np.abs(model.corr_[rows, columns]))[:6]:
    print(f"{names[rows[k]]:8s} {names[columns[k]]:8s} {model.corr_[rows[k], columns[k]]:6.2f}")
zilch.plot.correlations(model).figure.savefig("correlations.png", dpi=100)
print("correlations.png")
