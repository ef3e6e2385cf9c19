"""How the offline provider summarises, answers, lists and shows."""

from __future__ import annotations

import pytest

from tests.workers.infer.providers.offline import readmes
from tests.workers.infer.providers.talk import Folder, ask

pytestmark = pytest.mark.anyio


async def summary(text: str, name: str = "README.md") -> str:
    run = await ask(f'Summarize "{name}"', {name: text})
    assert run.output.finish_reason == "stop"
    return run.text


def place(text: str, words: str) -> str:
    """`README.md:LINE` of the line that holds these words."""
    return f"README.md:{next(at for at, line in enumerate(text.splitlines(), 1) if words in line)}"


async def test_a_summary_has_title_lead_outline_start_and_key_points() -> None:
    text = await summary(readmes.BADGES_FIRST)
    assert text.startswith("# Tidepool\n\nTidepool keeps a local copy of remote tables")
    assert "- Install\n- Use\n  - Proxies\n- Limits\n- License\n" in text
    assert f"How to start ({place(readmes.BADGES_FIRST, 'pip install')}):\n\n    pip install tidepool\n" in text
    assert f"so reads never wait for the network. ({place(readmes.BADGES_FIRST, 'never wait')})" in text


async def test_badges_navigation_tables_of_contents_and_the_licence_are_no_content() -> None:
    text = await summary(readmes.BADGES_FIRST)
    assert not any(noise in text for noise in ("CI", "Coverage", "Chat", "Contents", "license text"))


async def test_html_gives_its_words_and_keeps_its_tags() -> None:
    text = await summary(readmes.HTML_BLOCKS)
    assert text.startswith("# Lantern\n\nLantern draws charts of log files")
    assert "    lantern --help" in text
    assert "<" not in text
    assert "do not edit" not in text


async def test_plain_text_without_headings_is_summarised_under_its_name() -> None:
    text = await summary(readmes.NO_HEADINGS, "notes.txt")
    assert text.startswith("# notes.txt\n\nQuill turns a folder of notes")
    assert "Outline" not in text


async def test_one_line_is_its_own_summary() -> None:
    assert "A tiny timer for the command line." in await summary(readmes.ONE_LINE)


async def test_restructured_text_is_read() -> None:
    text = await summary(readmes.RST, "README.rst")
    assert text.startswith("# Granite\n\nGranite checks that backups can be restored.")
    assert "- Installation\n  - Usage\n" in text
    assert "    pip install granite" in text
    assert ".. image" not in text
    assert "example.com" not in text


async def test_chinese_is_summarised_by_its_sentences() -> None:
    text = (await ask("总结 README.md。", {"README.md": readmes.CHINESE})).text
    assert text.startswith("# 小工具\n\n小工具是一个把文本文件整理成摘要的命令行程序。")
    assert "- 安装\n- 超时\n" in text
    assert "如果文件太大，程序会先截断文件，再说明截断的位置。 (README.md:15)" in text


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How do I set a proxy? See README.md", readmes.BADGES_FIRST, "Set `TIDEPOOL_PROXY` to"),
        ("What is the limit of a pool in README.md?", readmes.BADGES_FIRST, "A pool holds at most 4 GiB"),
        ("what is the default of --jobs in README.md?", readmes.TABLE, "how many files are read"),
        ("README.md 的默认超时时间是多少？", readmes.CHINESE, "默认的超时时间是三十秒"),
        ("README.md で時間はどう指定しますか？", readmes.JAPANESE, "時間を分で指定"),
        ("Which value is kept for 500 days in README.md?", readmes.LONG, "is kept for 500 days"),
    ],
)
async def test_a_question_gets_the_best_passage_with_its_line(question: str, text: str, answer: str) -> None:
    run = await ask(question, {"README.md": text})
    head, passage = run.text.split("\n\n")[1:3]
    assert head.split(" ")[0] == place(text, answer)
    assert answer in passage


async def test_a_question_about_several_files_names_the_file_of_each_passage() -> None:
    run = await ask("What do a.md and b.md say about bees?", {"a.md": "Bees sleep.", "b.md": "Rain.\n\nBees dance."})
    assert "a.md:1" in run.text
    assert "b.md:3" in run.text


async def test_a_question_without_a_match_says_so() -> None:
    run = await ask("What does README.md say about quasars?", {"README.md": readmes.NO_HEADINGS})
    assert run.text.startswith("No passage of README.md has a word in common with the question.")


async def test_a_number_of_sentences_is_respected() -> None:
    run = await ask("Summarize README.md in two sentences", {"README.md": readmes.BADGES_FIRST})
    assert run.text.count("\n- ") == 2


async def test_a_file_of_five_thousand_lines_gets_a_short_answer() -> None:
    assert readmes.LONG.count("\n") > 4_999
    text = await summary(readmes.LONG)
    assert text.startswith("# Ledger\n\nLedger records who changed which setting")
    assert "- … and 821 more" in text
    assert text.count("\n") <= 45


async def test_source_code_is_summarised_by_its_docstring_and_definitions() -> None:
    code = '"""Keeps bees warm."""\n\nimport os\n\n\nclass Hive:\n    def heat(self) -> None:\n        os.sync()\n'
    text = await summary(code, "src/hive.py")
    assert text.startswith("# src/hive.py\n\nKeeps bees warm.\n")
    assert "- class Hive: (src/hive.py:6)\n  - def heat(self) -> None: (src/hive.py:7)" in text


async def test_data_is_summarised_by_its_sections() -> None:
    text = await summary('[project]\nname = "x"\n\n[tool.x]\na = 1\n', "pyproject.toml")
    assert "- [project] (pyproject.toml:1)" in text


async def test_showing_a_file_shows_its_first_lines_as_they_are() -> None:
    run = await ask("show me Makefile", {"Makefile": "all: build\n\nbuild:\n\tgo build\n"})
    assert "    all: build\n\n    build:\n        go build\n" in run.text


async def test_an_empty_file_is_a_success() -> None:
    assert "empty.md is empty." in await summary("", "empty.md")


async def test_a_listing_is_annotated() -> None:
    run = await ask("list the files in app", {"app/README.md": "", "app/src/a.py": "", "app/LICENSE": ""})
    assert run.text.startswith("app/ has 1 folder and 2 files.\n\n- src/\n- README.md - says what this is\n")


async def test_a_listing_with_sizes_and_a_cut_shows_the_names_and_the_cut() -> None:
    run = await ask("list files", Folder(other={"list_dir": "src/\na.md\t12 bytes\n[cut: first 2 of 90 entries]"}))
    assert run.text == "This folder has 1 folder and 1 file.\n\n- src/\n- a.md\n\n[cut: first 2 of 90 entries]\n"


async def test_an_empty_folder_has_nothing() -> None:
    run = await ask("list files", Folder(other={"list_dir": "(empty folder)"}))
    assert run.text.startswith("This folder has 0 folders and 0 files.")


async def test_a_listing_as_json_is_understood() -> None:
    entries = '{"entries": [{"name": "src", "type": "directory"}, {"name": "a.md", "type": "file", "size": 3}]}'
    run = await ask("list files", Folder(other={"list_dir": entries}))
    assert "- src/\n- a.md" in run.text
