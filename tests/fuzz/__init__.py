"""Hostile input of every kind, made from valid input by changing it: ``python -m tests.fuzz --minutes 10``.

A *target* is a door by which something comes in: files, saved states, dicts, command lines, arguments of public calls. Each try
makes something valid, changes it, and hands it in. What comes of it is one of these:

* refused: a ``ValueError`` that this suite raises on purpose, in one line that can be shown (``judge``). What it was handed to is
  as it was before.
* accepted: it is used from then on (played on from, with every index checked), and what comes out must be valid.
* a finding: a *crash* (any other exception, a signal, no end, too much memory), a *wrong value*, or an *unclear error*.

The tries of a target run in a process of their own (``worker``) with Numba's bounds check on, so that nothing a try does can end
the program that counts. Every try follows from (target, seed, number) alone and can be made again: ``--target``, ``--seed``,
``--first``.
"""
