import { Agent } from 'node:http';

/** Milliseconds for a connection to be made. */
const CONNECTION_TIMEOUT_MS = 2_000;

/** Milliseconds for the answer to one try of a request: four tries fit into the 29 s of a function of the API. */
export const REQUEST_TIMEOUT_MS = 5_000;

/** The same where the request, or what it asks for, is an object of up to a part of an upload (5 MiB). */
const OBJECT_TIMEOUT_MS = 60_000;

/** Milliseconds after which a connection without requests is closed; only on plain HTTP, which is the local run's. */
const IDLE_MS = 5_000;

/** Connections to one address, and how many are kept without requests. */
const SOCKETS = { requests: 32, objects: 128, free: 8 } as const;

const pooled = { keepAlive: true, maxFreeSockets: SOCKETS.free, timeout: IDLE_MS } as const;
/** One for all clients of a process: in the local run all functions are in one, which has only so many descriptors. */
const agents = {
  requests: new Agent({ ...pooled, maxSockets: SOCKETS.requests }),
  objects: new Agent({ ...pooled, maxSockets: SOCKETS.objects }),
};

/** Settings of a client's request handler: without them the SDK waits for an answer for ever. */
export function requestLimits(kind: keyof typeof agents = 'requests') {
  return {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: kind === 'objects' ? OBJECT_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    httpAgent: agents[kind],
  };
}
