import type { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aJob } from '../a-job.ts';

it('large texts are kept whole although their searchable beginning ends within a character', async () => {
  const deployment = await emulateDeployment();
  try {
    const texts = { prompt: `${'x'.repeat(7_999)}😀${'y'.repeat(LIMITS.inlineSpecBytes)}`, project: 'local_project' };
    const owner = aJob({ texts: JobTextStore.address(texts) });
    await deployment.texts.put(owner, texts);
    expect(await deployment.texts.get(owner)).toEqual(texts);
  } finally {
    await deployment.stop();
  }
});

it('texts that an eventually consistent read does not show yet are read once more, consistently', async () => {
  const deployment = await emulateDeployment();
  onTestFinished(() => deployment.stop());
  const texts = { prompt: 'echo hello', project: 'local_project' };
  const owner = aJob({ texts: JobTextStore.address(texts) });
  await deployment.texts.put(owner, texts);
  const reads: unknown[] = [];
  const send = async (command: GetCommand) => {
    reads.push(command.input.ConsistentRead);
    return command.input.ConsistentRead === true ? await deployment.registry.table.send(command) : {};
  };
  const table = { send } as unknown as DynamoDBDocumentClient;
  const { objects, env } = deployment;
  const lagging = new JobTextStore({ ...deployment.registry, table, objects, bucket: env.OUTPUT_BUCKET });
  expect(await lagging.get(owner)).toEqual(texts);
  expect(reads).toEqual([false, true]);
});
