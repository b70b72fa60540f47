"""One collection: what open() returns, and what it gives out."""

from trivium.collection.asking import Traversed
from trivium.collection.collection import Collection, adopt, open_collection
from trivium.collection.looking import Item, Status

__all__ = ["Collection", "Item", "Status", "Traversed", "adopt", "open_collection"]
