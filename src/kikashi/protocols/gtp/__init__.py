"""The Go Text Protocol: the engine's side, and the controller's, which drives other engines."""
