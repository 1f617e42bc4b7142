import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { ASKING, asking, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  await importAsking(service);
});

/** A job that has ended, once its follow-up jobs are there: its worker makes them after its report. */
async function ended(body: Record<string, unknown>, followUps = 0) {
  const id = await createJob(service, body);
  await untilEnded(service, id);
  return await withFollowUps(id, followUps);
}

async function withFollowUps(id: string, count: number) {
  return await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}`);
    return json.follow_up_ids.length >= count && json;
  });
}

describe('a follow-up job', () => {
  it("runs in its parent's project and folder, and names its parent", async () => {
    const prompt = `echo made > here.txt\n${asking({ prompt: 'pwd; cat here.txt', profile: ASKING })}`;
    const parent = await ended({ prompt, profile: ASKING, project: 'shop', cwd: 'a/b' }, 1);
    expect(parent).toMatchObject({ status: 'SUCCEEDED', warnings: [] });
    const [child] = parent.follow_up_ids;
    expect(await untilEnded(service, child)).toMatchObject({ status: 'SUCCEEDED' });
    const { json: job } = await service.api('GET', `/jobs/${child}`);
    expect(job).toMatchObject({ parent_id: parent.id, project: 'shop', cwd: 'a/b', created_by: parent.created_by });
    const { json: result } = await service.api('GET', `/jobs/${child}/result`);
    expect(result.stdout).toBe(`${join(service.home, 'workspaces', 'shop', 'a', 'b')}\nmade\n`);
    expect((await service.api('GET', `/jobs/${parent.id}/result`)).json.follow_up_ids).toEqual([child]);
  });

  it("is created from a block in an agent's message", async () => {
    const payload = JSON.stringify({ prompt: 'drill: tool echo from the agent' });
    const parent = await ended({ prompt: `drill: follow-up ${payload}` }, 1);
    expect(parent.follow_up_ids).toHaveLength(1);
    await untilEnded(service, parent.follow_up_ids[0]);
    const { json } = await service.api('GET', `/jobs/${parent.follow_up_ids[0]}/result`);
    expect(json.final_message).toContain('from the agent');
  });

  it('is not created when the attempt fails', async () => {
    const parent = await ended({ prompt: `${asking({ prompt: 'true', profile: ASKING })}exit 1`, profile: ASKING });
    expect(parent).toMatchObject({ status: 'FAILED', follow_up_ids: [], warnings: [] });
  });
});

it('of 21 blocks 20 become jobs, and a warning reports the rest', async () => {
  const payloads = Array.from({ length: 21 }, (_, n) => ({ prompt: `job ${n}`, draft: true }));
  const parent = await ended({ prompt: asking(...payloads), profile: ASKING }, 20);
  expect(new Set(parent.follow_up_ids).size).toBe(20);
  expect(parent.warnings).toHaveLength(1);
  const { json } = await service.api('GET', `/jobs?limit=500&status=DRAFT&cwd=${parent.id}/work`);
  expect(json.items).toHaveLength(20);
});

it('a malformed block adds one warning to its job', async () => {
  const parent = await ended({ prompt: asking('{"prompt": ', { prompt: 'x', draft: true }), profile: ASKING }, 1);
  expect(parent).toMatchObject({ status: 'SUCCEEDED', warnings: [expect.stringContaining('not valid JSON')] });
  expect(parent.follow_up_ids).toHaveLength(1);
});

describe('a block is ignored', () => {
  const ignored = async (body: Record<string, unknown>, warning: string) => {
    const job = await ended(body);
    expect(job).toMatchObject({ status: 'SUCCEEDED', follow_up_ids: [], warnings: [warning] });
    const { json } = await service.api('POST', `/jobs/${job.id}/reread-logs`);
    expect(json).toMatchObject({ recovered_follow_up_ids: [], refreshed: [], warnings: [warning] });
  };

  it('in the output of a script, unless its profile turns follow-ups on', async () => {
    await ignored(
      { prompt: asking({ prompt: 'true' }), profile: 'shell' },
      'follow-ups: 1 block(s) ignored; the profile shell has the setting follow_ups: off',
    );
  });

  it('of an agent whose profile turns follow-ups off', async () => {
    const profile = { name: 'silent', agent: 'codex', vendor: 'practice', follow_ups: 'off' };
    await service.api('POST', '/config/import', { profiles: [profile] });
    await ignored(
      { prompt: `drill: follow-up ${JSON.stringify({ prompt: 'x', draft: true })}`, profile: 'silent' },
      'follow-ups: 1 block(s) ignored; the profile silent has the setting follow_ups: off',
    );
  });
});

describe('reread-logs', () => {
  it('leaves a job with a correct record unchanged', async () => {
    const parent = await ended({ prompt: `drill: follow-up ${JSON.stringify({ prompt: 'x', draft: true })}` }, 1);
    const once = await service.api('POST', `/jobs/${parent.id}/reread-logs`);
    expect(once).toMatchObject({
      status: 200,
      json: { ...parent, attempts: null, refreshed: [], recovered_follow_up_ids: [] },
    });
    expect((await service.api('POST', `/jobs/${parent.id}/reread-logs`, {})).json).toEqual(once.json);
    expect((await service.api('GET', `/jobs/${parent.id}`)).json).toEqual(parent);
  });

  it('reads the earlier attempts of a retried job', async () => {
    const id = await createJob(service, { prompt: asking({ prompt: 'x', draft: true }), profile: ASKING });
    await untilEnded(service, id);
    await service.api('POST', `/jobs/${id}/retry`);
    await untilEnded(service, id);
    await withFollowUps(id, 2);
    const { json } = await service.api('POST', `/jobs/${id}/reread-logs`);
    expect(json).toMatchObject({ attempt: 2, refreshed: [], recovered_follow_up_ids: [] });
    expect(json.follow_up_ids).toHaveLength(2);
  });

  it('leaves a running job unchanged, and is rejected with a body or for an unknown job', async () => {
    const id = await createJob(service, { prompt: 'echo out; sleep 60', profile: 'shell' });
    for (let status = ''; status !== 'RUNNING'; )
      status = (await service.api('GET', `/jobs/${id}/status?wait=5`)).json.status;
    const { json } = await service.api('POST', `/jobs/${id}/reread-logs`);
    expect(json).toMatchObject({ status: 'RUNNING', refreshed: [] });
    expect((await service.api('POST', `/jobs/${id}/reread-logs`, { full: true })).status).toBe(400);
    await service.api('POST', `/jobs/${id}/kill`);
    await untilEnded(service, id);
    const unknown = await service.api('POST', '/jobs/job_00000000000000000000000000/reread-logs');
    expect(unknown).toMatchObject({ status: 404, json: { error: 'job_not_found' } });
  });
});
