import { PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const count = (kind: new (...given: never[]) => unknown) =>
  deployment.calls.filter((call) => call instanceof kind).length;
/** All rows of the Registry that a kind has. */
const rowsOf = async (kind: string) => {
  const { Items = [] } = await deployment.table.send(
    new QueryCommand({
      TableName: 'registry',
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kind },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ id }) => id);
};
const texted = (texts: Parameters<typeof JobTextStore.address>[0], id = 'job_1') =>
  aJob({ id, texts: JobTextStore.address(texts), prompt_preview: texts.prompt.slice(0, 200), project: texts.project });

describe('the texts of a job', () => {
  it('are read from its item if that has them, else from their row, else from S3', async () => {
    const small = { prompt: 'hello', project: 'p' };
    const more = { ...small, extra_prompt: 'more', rule_ids: ['brief'] };
    const large = { ...small, prompt: 'x'.repeat(LIMITS.inlineSpecBytes) };
    for (const texts of [small, more, large]) await deployment.texts.put(texted(texts), texts);
    expect(count(PutObjectCommand)).toBe(1);
    deployment.calls.length = 0;
    expect(await deployment.texts.get(texted(small))).toEqual(small);
    expect(count(GetCommand)).toBe(0);
    expect(await deployment.texts.get(texted(more))).toEqual(more);
    expect(await deployment.texts.get(texted(large))).toEqual(large);
  });
});

it('everything beside a job is removed with it, and nothing beside another one', async () => {
  const texts = { prompt: 'hello', project: 'p', extra_prompt: 'more' };
  const owners = ['job_1', 'job_12'].map((id) => ({ ...texted(texts, id), labels: 'a' }));
  for (const owner of owners) {
    await deployment.texts.put(owner, texts);
    await deployment.texts.labels.put(owner, { title: 'T' });
    const row = { id: 'm', number: 1, text: 't', state: 'pending', created_at: '2026', created_by: 'token:test' };
    await deployment.table.send(new PutCommand(deployment.texts.messages.creation(owner.id, row)));
    await deployment.texts.questions.put(owner.id, 'q_1', { question: '?', attempt: 1, asked_at: '2026', due: '2027' });
    await deployment.texts.questions.putAnswer(owner.id, 'q_1', { text: 'yes', by: 'token:me', at: '2026' });
  }
  const left = async (id: string) => {
    const months = (kind: string) => Array.from({ length: 8 }, (_, spread) => `${kind}#2026-11#${spread}`);
    const kinds = [...months('texts'), ...months('labels'), `message#${id}`, `questions#${id}`];
    const rows = (await Promise.all(kinds.map(rowsOf))).flat().map(String);
    return rows.filter((row) => row === 'm' || row.startsWith(`${id}#`)).length;
  };
  expect([await left('job_1'), await left('job_12')]).toEqual([5, 5]);
  const [first] = owners;
  if (first !== undefined) await deployment.texts.removeAll(first);
  expect([await left('job_1'), await left('job_12')]).toEqual([0, 5]);
});
