"""The rules of Dance of Eights in plain words, for people and language models that play by text."""

from envs.dance_of_eights.state import NUM_CARDS
from envs.game import Game

_GUIDE = """You are one of {players} players of Dance of Eights. The first to hold a Ring of eight dancers wins.

Everybody holds eight cards; each is a dancer with a sex (female, male), a size (tiny, small, big), an alignment
(mischievous, good, evil) and an element (earth, water, sky, forest). Beside the deck lie discarded cards, face up. On
your turn you
1. gain a card: the top one of the deck, unseen, or any one of the discarded cards, which all players see you take;
2. discard one of your nine cards, face up. It may be the one you have just gained.

Your eight cards are a Ring if all of this holds:
- four dancers are female and four are male;
- the number of dancers of every size is even (0 is even), and so is that of every alignment and of every element;
- there are dancers of at least two elements.
A Ring wins at once, also one that is dealt. There are {cards} different cards, and {copies}. After {turns} turns of
every player without a Ring nobody wins.

A discarded card can be taken by the players after you, so think of what they collect: what they have taken in the
open is told.

In the text of a game a card is written name:sex, size, alignment, element by first letters, so Siren:FBEW is a
female, big, evil dancer of water. The line "values" counts your own hand; an exclamation mark stands behind a number
that no Ring has."""


def guide(game: Game) -> str:
    """The rules under the options of a game, in plain words."""
    copies = "the pack has the whole list twice" if game.options["copies"] == 2 else "the pack has the list once"
    return _GUIDE.format(players=game.num_players, cards=NUM_CARDS, copies=copies, turns=game.options["max_turns"])
