import type { ServerResponse } from 'node:http';
import type { Refusal } from '../model/refusal.ts';

/** Sends an error in the format of the Messages API. */
export function refuseMessage(response: ServerResponse, { status, error }: Refusal): void {
  const { type, headers } = inFormat(status, error);
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_practice', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message: error.message }, request_id: 'req_practice' }));
}

function inFormat(status: number, error: Refusal['error']): { type: string; headers?: Record<string, string> } {
  if (status === 401) return { type: 'authentication_error' };
  if (error.type !== 'usage_limit_reached') return { type: 'api_error' };
  return {
    type: 'rate_limit_error',
    // A subscription's limit, as claude 2.1.328 reads it.
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(error.resets_at),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'x-should-retry': 'false',
    },
  };
}
