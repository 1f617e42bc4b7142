import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findCodex } from '../../../worker-container/agents/vendor-binary.ts';
import { READ, REQUESTS } from './app-server-protocol.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** The protocol of the installed codex, as it describes it. */
async function protocol(): Promise<(name: string) => Promise<Schema>> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-protocol-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = ['app-server', 'generate-json-schema', '--experimental', '--out', folder];
  await promisify(execFile)(await findCodex(undefined), args, { env: { CODEX_HOME: folder, HOME: folder } });
  return async (name) => JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Schema;
}

/** All schemas that a value may have at a place, with references followed. */
function variants(schema: Schema | undefined, root: Schema): readonly Schema[] {
  if (schema === undefined) return [];
  if (schema.$ref !== undefined) return variants(root.definitions?.[schema.$ref.split('/').at(-1) ?? ''], root);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...inner.flatMap((one) => variants(one, root)), ...variants(schema.items, root)];
}

/** The schemas at a path such as `item.text`. */
function at(path: string, root: Schema): readonly Schema[] {
  return path
    .split('.')
    .reduce<readonly Schema[]>(
      (found, name) => found.flatMap((schema) => variants(schema.properties?.[name], root)),
      variants(root, root),
    );
}

test('codex takes the requests that the drive sends, and needs nothing else in them', async () => {
  const read = await protocol();
  const client = JSON.stringify(await read('ClientRequest'));
  for (const { method, params, sent } of REQUESTS) {
    expect(client, method).toContain(`"${method}"`);
    const schema = await read(params);
    for (const path of sent) expect(at(path, schema), `${params}: ${path}`).not.toEqual([]);
    expect(sent.map((path) => path.split('.')[0])).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
  }
});

test('codex sends what the drive and the reader read', async () => {
  const read = await protocol();
  const server = JSON.stringify(await read('ServerNotification'));
  for (const { method, schema: name, fields } of READ) {
    if (method !== undefined) expect(server, method).toContain(`"${method}"`);
    const schema = await read(name);
    for (const path of fields) expect(at(path, schema), `${name}: ${path}`).not.toEqual([]);
  }
});
