export const EVENT_STREAM = 'text/event-stream';

/** Further headers of an event stream: a proxy that stored, compressed or collected it would delay its events. */
export const EVENT_STREAM_HEADERS = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' } as const;
