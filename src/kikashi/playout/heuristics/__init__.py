"""The heuristics of the papers, one file per family. New files are found automatically."""
