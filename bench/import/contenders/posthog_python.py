"""posthog-python with historical_migration, and the settings with which it was fastest here."""

import json
import resource
import sys
import time
from datetime import datetime

from posthog import Posthog

file, port, gzip = sys.argv[1:4]
client = Posthog(
    "phc_bench",
    host=f"http://127.0.0.1:{port}",
    historical_migration=True,
    flush_at=1000,
    max_queue_size=20_000,
    thread=1,
    gzip=gzip == "gzip",
)

begun = time.perf_counter()
events = 0
with open(file, encoding="utf-8") as lines:
    for line in lines:
        event = json.loads(line)
        properties = event["properties"]
        client.capture(
            event["event"],
            distinct_id=properties["distinct_id"],
            properties=properties,
            timestamp=datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")),
        )
        events += 1
        # A full queue drops events: wait for it.
        if events % 10_000 == 0:
            client.flush()
client.flush()
client.shutdown()
seconds = time.perf_counter() - begun
usage = resource.getrusage(resource.RUSAGE_SELF)
print(
    json.dumps(
        {
            "seconds": seconds,
            "events": events,
            "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "peakMb": usage.ru_maxrss / 1024,
        }
    )
)
