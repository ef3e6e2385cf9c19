"""READMEs in the shapes that people write them in."""

BADGES_FIRST = """\
[![CI](https://example.com/ci.svg)](https://example.com/ci)
[![Coverage](https://example.com/cov.svg)](https://example.com/cov)

# Tidepool

[Docs](https://example.com/docs) | [Chat](https://example.com/chat)

Tidepool keeps a local copy of remote tables and updates it in the background. It needs no server.

## Contents

- [Install](#install)
- [Use](#use)

## Install

Tidepool needs Python 3.11 or newer.

```sh
pip install tidepool
```

## Use

Open a pool and read from it. Every read answers from the local copy, so reads never wait for the network.

```python
import tidepool
pool = tidepool.open("sales")
```

### Proxies

Set `TIDEPOOL_PROXY` to the address of a proxy. The proxy must accept CONNECT.

## Limits

A pool holds at most 4 GiB of tables. Tables that change more than ten times a second fall behind.

## License

MIT. Please see the LICENSE file for the license text of this license.
"""

HTML_BLOCKS = """\
<!-- generated: do not edit
     # Not a heading -->
<p align="center">
  <a href="https://example.com"><img
     src="logo.png" alt="logo"></a>
</p>
<h1 align="center">Lantern</h1>
<p align="center">
    <em>Lantern draws charts of log files in the terminal, without a browser.</em>
</p>
<details><summary>Why the name?</summary>It lights up dark logs.</details>

## Install

<pre>not shown as a tag</pre>

    lantern --help
"""

TABLE = """\
# Options

Every option of the tool has a default that suits small machines.

| option | default | meaning |
|---|---|---|
| `--cache` | 64 MiB | how much memory the cache may use |
| `--jobs` | 2 | how many files are read at once |
"""

NO_HEADINGS = """\
Quill turns a folder of notes into one printable booklet. It reads plain text and keeps the order of the files.

Run quill with the folder as its only argument. The booklet is written beside the folder.

Notes that begin with a dot are left out, because editors keep their own files there.
"""

ONE_LINE = "A tiny timer for the command line.\n"

CHINESE = """\
# 小工具

小工具是一个把文本文件整理成摘要的命令行程序。它不需要网络，也不需要密钥。

## 安装

使用下面的命令安装：

```sh
pip install xiaogongju
```

## 超时

默认的超时时间是三十秒。可以用 `--timeout` 选项修改超时时间。如果文件太大，程序会先截断文件，再说明截断的位置。
"""

JAPANESE = """\
# 時計

時計はターミナルで使う小さなタイマーです。設定ファイルは必要ありません。

## 使い方

時間を分で指定してください。終了すると音が鳴ります。
"""

RST = """\
=======
Granite
=======

.. image:: https://example.com/badge.svg
   :target: https://example.com

Granite checks that backups can be restored. It restores each one into a scratch folder and compares the files.

Installation
============

Install it with `pip <https://example.com/pip>`_::

    pip install granite

Usage
-----

.. code-block:: python

    import granite
    granite.check("/backups")

.. note::
   Checks need as much free space as the largest backup.
"""

LONG = "# Ledger\n\nLedger records who changed which setting and when.\n\n" + "".join(
    f"## Part {part}\n\nPart {part} of the ledger describes setting number {part} and the people who changed it.\n\n"
    f"The value of setting {part} is kept for {part} days before the ledger forgets it.\n\n"
    for part in range(1, 834)
)
