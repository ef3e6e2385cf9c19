"""The file tools that come with Ditto. None is permitted by itself."""

from __future__ import annotations

from ditto_core.workers.interaction.tools.list_dir import create_list_dir_tool
from ditto_core.workers.interaction.tools.read_text import create_read_text_tool
from ditto_core.workers.interaction.tools.search_text import create_search_text_tool
from ditto_core.workers.interaction.tools.tool import RegisteredTool
from ditto_core.workers.interaction.tools.write_text import create_write_text_tool


def create_file_tools() -> tuple[RegisteredTool, ...]:
    """`read_text`, `list_dir`, `search_text` and `write_text`."""
    return (create_read_text_tool(), create_list_dir_tool(), create_search_text_tool(), create_write_text_tool())
