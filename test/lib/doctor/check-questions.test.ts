import { expect, it } from 'vitest';
import { checkQuestions } from '../../../lib/doctor/service/check-questions.ts';
import { withService } from './stand-in-service.ts';

const NOW = '2026-11-20T12:00:00.000Z';
const JOB = { id: 'job_1' };
const at = (hour: number, state: string) => ({ state, asked_at: `2026-11-20T0${hour}:00:00.000Z` });

async function look(jobs: { items: object[]; total: number }, questions: object[] = []) {
  const requests: string[] = [];
  const answer = (request: string) => {
    requests.push(request);
    return { status: 200, body: request.includes('/questions') ? { items: questions } : jobs };
  };
  const findings = await withService({ answer, isLocal: false }, (service) => checkQuestions(service, NOW));
  return { requests, found: findings.map(({ state, message }) => `${state}: ${message}`) };
}

it('jobs that wait for an answer are a warning with the time since the oldest asked', async () => {
  const { requests, found } = await look({ items: [JOB], total: 2 }, [at(8, 'answered'), at(9, 'open')]);
  expect(found).toEqual(['warning: 2 jobs waiting for an answer; job_1 asked 3 h ago']);
  expect(requests).toEqual(['GET /api/v1/jobs?needs=answer&order=oldest&limit=1', 'GET /api/v1/jobs/job_1/questions']);
});

it('a question that was answered meanwhile has just been asked, and without one all is well', async () => {
  const { found } = await look({ items: [JOB], total: 1 }, [at(8, 'answered')]);
  expect(found).toEqual(['warning: 1 job waiting for an answer; job_1 asked 0 s ago']);
  expect((await look({ items: [], total: 0 })).found).toEqual(['ok: none is open']);
});
