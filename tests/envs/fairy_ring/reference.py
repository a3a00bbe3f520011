"""Fairy Ring, slow and plain: the second opinion against which the compiled game is compared.

Written from the rulebook and the exact rules alone, with lists and dicts only. Names are the rulebook's nouns, and the
docstring of each rule names the section of the rulebook that it carries out.

A village is a list of mushrooms from left to right, a mushroom is a list of cards from bottom to top, and fairies walk
from right to left through a village and on to the rightmost mushroom of the next seat.
"""

from collections import Counter

from tests.envs.fairy_ring.reference_mushrooms import Mushrooms, read_cards

ROUNDS = 2
TURNS = 6
HAND_SIZE = 7
LARGEST_MUSHROOM = 4
MANA_FOR_A_POINT = 20
OBJECTIVES_IN_PLAY = 3
OBJECTIVE_CARDS = ((1, 2), (3, 4), (5, 6), (7, 8))

PLANT_LEFT, PLANT_RIGHT = 7, 8
FIRST_GROW = 9
FIRST_FLY = 22
FIRST_GATHER = 25


class Reference:
    """One game of Fairy Ring, played move by move beside the implementation under test."""

    def __init__(self, num_players: int, options: dict, state: dict, cards_path):
        """Takes over a freshly dealt game.

        Args:
            num_players: Number of seats, 2 to 4.
            options: `objectives` (default False) and `fireflies` (`"top"` or `"all"`); other keys are ignored.
            state: The full state dict of the new game, as the implementation under test gives it.
            cards_path: The card list.

        Raises:
            AssertionError: The state is not one that the setup can produce.
        """
        self._num_players = num_players
        self._with_objectives = options.get("objectives", False)
        fireflies = options.get("fireflies", "top")
        assert fireflies in ("top", "all"), f"no such firefly option: {fireflies!r}"
        self._cards = read_cards(cards_path)
        self._mushrooms = Mushrooms(self._cards, fireflies)
        self._set_up(state)

    # What a player of the game may ask ------------------------------------------------------------------------------

    def current_player(self) -> int | None:
        """The seat that decides now, or None when the game is over."""
        return self._current_player

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._phase == "over"

    @property
    def is_truncated(self) -> bool:
        """Never: the game always comes to its own end."""
        return False

    def legal_moves(self) -> list[dict]:
        """Every legal move now, in the order of the action ids."""
        if self.is_over:
            return []
        player = self._players[self._current_player]
        if self._phase == "choose":
            return [{"type": "choose", "card": card} for card in sorted(set(player["hand"]))]
        if self._phase == "place":
            return self._placements(player)
        if self._phase == "fly":
            movements = self._cards[self._played]["movements"]
            return [{"type": "fly", "movement": movement} for movement in dict.fromkeys(movements)]
        return [{"type": "gather", "mushroom": index} for index in self._same_type_at_home()]

    def action_id(self, move: dict) -> int:
        """The id of a move that is legal now; the lowest one where two ids mean the same move."""
        if move["type"] == "choose":
            return self._players[self._current_player]["hand"].index(move["card"])
        if move["type"] == "plant":
            return PLANT_LEFT if move["side"] == "left" else PLANT_RIGHT
        if move["type"] == "grow":
            return FIRST_GROW + move["mushroom"]
        if move["type"] == "fly":
            return FIRST_FLY + self._cards[self._played]["movements"].index(move["movement"])
        return FIRST_GATHER + move["mushroom"]

    def step(self, move: dict, outcome: dict) -> None:
        """Plays a move and everything that follows from it without a decision.

        Args:
            move: A legal move.
            outcome: The full state dict that the implementation under test reached. Only the hands dealt for round 2
                are read from it, and only when they are dealt.
        """
        assert move in self.legal_moves(), f"not legal now: {move}"
        if move["type"] == "choose":
            self._choose(move["card"])
        elif move["type"] in ("plant", "grow"):
            self._place(move)
        elif move["type"] == "fly":
            self._fly(move["movement"])
        else:
            self._gather(self._current_player, move["mushroom"], self._movement)
            self._end_resolve()
        if self._phase == "deal":
            self._deal([player["hand"] for player in outcome["players"]])

    def state(self) -> dict:
        """The full state as the exact rules write it."""
        return {
            "round": self._round,
            "turn": self._turn,
            "phase": self._phase,
            "first_player": self._first_player,
            "current_player": self._current_player,
            "played": self._played,
            "movement": self._movement,
            "objectives": list(self._objectives),
            "players": [
                {
                    "village": [{"type": mushroom["type"], "cards": list(mushroom["cards"])} for mushroom in player["village"]],
                    "hand": list(player["hand"]),
                    "chosen": player["chosen"],
                    "fairy": dict(player["fairy"]),
                    "mana": player["mana"],
                    "points": player["points"],
                    "objectives": list(player["objectives"]),
                }
                for player in self._players
            ],
        }

    def view(self, seat: int) -> dict:
        """The state as one seat sees it: None where it cannot know (What a seat knows)."""
        state = self.state()
        for other, player in enumerate(state["players"]):
            if other == seat:
                continue
            if self._choice_is_secret(other):
                player["hand"] = sorted([*player["hand"], player["chosen"]])
                player["chosen"] = None
            if not self._has_held_hand_of(seat, other):
                player["hand"] = None
        return state

    def ranks(self) -> list[int]:
        """Rulebook, End of the game: points, then mana, else a shared place; 1 is best."""
        results = [(player["points"], player["mana"]) for player in self._players]
        return [1 + sum(other > result for other in results) for result in results]

    def rewards(self, kind: str) -> list[float]:
        """What the finished game pays each seat; nothing before the end.

        Args:
            kind: `"placement"` (players beaten less players lost to, over the number of opponents), `"win"` (1 shared
                by the winners) or `"score"` (the points).
        """
        if kind not in ("placement", "win", "score"):
            raise ValueError(f"no such reward: {kind!r}")
        if not self.is_over:
            return [0.0] * self._num_players
        if kind == "score":
            return [float(player["points"]) for player in self._players]
        ranks = self.ranks()
        if kind == "win":
            return [1 / ranks.count(1) if rank == 1 else 0.0 for rank in ranks]
        return [
            (sum(other > rank for other in ranks) - sum(other < rank for other in ranks)) / (self._num_players - 1)
            for rank in ranks
        ]

    # Setup ----------------------------------------------------------------------------------------------------------

    def _set_up(self, state: dict) -> None:
        """Rulebook, Setup: takes over what chance decided, builds the rest and compares it with the given state."""
        assert 2 <= self._num_players <= 4, f"the game is for 2 to 4 players, not {self._num_players}"
        assert len(state["players"]) == self._num_players, f"there must be {self._num_players} players"
        self._round = 1
        self._players = self._new_players([player["village"] for player in state["players"]])
        self._take_first_player_tile(state["first_player"])
        self._take_objectives(state["objectives"])
        self._deal([player["hand"] for player in state["players"]])
        expected = self.state()
        assert state.keys() == expected.keys(), f"a state has the keys {', '.join(expected)}"
        wrong = [key for key in expected if expected[key] != state[key]]
        assert not wrong, f"not the state of a new game: {', '.join(wrong)}"

    def _new_players(self, villages: list[list[dict]]) -> list[dict]:
        """Rulebook, Setup B to D: one start card in each village, the fairy on it, no points and no mana."""
        for village in villages:
            assert len(village) == 1 and len(village[0]["cards"]) == 1, "a village starts with one card"
        start_cards = [village[0]["cards"][0] for village in villages]
        self._check_drawn(start_cards, "start")
        return [
            {
                "village": [{"type": self._cards[card]["type"], "cards": [card]}],
                "hand": [],
                "chosen": None,
                "fairy": {"player": seat, "mushroom": 0},
                "mana": 0,
                "points": 0,
                "objectives": [],
            }
            for seat, card in enumerate(start_cards)
        ]

    def _take_first_player_tile(self, seat: int) -> None:
        """Rulebook, Setup F: any seat may have been drawn as first player."""
        assert seat in range(self._num_players), f"no such first player: {seat}"
        self._first_player = seat

    def _take_objectives(self, objectives: list[int]) -> None:
        """Rulebook, Variant: Objective cards, Setup: three cards, one side of each."""
        if self._with_objectives:
            assert len(objectives) == OBJECTIVES_IN_PLAY, f"{OBJECTIVES_IN_PLAY} objectives must be in play"
            assert objectives == sorted(objectives), "the objectives in play must be sorted"
            used = [card for card in OBJECTIVE_CARDS for side in card if side in objectives]
            assert len(set(used)) == OBJECTIVES_IN_PLAY, "the objectives must be sides of different cards"
        else:
            assert objectives == [], "objectives are played with the variant only"
        self._objectives = list(objectives)

    def _deal(self, hands: list[list[int]]) -> None:
        """Rulebook, Gameplay Overview and End of the round: 7 cards of the round's deck to each player."""
        assert len(hands) == self._num_players, f"{self._num_players} hands must be dealt"
        for hand in hands:
            assert len(hand) == HAND_SIZE, f"a hand of {HAND_SIZE} cards must be dealt, not {hand}"
            assert hand == sorted(hand), f"a hand must be sorted: {hand}"
        self._check_drawn([card for hand in hands for card in hand], str(self._round))
        for player, hand in zip(self._players, hands, strict=True):
            player["hand"] = list(hand)
        self._turn = 1
        self._begin_turn()

    def _check_drawn(self, drawn: list[int], deck: str) -> None:
        """Rulebook, Setup B: cards come from one deck, without those for more players, each as often as it exists."""
        for card, times in Counter(drawn).items():
            assert card in self._cards, f"no such card: {card}"
            facts = self._cards[card]
            assert facts["deck"] == deck, f"card {card} is not in deck {deck}"
            assert facts["min_players"] <= self._num_players, f"card {card} is for more players"
            assert times <= facts["copies"], f"card {card} was drawn {times} times"

    # A. Choose ------------------------------------------------------------------------------------------------------

    def _begin_turn(self) -> None:
        """Rulebook, Round Overview: every turn starts with the choice of cards."""
        self._played = None
        self._movement = None
        self._phase = "choose"
        self._current_player = self._first_player

    def _choose(self, card: int) -> None:
        """Rulebook, A. Choose: one hand card is set aside face down; after the last choice, resolving begins."""
        player = self._players[self._current_player]
        player["hand"].remove(card)
        player["chosen"] = card
        self._current_player = self._clockwise(self._current_player)
        if self._current_player == self._first_player:
            self._phase = "place"

    # B. Resolve -----------------------------------------------------------------------------------------------------

    def _placements(self, player: dict) -> list[dict]:
        """Rulebook, 1. Place your Mushroom: either end of the village, or on a mushroom of the type that has room."""
        kind = self._cards[player["chosen"]]["type"]
        plant = [{"type": "plant", "side": side} for side in ("left", "right")]
        grow = [
            {"type": "grow", "mushroom": index}
            for index, mushroom in enumerate(player["village"])
            if mushroom["type"] == kind and len(mushroom["cards"]) < LARGEST_MUSHROOM
        ]
        return plant + grow

    def _place(self, move: dict) -> None:
        """Rulebook, 1. Place your Mushroom: the card joins the village; then the fairy flies."""
        player = self._players[self._current_player]
        card, player["chosen"] = player["chosen"], None
        self._played = card
        if move["type"] == "grow":
            player["village"][move["mushroom"]]["cards"].append(card)
        else:
            self._plant(card, move["side"])
        self._complete_objectives(player)
        if self._cards[card]["type"] == "Spring":
            self._phase = "fly"
        else:
            self._fly(self._cards[card]["movements"][0])

    def _plant(self, card: int, side: str) -> None:
        """Rulebook, 1. Place your Mushroom, Plant a new Mushroom: fairies in the village stay on their mushrooms."""
        village = self._players[self._current_player]["village"]
        mushroom = {"type": self._cards[card]["type"], "cards": [card]}
        if side == "right":
            village.append(mushroom)
            return
        village.insert(0, mushroom)
        for player in self._players:
            if player["fairy"]["player"] == self._current_player:
                player["fairy"]["mushroom"] += 1

    def _fly(self, movement: int) -> None:
        """Rulebook, 2. Move your Fairy: one mushroom at a time; the Springs on the way pay, then it stops."""
        fairy = self._players[self._current_player]["fairy"]
        for moved in range(1, movement + 1):
            self._move_to_next_mushroom(fairy)
            if moved < movement:
                self._pass_over(fairy)
        self._stop(fairy, movement)

    def _move_to_next_mushroom(self, fairy: dict) -> None:
        """Rulebook, 2. Move your Fairy: to the left, and from the leftmost mushroom to the next village's rightmost."""
        if fairy["mushroom"] > 0:
            fairy["mushroom"] -= 1
        else:
            fairy["player"] = self._clockwise(fairy["player"])
            fairy["mushroom"] = len(self._players[fairy["player"]]["village"]) - 1

    def _pass_over(self, fairy: dict) -> None:
        """Rulebook, Mushroom details, Spring: a fairy that moves over it without stopping pays its owner."""
        owner = self._players[fairy["player"]]
        mushroom = owner["village"][fairy["mushroom"]]
        if mushroom["type"] == "Spring":
            self._receive(owner, self._mushrooms.printed_mana(mushroom))

    def _stop(self, fairy: dict, movement: int) -> None:
        """Rulebook, 3. Gather Mana: who gathers where, and whether the mover has to choose a mushroom."""
        village = self._players[fairy["player"]]["village"]
        if village[fairy["mushroom"]]["type"] == "Spring":
            self._end_resolve()
            return
        self._gather(fairy["player"], fairy["mushroom"], movement)
        if fairy["player"] == self._current_player:
            self._end_resolve()
            return
        candidates = self._same_type_at_home()
        amounts = {self._mushrooms.mana(self._players[self._current_player]["village"], index, movement) for index in candidates}
        if len(amounts) > 1:
            self._phase = "gather"
            self._movement = movement
            return
        if candidates:
            self._gather(self._current_player, candidates[0], movement)
        self._end_resolve()

    def _same_type_at_home(self) -> list[int]:
        """Rulebook, 3. Gather Mana: the mover's own mushrooms of the type on which the fairy stopped."""
        mover = self._players[self._current_player]
        fairy = mover["fairy"]
        kind = self._players[fairy["player"]]["village"][fairy["mushroom"]]["type"]
        return [index for index, mushroom in enumerate(mover["village"]) if mushroom["type"] == kind]

    def _gather(self, seat: int, index: int, movement: int) -> None:
        """Rulebook, 3. Gather Mana: the owner takes what the whole mushroom produces."""
        self._receive(self._players[seat], self._mushrooms.mana(self._players[seat]["village"], index, movement))

    def _receive(self, player: dict, mana: int) -> None:
        """Rulebook, 3. Gather Mana: every full 20 mana become a point at once, the rest is kept."""
        player["mana"] += mana
        player["points"] += player["mana"] // MANA_FOR_A_POINT
        player["mana"] %= MANA_FOR_A_POINT

    def _end_resolve(self) -> None:
        """Rulebook, B. Resolve: the next player clockwise resolves, until everyone has."""
        self._played = None
        self._movement = None
        self._current_player = self._clockwise(self._current_player)
        if self._current_player == self._first_player:
            self._end_turn()
        else:
            self._phase = "place"

    # C. End of turn -------------------------------------------------------------------------------------------------

    def _end_turn(self) -> None:
        """Rulebook, C. End of turn: hands and the first player tile go to the left; a new turn begins."""
        if self._turn == TURNS:
            self._end_round()
            return
        hands = [player["hand"] for player in self._players]
        for seat, hand in enumerate(hands):
            self._players[self._clockwise(seat)]["hand"] = hand
        self._first_player = self._clockwise(self._first_player)
        self._turn += 1
        self._begin_turn()

    def _end_round(self) -> None:
        """Rulebook, End of the round and End of the game: the seventh cards go out; then round 2, or the end."""
        for player in self._players:
            player["hand"] = []
        if self._round == ROUNDS:
            self._phase = "over"
            self._current_player = None
            return
        self._round += 1
        self._first_player = self._clockwise(self._first_player)
        self._phase = "deal"

    def _clockwise(self, seat: int) -> int:
        """Rulebook, C. End of turn: the player on a seat's left."""
        return (seat + 1) % self._num_players

    # Objectives -----------------------------------------------------------------------------------------------------

    def _complete_objectives(self, player: dict) -> None:
        """Rulebook, Variant: Objective cards, Resolve: a point for each objective newly fulfilled, kept for good."""
        for objective in self._objectives:
            if objective not in player["objectives"] and self._mushrooms.is_fulfilled(objective, player["village"]):
                player["objectives"].append(objective)
                player["points"] += 1
        player["objectives"].sort()

    # What a seat knows ----------------------------------------------------------------------------------------------

    def _choice_is_secret(self, seat: int) -> bool:
        """Rulebook, A. Choose and 1. Place your Mushroom: secret until its owner's time to place."""
        is_placing = self._phase == "place" and self._current_player == seat
        return self._players[seat]["chosen"] is not None and not is_placing

    def _has_held_hand_of(self, seat: int, other: int) -> bool:
        """Rulebook, C. End of turn: by turn t, a hand has come to `other` through the t - 1 seats on its right."""
        return (other - seat) % self._num_players < self._turn
