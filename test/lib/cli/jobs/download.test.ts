import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { download } from '../../../../lib/cli/jobs/download.ts';
import { TargetFolder } from '../../../../lib/cli/jobs/target-folder.ts';
import { Promptq } from '../../../../lib/client/promptq.ts';
import { temporaryFolder } from '../command-line.ts';

const sha256 = createHash('sha256').update('content').digest('hex');
const attachment = { path: 'deep/x', name: 'x', attempt: 3, sha256 };
const root = temporaryFolder();
let folders = 0;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

/** A client whose requests are answered in turn. */
function answered(answers: readonly (() => Response)[], retrySeconds = 60) {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async ({ url, headers }: Request) => {
    const answer = answers[paths.push(`${new URL(url).pathname}${new URL(url).search} ${headers.get('accept')}`) - 1];
    if (answer === undefined) throw new Error('there are more requests than answers');
    return answer();
  });
  return { client: new Promptq({ baseUrl: 'http://127.0.0.1', token: 't', retrySeconds }), paths };
}

const whole = () => new Response('content');
const cut = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('cont'));
        controller.error(new Error('terminated'));
      },
    }),
  );

/** A new folder, and the file in it, which is not there yet. */
async function newTarget() {
  const folder = await TargetFolder.open(join(root, `f${++folders}`));
  onTestFinished(async () => await folder.close());
  return { folder, target: join(folder.path, attachment.path) };
}

it('repeats a download that was cut off or damaged, and stores only a complete file', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(-0.99);
  const { folder, target } = await newTarget();
  const { client, paths } = answered([cut, () => new Response('damaged content'), whole]);
  expect(await download(client, { id: 'j', attachment, folder })).toBe('stored');
  expect([readFileSync(target, 'utf8'), paths.length]).toEqual(['content', 3]);
  vi.restoreAllMocks();
});

it.each([
  [
    'stays another one',
    () => new Response('other'),
    'CommandError',
    `TARGET can't be stored: the received file is not the one that the job stored`,
  ],
  ['is cut off', cut, 'UnreachableError', 'the download was cut off: terminated'],
  ['has no content', () => new Response(null), 'CommandError', `TARGET can't be stored: the received file is not`],
  ['is gone', () => Response.json({ error: 'gone' }, { status: 404 }), 'RequestError', 'gone'],
])('fails and leaves nothing if the file %s', async (_, answer, name, message) => {
  const { folder, target } = await newTarget();
  const failure = await download(answered([answer], 0).client, { id: 'j', attachment, folder }).catch((error) => error);
  expect([failure.name, failure.exitCode]).toEqual([name, name === 'CommandError' ? 1 : undefined]);
  expect(failure.message).toContain(message.replace('TARGET', target));
  expect(readdirSync(join(target, '..'))).toEqual([]);
});
