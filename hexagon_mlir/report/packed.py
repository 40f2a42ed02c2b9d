"""Large parts of a page, compressed: a browser unpacks each when it is opened, so pages are small and open at once."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def packed(value: Any) -> str:
    """``value`` (text, numbers, lists, dictionaries) as characters that stand in a page as they are."""
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()


def unpacked(text: str) -> Any:
    """What `packed` made ``text`` of."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
