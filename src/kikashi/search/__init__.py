"""Tree search: the tree, the rules that grow and judge it, and the one loop. Knows nothing of GTP or files."""
