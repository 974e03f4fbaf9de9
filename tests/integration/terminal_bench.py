"""A terminal for a process, with a typist."""

import asyncio
import contextlib
import fcntl
import os
import pty
import signal
import sys
import termios

from tests.integration.cli_bench import PATIENCE_SECONDS, ROOT, environment


class AtTerminal:
    """A process whose three streams are one terminal."""

    def __init__(self, process, fd, near):
        self._process, self._fd, self._near = process, fd, near
        self.said = ""
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(fd, self._read)

    def _read(self):
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
        self.said += data.decode(errors="replace")
        self._news.set()

    async def until(self, part, behind=0):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while part not in self.said[behind:]:
                self._news.clear()
                await self._news.wait()

    def type(self, keys):
        os.write(self._fd, keys)

    def modes(self):
        return termios.tcgetattr(self._near)

    async def end(self):
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._process.wait()


@contextlib.asynccontextmanager
async def at_terminal(*arguments, env):
    far, near = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rapid", *map(str, arguments)),
        cwd=ROOT,
        env=environment({"TERM": "xterm", **env}),
        stdin=near,
        stdout=near,
        stderr=near,
        # A terminal of its own: Ctrl-C is typed, and reaches nobody else.
        preexec_fn=lambda: (os.setsid(), fcntl.ioctl(near, termios.TIOCSCTTY, 0)),
    )
    terminal = AtTerminal(process, far, near)
    try:
        yield terminal
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
            await process.wait()
        asyncio.get_running_loop().remove_reader(far)
        os.close(far)
        os.close(near)
