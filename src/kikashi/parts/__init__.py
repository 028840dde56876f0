"""Parts: kinds, their registry, how they are named, wired and called, and plugins."""
