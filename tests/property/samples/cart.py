"""A shopping cart."""
from __future__ import annotations

from shop.store import Store, check as verify

LIMIT = 10


class Cart(Store):
    """What a person wants to buy."""

    def __init__(self, owner: str = "") -> None:
        self.items: list[str] = []
        self.owner = owner

    @property
    def total(self) -> int:
        return sum(len(item) for item in self.items if verify(item))

    async def add(self, item: str, *, count: int = 1) -> bool:
        for _ in range(count):
            if len(self.items) >= LIMIT:
                raise ValueError(f"more than {LIMIT}")
            self.items.append(item)
        return await self.save()
