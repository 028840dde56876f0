"""Old place of the openings."""

from kikashi.match.settings import (
    Opening as Opening,
    file_openings as file_openings,
    own_openings as own_openings,
    read_openings as read_openings,
)
