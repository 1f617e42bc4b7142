import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { PlainCli, PlainReport } from '../../../lib/contract/agents/definition.ts';
import { plainAgent } from '../../../worker-container/agents/plain-agent.ts';
import { fileAppears, runAgent, startAgent } from './run-agent.ts';

/** Repeats its arguments, its prompt and its variable in events, as CLIs do. */
const PROGRAM = `#!/usr/bin/env bash
echo 'not an event'
echo '{"session":"s-1","tokens":7}'
printf '{"text":"%s; %s; %s"}\\n' "$*" "$(cat)" "$TOY_HOME"
[[ $1 == fail ]] && echo '{"error":"no luck"}'
[[ $1 == hang ]] && { trap 'echo "{\\"text\\":\\"interrupted\\"}"; exit 3' INT; touch begun; while :; do sleep 0.05; done; }
echo '{"text":"cut o'
exit 0
`;

const toy: PlainCli = {
  command: 'toy',
  readsStdin: true,
  politeSignal: 'SIGINT',
  sessionFolder: 'toy-home',
  arguments: ({ model, resume, sandbox }) => [model ?? 'usual', resume ?? 'new', sandbox],
  environment: ({ folder }) => ({ TOY_HOME: join(folder, 'toy-home') }),
  read(line): PlainReport {
    const { session, tokens, text, error } = line as Record<string, string | number | undefined>;
    return {
      ...(session !== undefined && { sessionId: String(session) }),
      ...(tokens !== undefined && {
        usage: {
          input_tokens: Number(tokens),
          cached_input_tokens: 0,
          output_tokens: 0,
          reasoning_output_tokens: 0,
        },
      }),
      ...(text !== undefined && { message: String(text), finished: true }),
      ...(error !== undefined && { error: String(error) }),
    };
  },
};

const agent = plainAgent({ name: 'shell', cli: toy, binary: 'PROMPTQ_TOY_BIN' });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-toy-'));
  await writeFile(join(folder, 'toy'), PROGRAM);
  await chmod(join(folder, 'toy'), 0o755);
  return async () => await rm(folder, { recursive: true });
});
const onPath = () => ({ PATH: `${folder}:${process.env.PATH}` });

test('a CLI that is only described gets its prompt, arguments and variables, and is read', async () => {
  const end = await runAgent(agent, { prompt: 'hällo', model: 'big', resume: 's-0', args: ['--more'], env: onPath() });
  expect(end.facts).toEqual({
    sessionId: 's-1',
    usage: { input_tokens: 7, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 },
    finalMessage: `big s-0 none --more; hällo; ${end.sessions}`,
    finished: true,
  });
});

test('what it reports as a failure is one, whatever its exit code', async () => {
  const end = await runAgent(agent, { prompt: '', model: 'fail', env: onPath() });
  expect(end).toMatchObject({ exitCode: 0, facts: { error: 'no luck' } });
});

test('its signal asks it to end', async () => {
  const running = await startAgent(agent, { prompt: '', model: 'hang', env: onPath() });
  await fileAppears(join(running.attempt.cwd, 'begun'));
  running.child.kill(agent.politeSignal);
  expect(await running.ended).toMatchObject({ exitCode: 3, facts: { finalMessage: 'interrupted' } });
});

test('its variable names another file, and a missing one is an error', async () => {
  const elsewhere = join(folder, 'toy');
  const end = await runAgent(agent, { prompt: 'x', env: { PROMPTQ_TOY_BIN: elsewhere } });
  expect(end.facts.finalMessage).toContain('usual new none; x;');
  const missing = { prompt: '', attemptDir: folder, env: { PROMPTQ_TOY_BIN: '/no/toy' } };
  await expect(runAgent(agent, missing)).rejects.toThrow("the CLI toy can't be executed: /no/toy");
  await expect(runAgent(agent, { prompt: '', env: { PATH: '/no/folder' } })).rejects.toThrow(
    "the CLI toy can't be executed: it is in no folder of /no/folder",
  );
});

test('without a parser all of its stdout is one message', async () => {
  const { read: _, ...quiet } = toy;
  const texts: string[] = [];
  const plain = plainAgent({ name: 'shell', cli: { ...quiet, readsStdin: false } });
  const { command, args, env, stdin } = await plain.prepare((await startAgent(agent, { env: onPath() })).attempt);
  expect({ command, stdin, args: args.length }).toEqual({ command: join(folder, 'toy'), stdin: '', args: 3 });
  expect(env.TOY_HOME).toContain('toy-home');
  const reader = plain.createReader({ push: (text) => texts.push(text), end: () => texts.push('END') });
  reader.push(Buffer.from('{"text":"one"}\ntwo'));
  reader.end();
  expect(texts).toEqual(['{"text":"one"}\ntwo', '', 'END']);
});
