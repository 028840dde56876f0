"""Learned weights: files, and the records that kernels read."""
