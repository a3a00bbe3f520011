"""Dance of Eights, slow and plain: the second opinion against which the compiled game is compared.

Written from the rules text (Fairy Circle Ring) and the exact rules alone, with lists and dicts only. The docstring of
each rule names the section of the text that it carries out. Wherever cards are counted, a list holds one count for each
distinct card, in the order in which the card list first names them.
"""

import csv
from collections import Counter

SEX = 1
EVEN_ATTRIBUTES = (2, 3, 4)
ELEMENT = 4


def read_cards(cards_path) -> Counter:
    """Reads the card list: each distinct card (name, sex, size, alignment, element) and how often it is listed."""
    with open(cards_path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return Counter((row["name"], row["sex"], row["size"], row["alignment"], row["element"]) for row in rows)


class Reference:
    """One game of Dance of Eights, played move by move beside the implementation under test."""

    def __init__(self, num_players: int, options: dict, state: dict, cards_path, hand_size: int = 8, pack: dict | None = None):
        """Takes over a freshly dealt game.

        Args:
            num_players: Number of seats, 2 to 7.
            options: `copies` of each row of the list (default 2) and `max_turns` (default 100); other keys are ignored.
            state: The full state dict of the new game, as the implementation under test gives it.
            cards_path: The card list.
            hand_size: Cards in a hand; half of a Ring is of each sex.
            pack: Copies of each Fey, by name, of a pack that is not the whole list.

        Raises:
            AssertionError: The state is not one that the setup can produce.
        """
        self._num_players = num_players
        self._max_turns = options.get("max_turns", 100)
        listed = read_cards(cards_path)
        self._cards = list(listed)
        self._copies = [options.get("copies", 2) * times for times in listed.values()]
        self._hand_size = hand_size
        if pack is not None:
            self._copies = [pack.get(card[0], 0) for card in self._cards]
        self._set_up(state)

    # What a player of the game may ask ------------------------------------------------------------------------------

    def current_player(self) -> int | None:
        """The seat that decides now, or None when the game is over."""
        return self._current_player

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by a Ring or by the limit of turns."""
        return self._phase == "over"

    @property
    def is_truncated(self) -> bool:
        """Whether the limit of turns ended the game."""
        return self.is_over and self._winner is None

    def legal_moves(self) -> list[dict]:
        """Every legal move now, in the order of the action ids."""
        if self._phase == "gain":
            draw = [{"type": "draw"}] if sum(self._deck) > 0 else []
            return draw + [{"type": "take", "card": card} for card, count in enumerate(self._discard) if count > 0]
        if self._phase == "discard":
            hand = self._hands[self._current_player]
            return [{"type": "discard", "card": card} for card, count in enumerate(hand) if count > 0]
        return []

    def action_id(self, move: dict) -> int:
        """The id of a move."""
        if move["type"] == "draw":
            return 0
        if move["type"] == "take":
            return 1 + move["card"]
        return 1 + len(self._cards) + move["card"]

    def step(self, move: dict, outcome: dict) -> None:
        """Plays a move.

        Args:
            move: A legal move.
            outcome: The full state dict that the implementation under test reached. Only the hand of a player who draws
                is read from it, to learn the card.
        """
        assert move in self.legal_moves(), f"not legal now: {move}"
        if move["type"] == "draw":
            self._draw(outcome["hands"][self._current_player])
        elif move["type"] == "take":
            self._take(move["card"])
        else:
            self._discard_card(move["card"])

    def state(self) -> dict:
        """The full state as the exact rules write it."""
        return {
            "turn": self._turn,
            "phase": self._phase,
            "current_player": self._current_player,
            "deck_size": sum(self._deck),
            "deck": list(self._deck),
            "discard": list(self._discard),
            "hands": [list(hand) for hand in self._hands],
            "known": [list(known) for known in self._known],
            "winner": self._winner,
        }

    def view(self, seat: int) -> dict:
        """The state as one seat sees it: None for the deck and for the other hands."""
        state = self.state()
        state["deck"] = None
        state["hands"] = [hand if owner == seat else None for owner, hand in enumerate(state["hands"])]
        return state

    def ranks(self) -> list[int]:
        """Rules, Winning: the winner is first and all others share second place; without a winner all share first."""
        return [1 if self._winner in (None, seat) else 2 for seat in range(self._num_players)]

    def rewards(self, kind: str) -> list[float]:
        """What the finished game pays each seat; nothing before the end, and nothing when nobody has won.

        Args:
            kind: `"placement"` (players beaten less players lost to, over the number of opponents), or `"win"` or
                `"score"` (1 for the winner).
        """
        if kind not in ("placement", "win", "score"):
            raise ValueError(f"no such reward: {kind!r}")
        if self._winner is None:
            return [0.0] * self._num_players
        for_others = -1 / (self._num_players - 1) if kind == "placement" else 0.0
        return [1.0 if seat == self._winner else for_others for seat in range(self._num_players)]

    # Setup ----------------------------------------------------------------------------------------------------------

    def _set_up(self, state: dict) -> None:
        """Rules, Setup: takes over the cards dealt, builds the rest and compares it with the given state."""
        assert 2 <= self._num_players <= 7, f"the game is for 2 to 7 players, not {self._num_players}"
        self._take_deal(state["hands"], state["discard"])
        self._known = [[0] * len(self._cards) for _ in self._hands]
        self._turn = 1
        self._begin_game()
        expected = self.state()
        assert state.keys() == expected.keys(), f"a state has the keys {', '.join(expected)}"
        wrong = [key for key in expected if expected[key] != state[key]]
        assert not wrong, f"not the state of a new game: {', '.join(wrong)}"

    def _take_deal(self, hands: list[list[int]], discard: list[int]) -> None:
        """Rules, The deck and Setup: 8 cards each, one card face up, all other cards in the deck."""
        assert len(hands) == self._num_players, f"{self._num_players} hands must be dealt"
        for counts in [*hands, discard]:
            assert len(counts) == len(self._cards), f"there are {len(self._cards)} distinct cards"
            assert min(counts) >= 0, "a count is below 0"
        assert all(sum(hand) == self._hand_size for hand in hands), f"a hand of {self._hand_size} cards must be dealt"
        assert sum(discard) == 1, "one card starts the discard area"
        dealt = [sum(counts) for counts in zip(*hands, discard, strict=True)]
        self._deck = [copies - count for copies, count in zip(self._copies, dealt, strict=True)]
        assert min(self._deck) >= 0, "a card was dealt more often than the deck holds it"
        self._hands = [list(hand) for hand in hands]
        self._discard = list(discard)

    def _begin_game(self) -> None:
        """Rules, Winning: a Ring that was dealt wins before the first turn, the earliest in turn order."""
        self._winner = next((seat for seat, hand in enumerate(self._hands) if self._is_ring(hand)), None)
        self._current_player = 0 if self._winner is None else None
        self._phase = "gain" if self._winner is None else "over"

    # Turn events ----------------------------------------------------------------------------------------------------

    def _draw(self, hand_after: list[int]) -> None:
        """Rules, Turn events: the top card of the deck joins the hand; chance decides which one it is."""
        hand = self._hands[self._current_player]
        change = [after - before for after, before in zip(hand_after, hand, strict=True)]
        gained = [card for card, count in enumerate(change) if count != 0]
        assert len(gained) == 1 and change[gained[0]] == 1, "a draw adds one card to the hand and changes no other"
        card = gained[0]
        assert self._deck[card] > 0, f"card {card} was drawn, but the deck holds none"
        self._deck[card] -= 1
        hand[card] += 1
        self._phase = "discard"

    def _take(self, card: int) -> None:
        """Rules, Turn events: any one card of the discard area joins the hand; everybody sees which one."""
        self._discard[card] -= 1
        self._hands[self._current_player][card] += 1
        self._known[self._current_player][card] += 1
        self._phase = "discard"

    def _discard_card(self, card: int) -> None:
        """Rules, Turn events and Winning: one card goes to the discard area; a Ring that remains wins."""
        hand = self._hands[self._current_player]
        known = self._known[self._current_player]
        hand[card] -= 1
        known[card] = max(0, known[card] - 1)
        self._discard[card] += 1
        if self._is_ring(hand):
            self._winner = self._current_player
            self._end()
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        """Rules, Turn events: the next player's turn; after the last round that the option allows, nobody wins."""
        next_player = (self._current_player + 1) % self._num_players
        if next_player == 0 and self._turn == self._max_turns:
            self._end()
            return
        if next_player == 0:
            self._turn += 1
        self._current_player = next_player
        self._phase = "gain"

    def _end(self) -> None:
        """Rules, Winning: the game is over."""
        self._current_player = None
        self._phase = "over"

    # Winning --------------------------------------------------------------------------------------------------------

    def _is_ring(self, hand: list[int]) -> bool:
        """Rules, Winning: half of the dancers (four) of each sex, an even number of everything else, two elements or more."""
        dancers = [card for card, count in zip(self._cards, hand, strict=True) for _ in range(count)]
        sexes = [dancer[SEX] for dancer in dancers]
        return (
            sexes.count("M") == self._hand_size // 2
            and sexes.count("F") == self._hand_size // 2
            and all(self._is_even(dancers, attribute) for attribute in EVEN_ATTRIBUTES)
            and len({dancer[ELEMENT] for dancer in dancers}) >= 2
        )

    def _is_even(self, dancers: list[tuple], attribute: int) -> bool:
        """Rules, Winning: each size, each alignment and each element appears an even number of times."""
        return all(count % 2 == 0 for count in Counter(dancer[attribute] for dancer in dancers).values())
