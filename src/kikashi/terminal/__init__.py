"""Terminal output: boards, a game at a prompt, the demonstration."""
