"""A relay between a store and its Redis, over real sockets, that can lose an answer, hang or be cut."""

import asyncio
import contextlib
from pathlib import Path


class Relay:
    def __init__(self, path: Path, server_path: str) -> None:
        self.path = path
        self._server_path = server_path
        self._listening: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._lose_answer_to: tuple[bytes, ...] = ()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._held = asyncio.Event()
        self._held_pumps: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"unix://{self.path}"

    async def open(self) -> None:
        """Let connections through from now on."""
        self._listening = await asyncio.start_unix_server(self._connected, self.path)

    async def cut(self) -> None:
        """Break all connections, and refuse new ones until `open`."""
        if self._listening is not None:
            self._listening.close()
        self.path.unlink(missing_ok=True)
        writers, self._writers = self._writers, set()
        for writer in writers:
            writer.transport.abort()
        for pump in list(self._pumps):
            pump.cancel()
        closing = [writer.wait_closed() for writer in writers]
        await asyncio.gather(*self._pumps, *closing, return_exceptions=True)

    def lose_answer_to(self, words: tuple[bytes, ...]) -> None:
        """The next request with one of these words reaches Redis; in place of its answer the connection breaks."""
        self._lose_answer_to = words

    def hang(self) -> None:
        """Nothing passes any more, and nobody is told."""
        self._flowing.clear()

    def flow(self) -> None:
        """End of that."""
        self._flowing.set()

    def hold_back(self) -> None:
        """What comes over the connections there are reaches Redis only at `let_go`; those opened from now on flow."""
        self._held, self._held_pumps = self._flowing, set(self._pumps)
        self.hang()
        self._flowing = asyncio.Event()
        self.flow()

    async def let_go(self) -> None:
        """End of that; returns when all that was held back has been delivered and the clients' ends are known."""
        self._held.set()
        await asyncio.wait(self._held_pumps)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(self._server_path)
        except OSError:  # Redis is being restarted
            writer.transport.abort()
            return
        if writer not in self._writers:  # cut meanwhile
            far_writer.transport.abort()
            return
        self._writers.add(far_writer)
        losing = asyncio.Event()
        for pump in (self._there(reader, far_writer, losing), self._back(far_reader, writer, losing)):
            task = asyncio.create_task(pump)
            self._pumps.add(task)
            task.add_done_callback(self._pumps.discard)

    async def _there(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, losing: asyncio.Event) -> None:
        flowing = self._flowing
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await flowing.wait()
                if any(word in data for word in self._lose_answer_to):
                    self._lose_answer_to = ()
                    losing.set()
                writer.write(data)
        writer.transport.abort()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, losing: asyncio.Event) -> None:
        flowing = self._flowing
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await flowing.wait()
                if losing.is_set():
                    break
                writer.write(data)
        writer.transport.abort()
