import { expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../../../lib/bindings/deploy-binding-store.ts';
import { deleteBinding, writeBinding } from '../../../lib/bindings/write-binding.ts';
import type { BindingWrite } from '../../../lib/contract/schemas/deploy-binding.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** Remembers which secrets are stored. */
class CountedSecrets extends BindingSecretStore {
  readonly kept = new Set<string>();

  override async put(secret: string): Promise<string> {
    const ref = await super.put(secret);
    this.kept.add(ref);
    return ref;
  }

  override async delete(ref: string): Promise<void> {
    await super.delete(ref);
    this.kept.delete(ref);
  }
}

/** Bindings of a deployment whose clock and stores a test can replace. */
function bindings() {
  const deployment = quietDeployment();
  const secrets = new CountedSecrets(deployment.registry);
  let now = Date.parse('2026-11-20T10:00:00.000Z');
  const context = { ...deployment, clock: { now: () => now }, secrets, commands: true, reach: { loopback: false } };
  const write = async (fields: BindingWrite, changes: Partial<typeof context> = {}) =>
    await writeBinding({ ...context, ...changes }, { project: 'app', name: 'it', ...fields });
  const stored = async (id = 'app.it') => (await deployment.bindings.get(id)) as DeployBinding;
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { deployment, secrets, context, write, stored, pass };
}

/** Bindings of which another process writes the newest first, this many times. */
function contended(of: DeployBindingStore, times: number): DeployBindingStore {
  let left = times;
  const first = (write: (known: DeployBinding) => Promise<unknown>) => async (known: DeployBinding, next: never) => {
    left -= 1;
    if (left >= 0 && known !== undefined) await of.replace(known, known);
    return await (write as (known: DeployBinding, next: never) => Promise<unknown>)(known, next);
  };
  return Object.create(of, {
    replace: { value: first(of.replace.bind(of) as never) },
    delete: { value: first(of.delete.bind(of)) },
    get: { value: of.get.bind(of) },
    list: { value: of.list.bind(of) },
  }) as DeployBindingStore;
}

const HOOK = { binding_mode: 'generic', target_url: 'https://example.com/hook' } as const;
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

it('another mode removes the fields and secrets of the former one, the same mode keeps what is not written', async () => {
  const { secrets, write, stored } = bindings();
  await write(HOOK);
  const { view, created } = await write({ binding_mode: 'generic' });
  expect([view.target_url, view.secret, created]).toEqual([HOOK.target_url, undefined, false]);
  const commands = { install_command: 'i', build_command: 'b', deploy_command: 'd', timeout_seconds: 60 };
  const { view: built } = await write({ binding_mode: 'web_framework', framework: 'vite', ...commands });
  expect(built).toMatchObject({ binding_mode: 'web_framework', framework: 'vite', ...commands, target_url: null });
  expect([built.secret, (await stored()).secrets, secrets.kept.size]).toEqual([undefined, [], 0]);
  expect((await write({ binding_mode: 'web_framework', timeout_seconds: 5 })).view).toMatchObject({
    ...{ framework: 'vite', ...commands, timeout_seconds: 5 },
  });
  const custom = (await write({ binding_mode: 'custom', command: 'make', timeout_seconds: 7 })).view;
  expect(custom).toMatchObject({ command: 'make', timeout_seconds: 7, framework: null, build_command: null });
  expect((await write({ binding_mode: 'custom' })).view).toMatchObject({ command: 'make', timeout_seconds: 7 });
  const editor = { binding_mode: 'hosted_editor', open_url: 'vscode://file/{cwd}' } as const;
  expect((await write(editor)).view).toMatchObject({ ...editor, command: null });
  expect((await write({ binding_mode: 'hosted_editor' })).view).toMatchObject(editor);
  expect(secrets.kept.size).toBe(0);
});

const NO_COMMANDS = "this deployment's bindings run no commands; allowed: generic, hosted_editor";

it.each<[what: string, write: BindingWrite, field: string, problem: string]>([
  [
    'a field of another mode',
    { ...HOOK, command: 'make' },
    'command',
    'is no field of mode generic; its fields: target_url, secret, rotate_secret',
  ],
  ['a command', { binding_mode: 'custom', command: 'x' }, 'binding_mode', `received custom; ${NO_COMMANDS}`],
  ['a framework', { binding_mode: 'web_framework' }, 'binding_mode', `received web_framework; ${NO_COMMANDS}`],
  [
    'an address without TLS',
    { binding_mode: 'generic', target_url: 'http://example.com/' },
    'target_url',
    'received "http://example.com/", which is not https',
  ],
  [
    'a link that runs a script',
    { binding_mode: 'hosted_editor', open_url: 'javascript:1' },
    'open_url',
    'received "javascript:1", which starts with javascript:',
  ],
  ['a short secret', { ...HOOK, secret: secretOf(23) }, 'secret', 'received 23 bytes; 24 to 64 are allowed, in base64'],
  ['a long secret', { ...HOOK, secret: secretOf(65) }, 'secret', 'received 65 bytes; 24 to 64 are allowed, in base64'],
])('a binding with %s is refused where no commands are run', async (_what, fields, field, problem) => {
  const { write, stored } = bindings();
  await expect(write(fields, { commands: false })).rejects.toMatchObject({
    problems: [{ fields: [field], problem: expect.stringContaining(problem) }],
  });
  expect(await stored()).toBeUndefined();
});

it('a project has at most 20 bindings; those that it has can still be changed', async () => {
  const { write } = bindings();
  for (let at = 1; at <= 20; at += 1) await write({ ...HOOK, name: `${at}` });
  await expect(write({ ...HOOK, name: '21' })).rejects.toMatchObject({
    problems: [{ fields: [], problem: 'the project has 20 deploy bindings already, the most that are allowed' }],
  });
  expect((await write({ ...HOOK, name: '20' })).created).toBe(false);
});

it('a secret is made once, or on demand, and shown only to the caller that had it made', async () => {
  const { secrets, write, stored } = bindings();
  const newest = async () => await secrets.get((await stored()).secrets[0]?.ref ?? '');
  expect((await write({ ...HOOK, secret: secretOf(24) })).view).not.toHaveProperty('secret');
  expect(await newest()).toBe(secretOf(24));
  expect((await write({ ...HOOK, rotate_secret: false })).view).not.toHaveProperty('secret');
  const rotated = (await write({ ...HOOK, rotate_secret: true })).view;
  expect([rotated.secret?.length, await newest()]).toEqual([50, rotated.secret]);
  expect((await write({ ...HOOK, rotate_secret: true, secret: secretOf(64) })).view).not.toHaveProperty('secret');
  expect([await newest(), secrets.kept.size]).toEqual([secretOf(64), 3]);
});

it('a replaced secret is valid for a day more; the limit of five counts those that still are', async () => {
  const { secrets, write, stored, pass } = bindings();
  for (let hour = 0; hour < 6; hour += 1) {
    await write({ ...HOOK, rotate_secret: true });
    pass(3_600);
  }
  const untils = async () => (await stored()).secrets.map(({ until }) => until?.slice(8, 13));
  expect([await untils(), secrets.kept.size]).toEqual([[undefined, '21T15', '21T14', '21T13', '21T12'], 5]);
  pass(22 * 3_600);
  await write({ ...HOOK, rotate_secret: true });
  expect([await untils(), secrets.kept.size]).toEqual([[undefined, '22T14', '21T15'], 3]);
});

it('a write that meets others is repeated, and leaves no secret of those that failed', async () => {
  const { deployment, secrets, write, stored } = bindings();
  await write(HOOK);
  const { secret } = (await write({ ...HOOK, rotate_secret: true }, { bindings: contended(deployment.bindings, 4) }))
    .view;
  expect(await secrets.get((await stored()).secrets[0]?.ref ?? '')).toBe(secret);
  expect(secrets.kept.size).toBe(2);
});

it('a deletion that meets others is repeated, and removes the secrets once it is done', async () => {
  const { deployment, secrets, write, stored } = bindings();
  await write(HOOK);
  const { bindings: all } = deployment;
  const remove = async (times: number) => await deleteBinding({ bindings: contended(all, times), secrets }, 'app.it');
  expect(await remove(4)).toMatchObject({ id: 'app.it', target_url: HOOK.target_url });
  expect([await stored(), secrets.kept.size]).toEqual([undefined, 0]);
  await expect(remove(0)).rejects.toThrow('not_found');
});
