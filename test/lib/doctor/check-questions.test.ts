import { expect, it } from 'vitest';
import { checkQuestions } from '../../../lib/doctor/service/check-questions.ts';
import { withService } from './stand-in-service.ts';

const NOW = '2026-11-20T12:00:00.000Z';

async function findingsOf(body: object) {
  const answer = () => ({ status: 200, body });
  return await withService({ answer, isLocal: false }, (service) => checkQuestions(service, NOW));
}

it('jobs that wait for an answer are a warning with the time since the oldest asked', async () => {
  expect(await findingsOf({ items: [], total: 0 })).toMatchObject([{ state: 'ok' }]);
  // Both the list of jobs and the questions of the first.
  const asking = { items: [{ id: 'job_1', state: 'open', asked_at: '2026-11-20T09:00:00.000Z' }], total: 2 };
  expect(await findingsOf(asking)).toMatchObject([
    { state: 'warning', message: '2 jobs waiting for an answer; job_1 asked 3 h ago' },
  ]);
});
