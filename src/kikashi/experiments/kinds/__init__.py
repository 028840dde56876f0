"""Kinds of experiments of the package, one file each; `kikashi.experiments.kind` finds them by their names."""
