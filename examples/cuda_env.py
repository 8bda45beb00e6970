"""A loop in CleanRL's manner that stays on the graphics card: 4,096 worlds and an actor-critic network, with PyTorch."""
import sys

import torch
import zilch

updates = int(sys.argv[1]) if len(sys.argv) > 1 else 300
worlds, steps, gamma, keep = 4096, 32, 0.995, 0.95
envs = zilch.LunarLander(num_envs=worlds, device="cuda")
net = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
                          torch.nn.Linear(64, 5)).cuda()  # logits of four actions, and the value
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-5)
next_obs = torch.from_dlpack(envs.reset(seed=1)[0])  # the same memory at every step
flies = torch.ones(worlds, dtype=torch.bool, device="cuda")  # a world that has ended begins anew in the next step
total, finished, returns = torch.zeros(worlds, device="cuda"), 0, 0.0
for update in range(updates):
    batch = []
    for _ in range(steps):
        out = net(next_obs.clone())
        chance = torch.distributions.Categorical(logits=out[:, :4])
        action = chance.sample()
        _, reward, terminated, truncated, _ = envs.step(action)
        over = torch.from_dlpack(terminated) | torch.from_dlpack(truncated)
        reward = torch.from_dlpack(reward).float()
        batch.append((out[:, 4], chance.log_prob(action), chance.entropy(), reward / 100, ~over, flies))
        total += reward
        finished, returns = finished + over.sum(), returns + total[over].sum()
        total, flies = total * ~over, ~over
    with torch.no_grad():
        value, advantage, loss = net(next_obs)[:, 4], 0.0, 0.0
    for guess, log_chance, entropy, reward, goes_on, counts in reversed(batch):  # generalised advantage estimation
        advantage = (reward + gamma * goes_on * (value + keep * advantage) - guess).detach()
        value = guess.detach()
        loss += (counts * (0.5 * (advantage + value - guess) ** 2 - log_chance * advantage - 0.01 * entropy)).mean() / steps
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 50 == 49:
        print(f"{(update + 1) * steps * worlds} steps: mean return {returns / finished:.1f}")
        finished, returns = 0, 0.0
