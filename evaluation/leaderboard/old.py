"""The boards from before there were secrets, by SHA-256: they can still be checked, and no other board may be of their form.

Their deals follow from a seed that everybody knew. A file that could choose to be one of them would choose its deals.
When a board is made anew its line here goes, and with the last one ``evaluation.keyed.OpenSecret``.
"""

import hashlib

FORMAT = 1

KNOWN = {
    "a59a9eaa84c3c4ea799df6315504d9db91defe9ac9306639e383d2efaf7ccbb6": "dance_of_eights_2p",
    "31be64c75972b025d96c67286f2f6854334b5390399cd9d60e6bbd517a0e4a18": "dance_of_eights_3p",
    "fc33be11dc300d0c829c91e562cc6f44cf77c42c5193bdb23e67c2943e794152": "dance_of_eights_4p",
    "5e1aa41867ff1a4c5f926fe5bb07b46b263d42d96175703573cc1179d3de6541": "dance_of_eights_5p",
    "5c451e6392f07f3de181e0f4c2ddb7cc23541aebae05128730d2da83f2f836b3": "dance_of_eights_6p",
    "3a99117efaf1043c7222312323c503abbcb6c84a92e82c7ef558f716dffc6e61": "dance_of_eights_7p",
    "8225a81d8bd739aeb2cf6795463f6fc429ae057a179653665e6cfe7b4aade369": "fairy_ring_3p",
    "fcee2efe6b397dd5b0deba51fb2a0451910a5ea85b8d604e8be99d9e6fba6991": "fairy_ring_4p",
    "91b4224d6ac6c5cb4b5f1b600dbd0cd14c381516da6580ea7c760fbef85b7c4b": "fairy_ring_objectives_2p",
    "bcb0165a14c33822d1d44b22f846f8acb31ad912b99edd19bfdb611d926ada6a": "fairy_ring_objectives_3p",
    "bfd9dff2862ca2dcc3620c812060e3189857695e4fce189bbea602f7dd284f6b": "fairy_ring_objectives_4p",
    "bc74455708b16090e96c510508ab238ae8629ca769bbc2f944a75e9ef278f97d": "mushroom_rings_2p",
    "692c352d1844ab8111bc0e0412b20ae0db970a19711d48f48f9e70b0a40b00ff": "mushroom_rings_3p",
    "7cb535165d1a7eb7e30f09c100bff414d135a606c6ceef8a65074990fc78fd1d": "mushroom_rings_4p",
}
"""Names of the boards."""


def require(text: str) -> None:
    """Refuses a file that is of the old form without being one of the boards from then.

    Raises:
        ValueError: It is.
    """
    if hashlib.sha256(text.encode()).hexdigest() not in KNOWN:
        raise ValueError(
            f"its format is {FORMAT}, but it is none of the boards that were published before there were secrets; "
            "make it anew: python evaluate.py --leaderboard, or --enter FILE for an entry"
        )
