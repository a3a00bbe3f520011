"""Learning by self-play: settings, environments for stable-baselines3, the algorithm, runs and their files."""
