import { Agent } from 'node:http';

/** Milliseconds to connect. */
const CONNECTION_TIMEOUT_MS = 2_000;

/** Milliseconds for one attempt of a request: four attempts fit into the 29 s of an API function. */
export const REQUEST_TIMEOUT_MS = 5_000;

/** The same for requests and responses that hold an object or a part of an upload (5 MiB). */
const OBJECT_TIMEOUT_MS = 60_000;

/** Milliseconds until an idle connection is closed; only on plain HTTP, which is the local run's. */
const IDLE_MS = 5_000;

/** Connections to one address, and idle ones that are kept. */
const SOCKETS = { requests: 32, objects: 128, free: 8 } as const;

const pooled = { keepAlive: true, maxFreeSockets: SOCKETS.free, timeout: IDLE_MS } as const;
/** Shared by all clients of a process: in the local run all functions share one process and its file descriptors. */
const agents = {
  requests: new Agent({ ...pooled, maxSockets: SOCKETS.requests }),
  objects: new Agent({ ...pooled, maxSockets: SOCKETS.objects }),
};

/** A client's request handler settings: by default the SDK waits for a response without limit. */
export function requestLimits(kind: keyof typeof agents = 'requests') {
  return {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: kind === 'objects' ? OBJECT_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    httpAgent: agents[kind],
  };
}
