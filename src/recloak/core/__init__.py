"""What everything else builds on: ratings, parameters, errors, files, randomness, kernels."""
