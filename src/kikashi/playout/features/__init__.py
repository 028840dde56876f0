"""The features of moves that come with the package: one small file for each idea. Every file registers itself."""
