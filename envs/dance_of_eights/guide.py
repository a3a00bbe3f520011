"""The rules of Dance of Eights in plain words, for people and language models that play by text."""

from envs.game import Game

_GUIDE = """You are one of {players} players of Dance of Eights. The first to hold a Ring of {hand} dancers wins.

Everybody holds {hand} cards; each is a dancer with a sex (female, male), a size (tiny, small, big), an alignment
(mischievous, good, evil) and an element (earth, water, sky, forest). Beside the deck lie discarded cards, face up. On
your turn you
1. gain a card: the top one of the deck, unseen, or any one of the discarded cards, which all players see you take;
2. discard one of your {full} cards, face up. It may be the one you have just gained.

Your {hand} cards are a Ring if all of this holds:
- {half} dancers are female and {half} are male;
- the number of dancers of every size is even (0 is even), and so is that of every alignment and of every element;
- there are dancers of at least two elements.
A Ring wins at once, also one that is dealt. The pack has {pack} cards of {kinds} kinds. After {turns} turns of every
player without a Ring nobody wins.

A discarded card can be taken by the players after you, so think of what they collect: what they have taken in the
open is told.

In the text of a game a card is written name:sex, size, alignment, element by first letters, so Siren:FBEW is a
female, big, evil dancer of water. The line "values" counts your own hand; an exclamation mark stands behind a number
that no Ring has."""


_NUMBERS = {2: "two", 4: "four", 5: "five", 8: "eight", 9: "nine"}


def guide(game: Game) -> str:
    """The rules under the options of a game, in plain words."""
    hand, tables = game.facts["hand"], game.rules[0]
    return _GUIDE.format(
        players=game.num_players, hand=_NUMBERS[hand], full=_NUMBERS[hand + 1], half=_NUMBERS[hand // 2],
        pack=int(tables["num_cards"]), kinds=int((tables["copies"] > 0).sum()), turns=game.options["max_turns"],
    )  # fmt: skip
