"""A list of names written as a line of words, where one name a line would hide the rest of the file."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
