"""The features of moves, one file per family. New files are found automatically."""
