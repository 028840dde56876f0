"""The heuristics of the papers, one small file per family. A new file here is found by itself."""
