import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { emptyHome, startPromptq } from './promptq-command.ts';

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
  const { code, stdout } = await startPromptq(['questions', '--json'], { env }).ended;
  server.close();
  expect(code).toBe(0);
  expect(JSON.parse(stdout).items.map(({ question }: { question: string }) => question)).toEqual([
    'Of job_1?',
    'Of job_2?',
  ]);
  expect(asked).toEqual(['limit=100 needs=answer order=oldest', 'cursor=second limit=100 needs=answer order=oldest']);
});
