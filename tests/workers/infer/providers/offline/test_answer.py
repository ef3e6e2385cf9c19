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
    assert "- class Hive (src/hive.py:6)\n  - def heat(self) -> None (src/hive.py:7)" in text


async def test_data_is_summarised_by_its_sections() -> None:
    text = await summary('[project]\nname = "x"\n\n[tool.x]\na = 1\n', "pyproject.toml")
    assert "- [project] (pyproject.toml:1)" in text


async def test_showing_a_file_shows_its_first_lines_as_they_are() -> None:
    run = await ask("show me Makefile", {"Makefile": "all: build\n\nbuild:\n\tgo build\n"})
    assert "    all: build\n\n    build:\n        go build\n" in run.text


async def test_an_empty_file_is_a_success() -> None:
    assert "empty.md is empty." in await summary("", "empty.md")


async def test_a_listing_is_annotated() -> None:
    files = {
        "app/README.md": "# App\n\nThe app shows the tides of today and tomorrow.\n",
        "app/hive.py": '"""Keeps bees warm. And dry."""\n',
        "app/run.go": "package main\n\nfunc main() {\n}\n",
        "app/src/a.py": "",
    }
    run = await ask("what is in app/", files)
    assert run.text.startswith(
        "app/ has 1 folder and 3 files.\n\n- src/\n- README.md - App: The app shows the tides of today and tomorrow.\n"
        "- hive.py - Keeps bees warm.\n- run.go - func main\n"
    )
    assert "- not looked at: what is in the folders\n" in run.text


async def test_a_listing_with_sizes_and_a_cut_shows_the_names_and_the_cut() -> None:
    listing = "src/\na.png\t12 bytes\nb.md\t0 bytes\n[cut: first 3 of 90 entries]"
    run = await ask("list files", Folder(other={"list_dir": listing}))
    assert run.text.startswith(
        "This folder has 1 folder and 2 files.\n\n- src/\n- a.png\n- b.md - empty\n\n[cut: first 3 of 90 entries]\n"
    )


async def test_an_empty_folder_has_nothing() -> None:
    run = await ask("list files", Folder(other={"list_dir": "(empty folder)"}))
    assert run.text.startswith("This folder has 0 folders and 0 files.")


async def test_a_listing_with_labels_is_understood() -> None:
    run = await ask("list files", Folder(other={"list_dir": "[FILE] a.png\n[DIR] src"}))
    assert "- src/\n- a.png" in run.text


async def test_a_question_about_a_folder_is_answered_from_its_files() -> None:
    run = await ask("How do I set a proxy in docs/?", {"docs/net.md": readmes.BADGES_FIRST, "docs/a.md": "# A\n"})
    assert "docs/net.md:" in run.text
    assert "Set `TIDEPOOL_PROXY` to" in run.text


async def test_a_summary_and_a_listing_in_one_request_are_both_given() -> None:
    files = {"README.md": readmes.BADGES_FIRST, "src/hive.py": '"""Keeps bees warm."""\n'}
    run = await ask("Summarize this project and list the files in src", files)
    assert run.text.startswith("# Tidepool\n")
    assert "\nsrc/ has 0 folders and 1 file.\n\n- hive.py - Keeps bees warm.\n" in run.text


@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [
        (
            "a.py",
            "class A:\n    x = 1\n\n    def b(\n        self,\n    ):\n        '''Dry.'''\n",
            "def b(…) (a.py:4) - Dry",
        ),
        ("a.py", "def open():\n    def inner():\n        pass\n", "- def open() (a.py:1)\n"),
        ("a.py", "# Copyright 2020 Me\n\n'''Keeps bees.'''\n", "# a.py\n\nKeeps bees.\n"),
        ("a.rs", "/// Warms it.\n#[inline]\npub fn heat(a: u8) -> u8 {\n", "heat(a: u8) -> u8 (a.rs:3) - Warms it."),
        ("app.js", "/**\n * Warms.\n */\nexport function heat () {\n", "- export function heat () (app.js:4) - Warms."),
        (
            "main.c",
            "/* Keeps\n   bees. */\n\nint\nheat(int a)\n{\n  if (a) {\n",
            "Keeps bees.\n\nParts:\n\n- heat(int a) (",
        ),
        ("main.go", "// Warms it.\nfunc (h *Hive) Heat() {\n\tdefer x()\n", "Heat() (main.go:2) - Warms it."),
        ("run.sh", "#!/bin/sh\n# Keeps bees.\n\nheat() {\n  :\n}\n", "Keeps bees.\n\nParts:\n\n- heat() (run.sh:4)"),
        ("package.json", '{\n  "name": "x",\n  "description": "Keeps bees warm."\n}\n', "Keeps bees warm.\n"),
        ("Makefile", "A = 1\n\n# Builds it\nall: a\n\tcc a\n", "- all: a (Makefile:4) - Builds it"),
        ("a.yaml", "# Keeps bees.\na:\n  b: 1\nc: 2\n", "- a (a.yaml:2)"),
    ],
)
async def test_code_is_summarised_by_what_is_written_about_it(name: str, code: str, shown: str) -> None:
    text = await summary(code, name)
    assert shown in text
    assert "inner" not in text


async def test_code_that_is_cut_gives_what_can_be_seen() -> None:
    text = await summary('"""Keeps bees warm."""\n\n\ndef heat(a, b):\n    """Warms the hi', "hive.py")
    assert "Keeps bees warm." in text
    assert "- def heat(a, b) (hive.py:4) - Warms the hi" in text


async def test_what_a_lead_announces_is_shown_below_it() -> None:
    text = await summary(
        "# Pool\n\nThe pool has three parts that matter here:\n\n- water\n- a wall\n- a *pump*\n\nThe end.\n"
    )
    assert "that matter here:\n\n- water\n- a wall\n- a pump\n" in text


async def test_a_licence_is_no_lead_and_no_key_point() -> None:
    words = "Copyright 2020 by the keepers of all the bees.\n\nQuill prints a folder of notes as one booklet.\n"
    text = await summary(words, "notes.txt")
    assert text.startswith("# notes.txt\n\nQuill prints")
    assert "Copyright" not in text


async def test_front_matter_gives_a_title_and_keeps_the_lines() -> None:
    text = "---\ntitle: Tides\nlayout: page\n---\n\nTides come and go twice a day at the coast.\n"
    assert (await summary(text)).startswith("# Tides\n\nTides come and go")
    assert "README.md:6" in (await ask("When do tides come, says README.md?", {"README.md": text})).text


async def test_versions_are_no_outline_where_there_is_another() -> None:
    text = await summary("# A\n\n## Use\n\nx\n\n## 1.2.0\n\ny\n\n## v1.1.0 (2020)\n\ny\n\n## Limits\n\nz\n")
    assert "- Use\n- Limits\n" in text
    assert "1.2.0" not in text


async def test_plain_text_of_indented_paragraphs_and_capitals_is_read() -> None:
    text = "   The pump moves water from the well to the house.\n\nINSTALLATION\n\nCopy it.\n\nUSAGE\n\n    pump --on\n"
    shown = await summary(text, "README")
    assert shown.startswith("# README\n\nThe pump moves water from the well")
    assert "- INSTALLATION\n- USAGE\n" in shown
    assert "    pump --on" in shown


async def test_a_file_that_markdown_cannot_hold_is_read_as_plain_text() -> None:
    text = "# Long\n\nLong is about very long texts and what they hold.\n\n" + "word " * 30_000
    assert (await summary(text)).startswith("# Long\n\nLong is about very long texts")
