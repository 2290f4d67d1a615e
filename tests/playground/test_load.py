"""Many people at once: every solve comes to its answer, editors are answered meanwhile, and the
server's memory stays where it was."""

import asyncio
import os
import random
import time
from pathlib import Path

import httpx
import pytest

from tests.playground.conftest import Served
from treemip.study.playground.limits import Limits


class Load:
    """solved: solves with their tree. refused: told that too many wait. waits: seconds of each
    look of an editor."""

    def __init__(self):
        self.solved, self.refused, self.waits = 0, 0, []


async def visit(url, number, until, load, example):
    """One person: types, now and then solves, and waits for the answer."""
    draw = random.Random(number)
    headers = {"X-Session": f"visitor-{number}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=300) as client:
        version = 0
        while time.monotonic() < until:
            version += 1
            text = f"# {version}\n{example['files'][example['spec']]}"
            request = {**example, "files": {**example["files"], example["spec"]: text}}
            began = time.monotonic()
            want = ["problems", "tokens"] if version % 3 else ["data"]
            answer = await client.post(
                "/api/look", json={**request, "version": version, "want": want}
            )
            load.waits.append(time.monotonic() - began)
            assert answer.status_code == 200 and answer.json()["problems"] == [], answer.text
            if version % 4 == 1:
                await solve(client, request, load)
            await asyncio.sleep(draw.random())


async def solve(client, request, load):
    answer = await client.post("/api/solve", json=request)
    if answer.status_code == 503:
        load.refused += 1
        return
    job = answer.json()["job"]
    async with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        async for _ in stream.aiter_lines():
            pass
    answer = (await client.get(f"/api/jobs/{job}")).json()
    assert answer["state"] == "done" and answer["code"] == 0, answer
    assert answer["tree"]["objective"] == 3
    load.solved += 1


def resident():
    """Bytes of memory of this process, which is the server's too, and of its children."""
    pids = {os.getpid()}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines()[:12])
        except (OSError, ValueError):
            continue
        if int(lines.get("PPid", "0")) in pids:
            pids.add(int(status.parent.name))
    return sum(_resident(pid) for pid in pids)


def _resident(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("visitors", "seconds"), [(4, 5), pytest.param(20, 300, marks=pytest.mark.truth)]
)
def test_no_solve_is_lost(visitors, seconds, capsys):
    load = Load()
    with Served(Limits(workers=2, seconds=120)) as served:

        async def all_of_them():
            async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
                example = (await client.get("/api/examples/credit")).json()
            until = time.monotonic() + seconds
            watching = asyncio.create_task(watched())
            visits = (visit(served.url, n, until, load, example) for n in range(visitors))
            await asyncio.gather(*visits)
            watching.cancel()

        peaks = [resident()]

        async def watched():
            while True:
                await asyncio.sleep(1)
                peaks.append(await asyncio.to_thread(resident))

        asyncio.run(all_of_them())
        queue = served.app.state.playground.queue
        kept = len(queue.tasks)
        assert not queue.waiting and not queue.running
    waits = sorted(load.waits)
    middle, slow = waits[len(waits) // 2], waits[int(len(waits) * 0.95)]
    with capsys.disabled():
        print(
            f"\n{visitors} visitors, {seconds} s: {load.solved} solved, {load.refused} refused, "
            f"{len(waits)} looks, median {middle:.2f} s, 95 % within {slow:.2f} s, "
            f"memory at most {max(peaks) / 1e6:.0f} MB, {kept} answers kept"
        )
    assert load.solved >= visitors and load.refused == 0
    assert max(peaks) < 3e9
