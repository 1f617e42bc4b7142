import type { OpenRoutes } from './open-routes.ts';
import { Rounds } from './rounds.ts';

/** How often a warm function of the main routes waits for AWS; requests that it makes at the same time count as one. */
export async function countRounds({ call }: Pick<OpenRoutes, 'call'>): Promise<Record<string, number>> {
  const rounds = Rounds.ofProcess();
  const counts: Record<string, number> = {};
  const body = { prompt: 'echo hi', profile: 'shell' };
  // Without output, whose bytes would be waited for too.
  const { id } = await call('POST', '/jobs', body);
  const cases = [
    ['POST /jobs', 'POST', '/jobs', body],
    ['GET /jobs', 'GET', '/jobs'],
    ['GET /jobs/{id}', 'GET', `/jobs/${id}`],
    ['GET /jobs/{id}/status', 'GET', `/jobs/${id}/status`],
    ['GET /jobs/{id}/logs', 'GET', `/jobs/${id}/logs`],
    ['GET /jobs/{id}/result', 'GET', `/jobs/${id}/result`],
  ] as const;
  for (const [name, method, path, given] of cases) {
    // What a process does once is not counted.
    await call(method, path, given);
    rounds.take();
    await call(method, path, given);
    counts[name] = rounds.take();
  }
  return counts;
}
