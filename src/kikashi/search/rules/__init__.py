"""The rules of the papers for selection, expansion and backup, one small file per family."""
