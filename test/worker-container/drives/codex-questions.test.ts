import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { codex } from '../../../worker-container/agents/codex.ts';
import { findCodex } from '../../../worker-container/agents/vendor-binary.ts';
import { runAgent } from '../agents/run-agent.ts';

/** codex's own tool to ask its user, in the mode in which it is not offered by default. */
const FEATURE = 'default_mode_request_user_input';

const QUESTION = {
  id: 'color',
  header: 'Color',
  question: 'Which color?',
  options: [
    { label: 'red', description: 'Like a shed.' },
    { label: 'blue', description: 'Like the sky.' },
  ],
};

interface ModelRequest {
  readonly tools: readonly { readonly name?: string }[];
  readonly input: readonly { readonly type: string; readonly output?: unknown }[];
}

/** A model that calls `request_user_input`, and ends its turn once it has the result. */
async function startAskingModel(): Promise<{ readonly baseUrl: string; readonly requests: ModelRequest[] }> {
  const requests: ModelRequest[] = [];
  const call = { name: 'request_user_input', call_id: 'call_1', arguments: JSON.stringify({ questions: [QUESTION] }) };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await buffer(request)).toString();
    if (!request.url?.endsWith('/responses')) {
      response.writeHead(404).end('{}');
      return;
    }
    const asked = JSON.parse(body) as ModelRequest;
    requests.push(asked);
    const isAnswered = asked.input.some(({ type }) => type === 'function_call_output');
    const item = isAnswered
      ? {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'I continue without an answer.' }],
        }
      : { type: 'function_call', ...call };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

test("codex's own question is answered with an error, so that its turn continues", async () => {
  const { baseUrl, requests } = await startAskingModel();
  const args = ['--enable', FEATURE];
  const end = await runAgent(codex, { vendor: { baseUrl, apiKey: 'key' }, prompt: 'hello', args });
  expect(end.facts).toMatchObject({ finished: true, finalMessage: 'I continue without an answer.' });
  expect(end.stdout).toContain('"item/tool/requestUserInput"');
  expect(requests).toHaveLength(2);
});

test('codex offers its own question only where it is turned on', async () => {
  const { baseUrl, requests } = await startAskingModel();
  const end = await runAgent(codex, { vendor: { baseUrl, apiKey: 'key' }, prompt: 'hello' });
  expect(end.facts).toMatchObject({ finished: true, finalMessage: 'I continue without an answer.' });
  expect(end.stdout).not.toContain('"item/tool/requestUserInput"');
  expect(requests).toHaveLength(2);
});

// Once it is on by default, the drive has to answer it from the job's question.
test('the installed codex does not ask by its own tool by default', async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-features-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { CODEX_HOME: home, HOME: home };
  const { stdout } = await promisify(execFile)(await findCodex(undefined), ['features', 'list'], { env });
  expect(stdout).toMatch(new RegExp(`^${FEATURE} +under development +false$`, 'm'));
});
