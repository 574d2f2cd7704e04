"""Blocking work of a tool, off the event loop.

A thread cannot be cancelled. Reading may be left behind when a call is aborted; a change must be waited for, or the
next call for the same file would overtake it.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


async def run_to_end(work: Callable[[], _Result]) -> _Result:
    """Run `work` in a thread; on cancellation wait for its end, then pass the cancellation on."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    finally:
        if not task.done():
            await asyncio.wait([task])
