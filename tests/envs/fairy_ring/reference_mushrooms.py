"""What mushrooms and villages of Fairy Ring are worth, for the slow reference: written from the rulebook alone.

A village is a list of mushrooms from left to right, a mushroom is a list of cards from bottom to top.
"""

import csv
from collections import Counter

LOOKOUT_MANA = {1: 3, 2: 8, 3: 15, 4: 24}


def read_cards(cards_path) -> dict[int, dict]:
    """Reads the card list: one dict per card, by card id."""
    with open(cards_path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        int(row["id"]): {
            "deck": row["deck"],
            "type": row["type"],
            "movements": [int(movement) for movement in row["movement"].split("|") if movement],
            "fireflies": int(row["fireflies"]),
            "mana": int(row["mana"] or 0),
            "min_players": int(row["min_players"] or 0),
            "copies": int(row["copies"]),
        }
        for row in rows
    }


class Mushrooms:
    """The mushrooms of a game.

    Args:
        cards: The cards by id, see `read_cards`.
        fireflies: `"top"`, only the top card shows its fireflies, or `"all"`.
    """

    def __init__(self, cards: dict[int, dict], fireflies: str):
        self.cards, self.fireflies = cards, fireflies

    def mana(self, village: list[dict], index: int, movement: int) -> int:
        """Rulebook, Mushroom details: what a mushroom produces for its owner after a fairy has moved so far."""
        mushroom = village[index]
        size = len(mushroom["cards"])
        if mushroom["type"] == "Magidrome":
            return self.printed_mana(mushroom)
        if mushroom["type"] == "Academy":
            return size * movement
        if mushroom["type"] == "Lookout":
            return LOOKOUT_MANA[size]
        if mushroom["type"] == "Luminarium":
            return size * sum(self.visible_fireflies(other) for other in village)
        assert mushroom["type"] == "Pollenarium", f"a {mushroom['type']} is never gathered"
        return size * len(village)

    def printed_mana(self, mushroom: dict) -> int:
        """Rulebook, Mushroom details, Magidrome and Spring: the mana shown on all cards of the mushroom."""
        return sum(self.cards[card]["mana"] for card in mushroom["cards"])

    def visible_fireflies(self, mushroom: dict) -> int:
        """Rulebook, Mushroom details, Luminarium: the option says whether covered cards still show theirs."""
        cards = mushroom["cards"] if self.fireflies == "all" else mushroom["cards"][-1:]
        return sum(self.cards[card]["fireflies"] for card in cards)

    def is_fulfilled(self, objective: int, village: list[dict]) -> bool:
        """Japanese rulebook, list of objectives: whether a village fulfils one of the eight now."""
        sizes = [len(mushroom["cards"]) for mushroom in village]
        fireflies = [self.visible_fireflies(mushroom) for mushroom in village]
        mushrooms_of_type = Counter(mushroom["type"] for mushroom in village)
        conditions = {
            1: sum(fireflies) >= 10,
            2: sum(count >= 2 for count in fireflies) >= 3,
            3: len(village) >= 7,
            4: len(mushrooms_of_type) >= 6,
            5: max(mushrooms_of_type.values()) >= 3,
            6: sum(size >= 3 for size in sizes) >= 3,
            7: sum(size >= 2 for size in sizes) >= 4,
            8: sum(size == 4 for size in sizes) >= 2,
        }
        return conditions[objective]
