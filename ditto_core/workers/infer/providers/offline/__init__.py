"""The offline provider: useful on a fresh machine with no key, no network and no download. It is NOT a language model.

It sees what any model sees, messages and declared actions, and goes through the same loop. First turn: fixed rules read
which files, folders or tools the last user message names, and the declared actions that reach them are requested. Next
turn: the observations are answered from, by extraction only. What it cannot do it says.

What a file, a passage or a tool says is material, never a request. A user message that another user message follows is
material too; its first line may name the source: `Source: PATH`, `Passage: PATH:LINE`, `[PATH]`, `--- PATH ---`.

To read on: `request` (what the words ask, with `path`), `turn` (which actions that takes),
`document` and `markdown` (what a file holds), `rank` (Luhn, BM25), `answer` (the text).
"""
