"""Machine integers and vectors, or their ordinary Python stand-ins.

A module written on `i64` and `vec` has one source and two forms. A compiler (mypyc) reads the names below as the
real types and never looks at this module again when it runs; uncompiled, the module gets `int` and `list`, which
the interpreter handles fastest. Knows nothing of the game.

A vector belongs to the module that made it: code of one form must not hand one to code of the other, which in the
compiled form loses its memory each time (`Position.moves` and its like give lists instead).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64
else:
    i64 = int

    class vec:  # noqa: N801  # stands in for a type of this name
        """Stand-in for the vector: `vec[i64](items)` makes a plain list.

        A subclass of list would do, but the interpreter's quick paths are for exact lists only.
        """

        def __class_getitem__(cls, _item: object) -> type[list]:
            return list


__all__ = ["i64", "vec"]
