"""Old place of the files of players."""

from kikashi.match.match_player import (
    FileChanged as FileChanged,
    Files as Files,
    Plugin as Plugin,
    WeightsFile as WeightsFile,
    copy_path as copy_path,
    in_use as in_use,
)
