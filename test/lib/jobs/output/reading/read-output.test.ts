import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobIdOfKey } from '../../../../../lib/jobs/lifecycle/job-id.ts';
import { AttachmentStore } from '../../../../../lib/jobs/output/attachments/attachment-store.ts';
import { joinedKey } from '../../../../../lib/jobs/output/output-keys.ts';
import { readLogs, readResult } from '../../../../../lib/jobs/output/reading/read-output.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../../a-job.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('the logs of an earlier attempt do not grow: they are compared with its receipt, and start no live view', async () => {
  const { jobs, output, objects, env } = deployment;
  const id = jobIdOfKey('an earlier attempt');
  const job = await deployment.store(aRunningJob({ id, attempt: 2 }));
  const kept = 'first\n';
  const sha256 = createHash('sha256').update(kept).digest('hex');
  const Key = joinedKey(id, 1, 'stdout');
  await objects.send(new PutObjectCommand({ Bucket: env.OUTPUT_BUCKET, Key, Body: kept }));
  const stdout = { bytes: kept.length, lines: 1, sha256, complete: true };
  const receipt = aReceipt({ kind: 'finished', reason: 'exited' }, { job_id: id });
  await output.putReceipt({ ...receipt, streams: { ...receipt.streams, stdout } });

  const context = { ...deployment, attachments: new AttachmentStore(objects, env.OUTPUT_BUCKET) };
  const request = { stream: 'stdout', full: true, offset: undefined, attempt: 1 } as const;
  const answer = await readLogs(context, job, request);
  if (!('body' in answer)) throw new Error('the logs are somewhere else');
  expect(JSON.parse(await text(answer.body))).toMatchObject({ attempt: 1, stdout: kept, stdout_state: 'complete' });
  expect(await jobs.get(id, { consistent: true })).toEqual(job);
});

it('the record of an attempt counts once its end does: until then, the result is that of a running job', async () => {
  const id = jobIdOfKey('reported, not applied');
  const job = await deployment.store(aRunningJob({ id }));
  await deployment.output.putReceipt(aReceipt({ kind: 'succeeded', reason: 'exited', exit_code: 0 }, { job_id: id }));
  const attachments = new AttachmentStore(deployment.objects, deployment.env.OUTPUT_BUCKET);
  const texts = { get: async () => ({ prompt: 'x' }) } as unknown as typeof deployment.texts;
  const context = { ...deployment, attachments, texts };
  const resultOf = async (known: typeof job) => {
    const answer = await readResult(context, known, { full: false });
    return 'body' in answer ? JSON.parse(await text(answer.body)) : undefined;
  };
  expect(await resultOf(job)).not.toHaveProperty('receipt_state');
  const { lease_until: _lease, ...ended } = { ...job, status: 'SUCCEEDED', reason: 'exited' } as const;
  expect(await resultOf(ended)).toMatchObject({ receipt_state: 'complete' });
});
