"""Own the languages of the page: read the gettext catalogues, choose one by what a browser asks for.

Reads files under `boardd/locale` when asked for a language. English is what the sources are written in and needs no
catalogue.
"""

from pathlib import Path

import polib  # type: ignore[import-untyped]  # it ships no types

LOCALE = Path(__file__).resolve().parent.parent / "locale"
DOMAIN = "konakis"
ENGLISH = "en"


def languages(locale: Path = LOCALE) -> tuple[str, ...]:
    """Give the codes of all languages there are, English first."""
    found = sorted(path.parent.parent.name for path in locale.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
    return (ENGLISH, *(language for language in found if language != ENGLISH))


def catalogue(language: str, locale: Path = LOCALE) -> dict[str, str]:
    """Read the words of a language.

    Args:
        language: one of `languages()`.
        locale: the folder the catalogues lie in.

    Returns:
        Message to translation, without the messages that are not translated or only guessed ("fuzzy").

    Raises:
        LookupError: there is no such language.

    """
    if language not in languages(locale):
        raise LookupError(f"no language {language!r}; there are {', '.join(languages(locale))}")
    path = locale / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    if not path.exists():
        return {}
    return {entry.msgid: entry.msgstr for entry in polib.pofile(str(path)).translated_entries()}


def negotiate(accept: str, available: tuple[str, ...]) -> str:
    """Choose a language by an Accept-Language header (RFC 9110, 12.5.4), regions left aside.

    Args:
        accept: the header's value, possibly empty.
        available: the codes to choose from; the first is taken when nothing fits.

    Returns:
        The available language of the highest weight; of equal ones the first named.

    """
    best, best_weight = available[0], 0.0
    for part in accept.split(","):
        tag, _, parameter = part.partition(";")
        language = tag.strip().lower().partition("-")[0]
        weight = _weight(parameter)
        if language in available and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameter: str) -> float:
    """Read `q=0.8`; whatever is not such a weight counts 1 when absent and 0 when unreadable."""
    name, _, value = parameter.partition("=")
    if not name.strip():
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if name.strip().lower() == "q" and 0 <= weight <= 1 else 0.0
