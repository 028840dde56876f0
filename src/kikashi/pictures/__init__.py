"""Pictures: boards and plots as SVG, tables for notebooks and pages."""
