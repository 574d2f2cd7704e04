"""How long a server asks its client to stay away, in whichever of its forms it says so.

Pure: a date is read against the server's own `date` header where there is one, so a wrong local clock does not matter.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_DURATION = re.compile(r"(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m(?!s))?(?:(?P<s>\d+(?:\.\d+)?)s)?(?:(?P<ms>\d+(?:\.\d+)?)ms)?")
_IN_TEXT = re.compile(r"(?:retry|try again) (?:in|after) (?P<wait>[\d.hms]+s)\b", re.IGNORECASE)


def retry_after_seconds(headers: Mapping[str, str], details: Any, message: str = "") -> float | None:
    """Seconds to wait: `retry-after-ms`, `retry-after` (seconds or date), Google's RetryInfo, then the wording."""
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    for found in (
        _milliseconds(lowered.get("retry-after-ms")),
        _seconds_or_date(lowered.get("retry-after"), lowered.get("date")),
        _retry_info(details),
        _wording(message),
    ):
        if found is not None:
            return max(0.0, found)
    return None


def _milliseconds(text: str | None) -> float | None:
    number = _float(text)
    return None if number is None else number / 1000


def _seconds_or_date(text: str | None, server_date: str | None) -> float | None:
    number = _float(text)
    if number is not None or text is None:
        return number
    until = _date(text)
    if until is None:
        return None
    now = _date(server_date) if server_date else None
    return (until - (now or datetime.now(UTC))).total_seconds()


def _retry_info(details: Any) -> float | None:
    """`retryDelay: "27s"` of google.rpc.RetryInfo, wherever it stands in the body."""
    if isinstance(details, Mapping):
        delay = details.get("retryDelay")
        if isinstance(delay, str):
            return _duration(delay)
        details = list(details.values())
    if isinstance(details, list):
        for value in details:
            if (found := _retry_info(value)) is not None:
                return found
    return None


def _wording(message: str) -> float | None:
    match = _IN_TEXT.search(message)
    return _duration(match.group("wait")) if match else None


def _duration(text: str) -> float | None:
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groupdict().values()):
        return None
    hours, minutes, seconds, thousandths = (float(match.group(name) or 0) for name in ("h", "m", "s", "ms"))
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _date(text: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _float(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None
