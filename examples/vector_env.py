"""A loop in CleanRL's manner, on 64 worlds at once: a linear actor and a quadratic critic learn to land, with NumPy alone."""
import sys

import gymnasium
import numpy as np

import zilch  # noqa: F401  (after this import Gymnasium knows the environment)

updates = int(sys.argv[1]) if len(sys.argv) > 1 else 300
envs = gymnasium.make_vec("zilch/LunarLander-v3", num_envs=64)
envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs, buffer_length=256)
rng = np.random.default_rng(1)
actor, critic, gamma, keep, steps = np.zeros((9, 4)), np.zeros(45), 0.995, 0.95, 128


def features(obs):
    first = np.column_stack([obs, np.ones(len(obs))])
    return first, np.einsum("ni,nj->nij", first, first)[:, *np.triu_indices(9)]


next_obs, _ = envs.reset(seed=1)
for update in range(updates):
    batch = []
    for _ in range(steps):
        first, square = features(next_obs)
        chance = np.exp(first @ actor - (first @ actor).max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        action = (chance.cumsum(axis=1) > rng.random((64, 1))).argmax(axis=1)
        next_obs, reward, terminated, truncated, _ = envs.step(action)
        batch.append((first, square, np.eye(4)[action] - chance, reward / 100, ~(terminated | truncated)))
    value, advantage, after = features(next_obs)[1] @ critic, 0.0, []
    for first, square, push, reward, goes_on in reversed(batch):  # generalised advantage estimation
        advantage = reward + gamma * goes_on * (value + keep * advantage) - square @ critic
        value = square @ critic
        after.insert(0, advantage)
    first, square, push, advantage = (np.concatenate(part) for part in (*list(zip(*batch))[:3], after))
    critic += np.linalg.solve(square.T @ square + np.eye(45), square.T @ advantage)
    actor += 8 * first.T @ (push * ((advantage - advantage.mean()) / advantage.std())[:, None]) / len(push)
    if update % 50 == 49:
        print(f"{(update + 1) * steps * 64} steps: mean return {np.mean(envs.return_queue):.1f}")
