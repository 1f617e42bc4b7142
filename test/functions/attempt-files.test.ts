import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { jobIdOfKey } from '../../lib/jobs/lifecycle/job-id.ts';
import {
  attachmentIndexKey,
  attachmentKey,
  sessionAboutKey,
  sessionPartKey,
} from '../../lib/jobs/output/output-keys.ts';
import { functionsUnderTest } from './functions-under-test.ts';

const service = functionsUnderTest({
  'attachments.read': async () => await import('../../functions/attachments/read.ts'),
  'jobs.session': async () => await import('../../functions/jobs/session.ts'),
  'jobs.logs': async () => await import('../../functions/jobs/logs.ts'),
});

test('what an attempt left is downloaded as a file, and never as a page of this origin', async () => {
  const job = { id: jobIdOfKey('files'), status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
  await service.deployment.store({ ...job, finished_at: '2026-11-20T10:00:00.000Z' });
  const put = async (Key: string, Body: string) =>
    await service.deployment.objects.send(
      new PutObjectCommand({ Bucket: service.deployment.env.OUTPUT_BUCKET, Key, Body }),
    );
  const text = '<script>';
  const attachments = [{ path: 'a.html', bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') }];
  await put(attachmentIndexKey(job.id, 1), JSON.stringify({ version: 1, attachments }));
  await put(attachmentKey(job.id, 1, 0), text);
  const about = {
    version: 1,
    agent: 'codex',
    vendor: 'practice',
    session_id: 's',
    path: 'p',
    cwd: '/work',
    worker_id: 'w',
    billed_bytes: 0,
  };
  await put(sessionAboutKey(job.id, 1, 0), JSON.stringify(about));
  await put(sessionPartKey(job.id, 1, 0, 0), '{}\n');

  const authorization = `Bearer ${await service.token()}`;
  const ask = async (path: string, accept = '*/*') => {
    const answer = await service.ask(`/api/v1/jobs/${job.id}/${path}`, { authorization, accept });
    const { headers } = answer;
    const shown = ['content-type', 'content-disposition', 'content-security-policy'].map((name) => headers.get(name));
    return [answer.status, answer.text, ...shown];
  };
  const sandbox = "default-src 'none'; sandbox";
  const disposition = expect.stringMatching(/^attachment; filename="a\.html"/);
  expect(await ask('attachments/a.html')).toEqual([200, text, 'application/octet-stream', disposition, sandbox]);
  expect((await ask('attachments/b.html'))[0]).toBe(404);
  expect(await ask('session')).toEqual([200, '{}\n', 'text/plain; charset=utf-8', null, sandbox]);
  const followed = await ask('logs?follow=1', 'text/event-stream');
  expect([followed[0], followed[2]]).toEqual([200, 'text/event-stream']);
  expect((await ask('logs?follow=1', 'application/json'))[0]).toBe(400);
  expect((await ask('logs', 'text/event-stream'))[2]).not.toBe('text/event-stream');
});
