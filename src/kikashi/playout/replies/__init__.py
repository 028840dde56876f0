"""The family of replies (Baier 2010, chapters 5 and 6): what to play again after the same moves."""
