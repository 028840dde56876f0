"""What a person sees in a terminal: boards, a game at a prompt, the demonstration."""
