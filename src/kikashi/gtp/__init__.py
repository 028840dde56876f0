"""The Go Text Protocol: for now the controller's side, which drives other engines."""
