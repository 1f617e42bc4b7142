import { expect, it } from 'vitest';
import { commandLine, refused } from '../command-line.ts';
import { jobIn } from '../job-answers.ts';

const promptq = commandLine();
const CHANGED = jobIn('QUEUED', 'changed');

it.each([
  ['submit', [], {}],
  ['cancel', [], {}],
  ['kill', [], {}],
  ['retry', [], {}],
  ['retry', ['--from', 'session'], { from: 'session' }],
])('%s %j prints the state of the job', async (action, options, body) => {
  const answers = { 'GET /jobs/j': jobIn('FAILED', 'exited'), [`POST /jobs/j/${action}`]: CHANGED };
  const ended = await promptq([action, 'j', ...options], answers);
  expect(ended).toMatchObject({ code: 0, stdout: 'QUEUED: It is changed.\n', stderr: '' });
  expect(ended.requests.at(-1)).toBe(`POST /jobs/j/${action} ${JSON.stringify(body)}`);
  const { stdout } = await promptq([action, 'j', ...options, '--json'], answers);
  expect(JSON.parse(stdout)).toEqual(CHANGED);
});

it('wait prints the state in which the job has ended', async () => {
  const ended = jobIn('CANCELLED', 'killed');
  const text = await promptq(['wait', 'j'], { 'GET /jobs/j/status': ended });
  expect([text.code, text.stdout]).toEqual([3, 'CANCELLED: It is killed.\n']);
  const json = await promptq(['wait', 'j', '--json'], { 'GET /jobs/j/status': ended });
  expect([json.code, JSON.parse(json.stdout)]).toEqual([3, ended]);
});

it('refuses to retry a job from elsewhere', async () => {
  const { code, stderr, requests } = await promptq(['retry', 'j', '--from', 'there']);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain('Allowed choices are start, session.');
});

const QUESTIONS = {
  'GET /jobs/j/questions': {
    items: [
      { id: 'q3', state: 'expired', question: 'Later?' },
      { id: 'q2', state: 'open', question: 'Which\n one?' },
    ],
  },
};

it('answers the open question and names it, or the one that is given', async () => {
  const answers = { ...QUESTIONS, 'POST /jobs/j/answers': CHANGED };
  expect(await promptq(['answer', 'j', 'this'], answers)).toEqual({
    code: 0,
    stdout: 'QUEUED: It is changed.\n',
    stderr: 'to question q2: Which one?\n',
    requests: ['GET /jobs/j/questions', 'POST /jobs/j/answers {"question_id":"q2","answer":"this"}'],
  });
  const { stdout, stderr, requests } = await promptq(['answer', 'j', 'this', '--question', 'q1', '--json'], answers);
  expect([JSON.parse(stdout), stderr]).toEqual([CHANGED, '']);
  expect(requests).toEqual(['POST /jobs/j/answers {"question_id":"q1","answer":"this"}']);
});

it('sends an answer to the newest question if none is open, and says if there is none', async () => {
  const closed = { 'GET /jobs/j/questions': { items: QUESTIONS['GET /jobs/j/questions'].items.slice(0, 1) } };
  const refusal = await promptq(['answer', 'j', 'x'], { ...closed, 'POST /jobs/j/answers': refused(400, 'expired') });
  expect(refusal).toMatchObject({ code: 2, stderr: 'to question q3: Later?\npromptq: expired\n' });
  const none = await promptq(['answer', 'j', 'x'], { 'GET /jobs/j/questions': { items: [] } });
  expect(none).toMatchObject({ code: 2, stderr: 'promptq: job j has no question\n' });
});

const fields = (requests: readonly string[]) => requests.at(-1)?.split(/ (?=\{)/);

it('edits a draft by its own route, and may move it to another project', async () => {
  const answers = { 'GET /jobs/j/status': jobIn('DRAFT', 'draft'), 'PATCH /jobs/j/draft': CHANGED };
  const { code, stdout, requests } = await promptq(['edit', 'j', 'other', '--project', 'p'], answers);
  expect([code, stdout, fields(requests)]).toEqual([
    0,
    'QUEUED: It is changed.\n',
    ['PATCH /jobs/j/draft', '{"prompt":"other","project":"p"}'],
  ]);
});

it('edits a job that waits, but not its project', async () => {
  const answers = { 'GET /jobs/j/status': jobIn('QUEUED', 'waiting_for_worker'), 'PATCH /jobs/j': CHANGED };
  const edited = await promptq(['edit', 'j', '--title', 't', '--json'], answers);
  expect([edited.code, JSON.parse(edited.stdout), fields(edited.requests)]).toEqual([
    0,
    CHANGED,
    ['PATCH /jobs/j', '{"title":"t"}'],
  ]);
  const moved = await promptq(['edit', 'j', '--project', 'p'], answers);
  expect(moved).toMatchObject({ code: 2, stderr: 'promptq: --project: only that of a draft can change\n' });
  expect(moved.requests).toEqual(['GET /jobs/j/status']);
  const nothing = await promptq(['edit', 'j'], answers);
  expect(nothing).toMatchObject({ code: 2, requests: [] });
  expect(nothing.stderr).toBe('promptq: nothing to change: give a prompt or an option\n');
});

const MESSAGES = {
  items: [
    { id: 'm1', status: 'delivered', created_at: 'then', next_job_id: null, text: 'Hello' },
    { id: 'm2', status: 'queued', created_at: 'now', next_job_id: 'k', text: 'Then' },
  ],
};

it('sends a message, and lists those of the job', async () => {
  const answers = { 'POST /jobs/j/messages': { id: 'm2' }, 'GET /jobs/j/messages': MESSAGES };
  const sent = await promptq(['say', 'j', 'Then', '--idempotency-key', 'k', '--only-now'], answers);
  expect(sent).toMatchObject({ code: 0, stderr: 'message m2 is accepted\n' });
  expect(sent.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'STATUS', 'SENT', 'NEXT JOB', 'TEXT'],
    ['m1', 'delivered', 'then', 'Hello'],
    ['m2', 'queued', 'now', 'k', 'Then'],
    [''],
  ]);
  const [request = ''] = sent.requests;
  expect(JSON.parse(fields([request])?.[1] ?? '')).toEqual({ text: 'Then', idempotency_key: 'k', only_now: true });
  const own = await promptq(['say', 'j', 'Then'], answers);
  expect(JSON.parse(fields(own.requests.slice(0, 1))?.[1] ?? '')).toEqual({
    text: 'Then',
    idempotency_key: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const listed = await promptq(['say', 'j', '--json'], answers);
  expect([JSON.parse(listed.stdout), listed.stderr, listed.requests]).toEqual([MESSAGES, '', ['GET /jobs/j/messages']]);
});
