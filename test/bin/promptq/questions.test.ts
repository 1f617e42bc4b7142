import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { emptyHome, runPromptq } from './promptq-command.ts';
import { startStandIn } from './stand-in.ts';

const home = emptyHome();

test('questions lists those of all jobs that wait, on however many pages they are', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const [, job] = /\/jobs\/(job_\d)\/questions$/.exec(pathname) ?? [];
    const cursor = searchParams.get('cursor');
    if (job === undefined)
      asked.push(
        [...searchParams]
          .map((pair) => pair.join('='))
          .toSorted()
          .join(' '),
      );
    const answer =
      job === undefined
        ? { items: [{ id: cursor === null ? 'job_1' : 'job_2' }], next_cursor: cursor === null ? 'second' : null }
        : { items: [{ id: `q_${job}`, job_id: job, state: 'open', question: `Of ${job}?`, options: [] }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { XDG_CONFIG_HOME: home, PROMPTQ_URL: url, PROMPTQ_TOKEN: 'pq_test' };
  const { code, stdout } = await runPromptq(['questions', '--json'], { env });
  server.close();
  expect(code).toBe(0);
  expect(JSON.parse(stdout).items.map(({ question }: { question: string }) => question)).toEqual([
    'Of job_1?',
    'Of job_2?',
  ]);
  expect(asked).toEqual(['limit=100 needs=answer order=oldest', 'cursor=second limit=100 needs=answer order=oldest']);
});

describe('of two questions, the open one', () => {
  const items = [
    { id: 'q_2', job_id: 'job_1', state: 'open', question: 'Which\ncolor?', options: [] },
    { id: 'q_1', job_id: 'job_1', state: 'answered', question: 'Which size?', options: [] },
  ];
  const service = async () => {
    const bodies: string[] = [];
    const standIn = await startStandIn((request, body) => {
      if (request.startsWith('POST')) bodies.push(body);
      return { body: request.endsWith('/questions') ? { items } : { status: 'QUEUED', state_reason: { message: '' } } };
    });
    return { ...standIn, bodies };
  };

  test('is not answered instead of the one that is given', async () => {
    const { env, bodies, requests } = await service();
    expect(await runPromptq(['answer', 'job_1', 'XL', '--question', 'q_1'], { env })).toMatchObject({
      code: 0,
    });
    expect(requests).toEqual(['POST /jobs/job_1/answers']);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ question_id: 'q_1', answer: 'XL' });
  });
});
