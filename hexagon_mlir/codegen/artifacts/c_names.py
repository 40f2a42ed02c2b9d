"""Names in C text, which C++ reads too."""

from __future__ import annotations

import re

_NO_WORD = re.compile(r"\W+", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TAKEN = re.compile(
    "alignas|alignof|and|and_eq|asm|auto|bitand|bitor|bool|break|case|catch|char|char(8|16|32)_t|class|compl|const|"
    "const_cast|consteval|constexpr|constinit|continue|decltype|default|delete|do|double|dynamic_cast|else|enum|"
    "explicit|export|extern|false|float|for|friend|goto|if|inline|int|long|main|mutable|namespace|new|noexcept|not|"
    "not_eq|nullptr|operator|or|or_eq|private|protected|public|register|reinterpret_cast|requires|restrict|return|"
    "short|signed|sizeof|static|static_assert|static_cast|struct|switch|template|this|thread_local|throw|true|try|"
    "typedef|typeid|typename|typeof|union|unsigned|using|virtual|void|volatile|wchar_t|while|xor|xor_eq|"
    "_Alignas|_Alignof|_Atomic|_Bool|_Complex|_Generic|_Imaginary|_Noreturn|_Static_assert|_Thread_local|"
    r"u?int\d+_t|u?intptr_t|hexmlir_(rt_\w+|engine_\w+|\w*argument|call_kernel|weights_key)")
"""Keywords, types of the header, and names of the runtime and its driver."""


def is_c_name(text: str) -> bool:
    """Whether ``text`` may be the name of a function or of a parameter."""
    return bool(_NAME.fullmatch(text)) and not _TAKEN.fullmatch(text)


def c_name(text: str) -> str:
    """A name like ``text``."""
    word = _NO_WORD.sub("_", text)
    if not re.match(r"[A-Za-z_]", word):
        word = f"_{word}"
    if not _TAKEN.fullmatch(word):
        return word
    return f"{word}_" if is_c_name(f"{word}_") else f"a{word}"
