"""Runs and cancels jobs through the client that openapi-python-client generates (docs/api.md)."""

import json
import os

from promptq_client import AuthenticatedClient
from promptq_client.api.jobs import cancel_jobs, create_jobs, list_jobs, read_jobs, result_jobs, status_jobs
from promptq_client.models import Error, JobCreation

client = AuthenticatedClient(
    base_url=os.environ.get("PROMPTQ_URL", "http://127.0.0.1:8787"),
    token=os.environ["PROMPTQ_TOKEN"],
    timeout=60,
    raise_on_unexpected_status=True,
)


def succeed(answer):
    """Returns the answer. Raises RuntimeError if the service refused the request."""
    if answer is None or isinstance(answer, Error):
        raise RuntimeError(str(answer))
    return answer


def create(prompt):
    """Creates a job of the shell profile. Returns its id."""
    return succeed(create_jobs.sync(client=client, body=JobCreation(prompt=prompt, profile="shell"))).id


def wait_for_end(id):
    """Waits until the job ends. Each request is held for up to 25 seconds."""
    while True:
        lifecycle = succeed(status_jobs.sync(id, client=client, wait=25))
        if lifecycle.terminal:
            return lifecycle.status.value


id = create("echo hello")
status = wait_for_end(id)
job = succeed(read_jobs.sync(id, client=client))
result = succeed(result_jobs.sync(id, client=client))
jobs = succeed(list_jobs.sync(client=client, limit=10))

long = create("sleep 600")
succeed(cancel_jobs.sync(long, client=client))
cancelled = wait_for_end(long)

unknown = read_jobs.sync("unknown", client=client)

print(
    json.dumps(
        {
            "status": status,
            "prompt": job.prompt,
            "stdout": result.stdout,
            "listed": any(item.id == id for item in jobs.items),
            "cancelled": cancelled,
            "error": unknown.error,
        }
    )
)
