"""`python -m loadtests.bare`: the WebSocket library alone, as the measure of what it costs to use it.

It keeps connections and reads nothing from them. At SIGUSR2 it writes one prepared frame to each, straight to the
transports in one go, and prints the microseconds of processor time a recipient; at SIGUSR1 it collects its garbage.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
import time
from typing import Any

import uvloop
from aiohttp import web

from loadtests.parts import HOST

BACKLOG = 4096


class Bare:
    """All connections, and the frame they are sent."""

    def __init__(self, frame_bytes: int) -> None:
        self._frame = b"\x82\x7e" + (frame_bytes - 4).to_bytes(2, "big") + bytes(frame_bytes - 4)
        self._transports: list[Any] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer a handshake and read until the client goes."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=65_536)
        await socket.prepare(request)
        transport = request.transport
        self._transports.append(transport)
        with contextlib.suppress(ConnectionError):
            async for _ in socket:
                pass
        self._transports.remove(transport)
        return socket

    def asked(self) -> None:
        """Write to all soon."""
        task = asyncio.get_running_loop().create_task(self._write())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write(self) -> None:
        began_s = time.process_time()
        for transport in self._transports:
            transport.write(self._frame)
        # uvloop writes to the sockets at the end of the turn.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        print((time.process_time() - began_s) * 1e6 / len(self._transports), flush=True)


async def main(frame_bytes: int) -> None:
    """Serve until SIGTERM."""
    bare, loop, stop = Bare(frame_bytes), asyncio.get_running_loop(), asyncio.Event()
    app = web.Application()
    app.router.add_get("/", bare.serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, HOST, 0, backlog=BACKLOG).start()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, gc.collect)
    loop.add_signal_handler(signal.SIGUSR2, bare.asked)
    print(f"bare is ready: http://{HOST}:{runner.addresses[0][1]}", flush=True)
    await stop.wait()
    await runner.cleanup()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 128))
