"""The table of ``kikashi bench bias``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from kikashi.experiments.bias import Bias


def bias_table(biases: Sequence[Bias]) -> Table:
    """A row per position: Black's true share of the judged points, and each policy's estimate and error."""
    table = Table(box=None, pad_edge=False)
    table.add_column("position", overflow="fold")
    table.add_column("truth", justify="right")
    for bias in biases:
        table.add_column(bias.policy.replace(",", "\n"), justify="right", no_wrap=True)
    for theme in biases[0].themes:
        means = [f"[bold]{bias.themes[theme]:.2f}" for bias in biases]
        table.add_row(f"[bold]{theme}", "", *means)
        for row in zip(*(bias.of_theme(theme) for bias in biases), strict=True):
            position = row[0].position
            cells = [f"[dim]{estimate.mean:.2f}[/] {estimate.error:.2f}" for estimate in row]
            table.add_row(f"  {position.name}", f"[dim]{position.mean_truth:.2f}", *cells)
    table.add_row("[bold]mean error of all", "", *(f"[bold]{bias.error:.3f}" for bias in biases))
    return table
