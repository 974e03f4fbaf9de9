"""Who was told "not now, try again" has not taken a seat all the same: nobody would hold a token for it."""

from rapid.store import open_store
from tests.integration.gateway_bench import gateway_on, worker_on


async def test_a_seat_and_a_table_asked_for_while_nobody_decides_are_not_there_afterwards(redis_url):
    store = await open_store(redis_url)
    async with gateway_on(store, decision_timeout_ms=500) as server:
        async with worker_on(redis_url, "w1"):
            table = (await server.open(seats=4))["table"]
            await server.sit(table, "Bob")
        assert (await server.post(f"/api/tables/{table}/seats", {"name": "Ghost"}, 503))["type"].endswith("unavailable")
        await server.post("/api/tables", {"name": "Ghost"}, 503)
        async with worker_on(redis_url, "w2"):
            seated = await server.sit(table, "Cy")
            assert seated["seat"] == 2
            _, welcome = await server.join(table, seated["token"])
            assert [seat["name"] for seat in welcome["view"]["seats"]] == ["Ada", "Bob", "Cy"]
            assert await store.listing.count() == 1
    await store.close()
