"""The estimate of Redis' clock, against a made-up one."""

import pytest

from rapid.store.clock import RedisClock


class MadeUp:
    """Our monotonic time, Redis' clock, and how long the way there and back takes."""

    def __init__(self) -> None:
        self.here_ms = 5_000.0
        self.ahead_ms = 1_800_000_000_000.0
        self.there_ms = 0.0
        self.back_ms = 0.0

    def monotonic(self) -> float:
        return self.here_ms / 1000

    async def call(self, *command: str) -> list[bytes]:
        assert command == ("TIME",)
        self.here_ms += self.there_ms
        now_us = round((self.here_ms + self.ahead_ms) * 1000)
        self.here_ms += self.back_ms
        return [str(now_us // 1_000_000).encode(), str(now_us % 1_000_000).encode()]

    @property
    def redis_ms(self) -> float:
        return self.here_ms + self.ahead_ms


@pytest.fixture
def made_up() -> MadeUp:
    return MadeUp()


@pytest.fixture
def clock(made_up: MadeUp) -> RedisClock:
    return RedisClock(made_up, made_up.monotonic)


async def test_the_first_sample_sets_the_clock(made_up: MadeUp, clock: RedisClock):
    made_up.there_ms = made_up.back_ms = 3.0
    await clock.read_ms()
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=1)
    made_up.here_ms += 1_234
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=1)


@pytest.mark.parametrize("there_ms, back_ms", [(0, 38), (38, 0), (1, 20), (19, 19)])
async def test_it_is_within_20_ms_however_lopsided_the_way(made_up, clock, there_ms: float, back_ms: float):
    made_up.there_ms, made_up.back_ms = there_ms, back_ms
    await clock.read_ms()
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=20)


async def test_the_shortest_round_trip_is_believed(made_up: MadeUp, clock: RedisClock):
    made_up.back_ms = 150.0
    await clock.read_ms()
    made_up.back_ms = 0.4
    await clock.read_ms()
    for back_ms in (90.0, 150.0, 40.0):
        made_up.back_ms = back_ms
        await clock.read_ms()
    made_up.here_ms += 2_000
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=1.5)


async def test_it_slides_to_a_better_estimate_and_never_runs_backwards(made_up: MadeUp, clock: RedisClock):
    made_up.there_ms = 60.0  # so that we are 30 ms ahead
    await clock.read_ms()
    made_up.there_ms = 0.0
    before_ms = clock.now_ms()
    await clock.read_ms()
    for _ in range(400):
        made_up.here_ms += 1
        now_ms = clock.now_ms()
        assert 0 <= now_ms - before_ms <= 2
        before_ms = now_ms
    assert before_ms == pytest.approx(made_up.redis_ms, abs=1.5)


async def test_old_samples_are_forgotten_so_that_drift_is_followed(made_up: MadeUp, clock: RedisClock):
    await clock.read_ms()
    made_up.back_ms = 2.0
    for _ in range(40):
        made_up.here_ms += 2_000
        made_up.ahead_ms += 0.5
        await clock.read_ms()
        clock.now_ms()
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=10)


async def test_a_clock_that_jumps_ahead_is_followed_at_once(made_up: MadeUp, clock: RedisClock):
    await clock.read_ms()
    clock.now_ms()
    made_up.ahead_ms += 3_600_000
    await clock.read_ms()
    assert clock.now_ms() == pytest.approx(made_up.redis_ms, abs=1)


@pytest.mark.parametrize("back_ms", [1_000, 30_000, 3_600_000])
async def test_a_clock_that_is_set_back_is_followed_at_once(made_up: MadeUp, clock: RedisClock, back_ms: int):
    """New streams are stamped by it. Those that are ahead stand still, and their timers with them."""
    await clock.read_ms()
    clock.now_ms()
    made_up.ahead_ms -= back_ms
    await clock.read_ms()
    before_ms = clock.now_ms()
    assert before_ms == pytest.approx(made_up.redis_ms, abs=1)
    for _ in range(20):
        made_up.here_ms += 100
        await clock.read_ms()
        now_ms = clock.now_ms()
        assert now_ms >= before_ms
        before_ms = now_ms
    assert before_ms == pytest.approx(made_up.redis_ms, abs=1)


@pytest.mark.parametrize("back_ms", [1, 50, 199])
async def test_a_clock_that_is_put_right_a_little_is_waited_for(made_up: MadeUp, clock: RedisClock, back_ms: int):
    await clock.read_ms()
    before_ms = clock.now_ms()
    made_up.ahead_ms -= back_ms
    for _ in range(40):
        await clock.read_ms()
        assert clock.now_ms() >= before_ms
        before_ms = clock.now_ms()
        made_up.here_ms += 100
