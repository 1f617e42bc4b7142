import { expect, it } from 'vitest';
import { commandLine, refused } from '../command-line.ts';

const promptq = commandLine();

const parameter = (name: string, value: string, description: string | null = null) => ({
  ...{ name, value, description, variable: `PROMPTQ_PARAM_${name.toUpperCase()}` },
  ...{ project_id: 'shop', project: 'shop', created_at: 'then', updated_at: 'then' },
});
const LIST = { items: [parameter('lang', 'de', 'of texts'), parameter('region', 'a=b')] };

it('lists the parameters of a project', async () => {
  expect(await promptq(['parameters', '--project', 'shop'], { 'GET /parameters?project=shop': LIST })).toMatchObject({
    code: 0,
    stdout: 'NAME    VALUE  DESCRIPTION\nlang    de     of texts\nregion  a=b    -\n',
  });
});

it('sets and removes some, and then lists them', async () => {
  const bodies: unknown[] = [];
  const answers = {
    'PUT /parameters/region': async ({ request }: { request: Request }) => {
      bodies.push(await request.json());
      return Response.json(parameter('region', 'a=b'), { status: 201 });
    },
    'DELETE /parameters/old': parameter('old', ''),
    'GET /parameters': LIST,
  };
  const args = ['parameters', 'region=a=b', '--description', 'x', '--remove', 'old', '--json'];
  const { code, stdout, stderr } = await promptq(args, answers);
  expect([code, JSON.parse(stdout), bodies]).toEqual([0, LIST, [{ value: 'a=b', description: 'x' }]]);
  expect(stderr).toContain('parameter region is set; jobs get it as PROMPTQ_PARAM_REGION\n');
  expect(stderr).toContain('parameter old is removed\n');
});

it.each([
  [['region'], 'expected NAME=VALUE, received "region"'],
  [['=x'], 'expected NAME=VALUE, received "=x"'],
  [['--description', 'x'], '--description needs NAME=VALUE'],
])('promptq parameters %j is refused', async (args, error) => {
  expect(await promptq(['parameters', ...args], {})).toMatchObject({ code: 2, stderr: `promptq: ${error}\n` });
});

it('a parameter that is not there is named, and so is a project without any', async () => {
  const answers = { 'DELETE /parameters/old': refused(404, 'not_found'), 'GET /parameters?project=p': { items: [] } };
  const removed = await promptq(['parameters', '--remove', 'old'], answers);
  expect([removed.code, removed.stderr]).toEqual([4, 'promptq: the project has no parameter old\n']);
  const { code, stderr } = await promptq(['parameters', '--project', 'p'], answers);
  expect([code, stderr]).toEqual([0, 'project p has no parameters\n']);
});

it('a refused value ends the command with its reason', async () => {
  const answers = { 'PUT /parameters/db_password': refused(400, 'body.value: "db_password" names a secret') };
  const { code, stderr } = await promptq(['parameters', 'db_password=x'], answers);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"db_password" names a secret')]);
});
