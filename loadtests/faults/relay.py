"""A relay in front of Redis that can turn into a black hole: it forwards nothing, closes nothing, tells nobody."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from urllib.parse import quote, unquote

CHUNK_BYTES = 65_536


class Relay:
    """Listens on a unix socket of its own and forwards to the server's."""

    def __init__(self, path: Path, server_url: str) -> None:
        self.url = "unix://" + quote(str(path))
        self._path = path
        self._server_path = unquote(server_url.removeprefix("unix://"))
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._listening: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Let connections through."""
        self._listening = await asyncio.start_unix_server(self._connected, self._path)

    def swallow(self) -> None:
        """From now on whatever is sent, either way, is lost from sight; so are new connections."""
        self._is_open.clear()

    def let_through(self) -> None:
        """Forward again, what was held back first."""
        self._is_open.set()

    async def stop(self) -> None:
        """Cut everything."""
        if self._listening is not None:
            self._listening.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        far: asyncio.StreamWriter | None = None
        try:
            await self._is_open.wait()
            far_reader, far = await asyncio.open_unix_connection(self._server_path)
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(self._pump(reader, far))
                pumps.create_task(self._pump(far_reader, writer))
        except (OSError, asyncio.CancelledError, ExceptionGroup):
            pass  # one side is gone, and the other goes with it
        finally:
            self._tasks.discard(task)
            for end in (writer, far):
                if end is not None:
                    end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await self._is_open.wait()
                writer.write(data)
                await writer.drain()
        raise ConnectionError("one side has closed")
