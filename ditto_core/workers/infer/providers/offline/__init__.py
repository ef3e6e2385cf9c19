"""The offline provider: useful on a fresh machine with no key, no network and no download. It is NOT a language model.

It sees what any model sees, messages and declared actions, and goes through the same loop. First turn: fixed rules read
which files, folders or tools the last user message names, and the declared actions that reach them are requested. Next
turns: what the results lead to, as the files of a folder. Then the observations are answered from, by extraction only.
What it cannot do, or did not look at, it says.

What a file, a passage or a tool says is material, never a request. A user message that another user message follows is
material too; its first line may name the source: `Source: PATH`, `Passage: PATH:LINE`, `[PATH]`, `--- PATH ---`.

To read on, in this order:

    provider              one turn of the loop
    request, path, folder what the words ask, and the paths in them
    talk, action, turn    what the messages hold, and which actions that calls for
    listing, document     a folder and a file, as read
    markdown, prose, code the three kinds of file, as `block`s with line numbers
    rank, words           key sentences (Luhn) and passages (BM25)
    answer, section, reply the text
"""
