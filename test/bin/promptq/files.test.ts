import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { emptyHome, runPromptq } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let id: string;
const promptq = async (...args: string[]) =>
  await runPromptq(args, { env: { HOME: home, PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token } });
beforeAll(async () => {
  service = await sharedService();
  const script = `mkdir -p src .git; echo 'print(1)' > src/calc.py; echo x > .envrc; ln -s /etc/passwd link
    printf x > $'new\\nline'; printf '\\e]0;title\\a' > 'looks like text'`;
  id = (await promptq('run', '--profile', 'shell', '--detach', script)).stdout.trim();
  await promptq('wait', id);
});

test('the files of a job are listed and printed, and its folder is named', async () => {
  const list = await promptq('files', id);
  expect(list.stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['PATH', 'BYTES', 'STATE'],
    ['.envrc', '2', 'kept'],
    ['.git', '0', 'left_out'],
    ['link', '11', 'link'],
    ['looks like text', '10', 'kept'],
    ['src/calc.py', '9', 'kept'],
    [''],
  ]);
  expect(list.stderr).toBe('not listed: 1 or more (name)\n');
  expect(await promptq('files', id, 'src/calc.py')).toMatchObject({ code: 0, stdout: 'print(1)\n', stderr: '' });
  expect(await promptq('files', id, 'link')).toMatchObject({ code: 4, stderr: 'promptq: link is not kept: link\n' });
  expect((await promptq('files', id, 'none')).stderr).toBe('promptq: the job has no file none\n');
  const { stdout } = await promptq('show', id);
  expect(stdout).toMatch(new RegExp(`folder +${service.home}/workspaces/local_project/${id}/work \\(deleted after 2`));
});

test('pull downloads all of them but what programs obey', async () => {
  const folder = join(home, 'pulled');
  await mkdir(folder);
  const { code, stderr } = await promptq('pull', id, '--output', folder);
  expect([code, await readdir(folder)]).toEqual([1, ['looks like text', 'src']]);
  expect(stderr).toContain('.envrc is not stored: programs take settings');
  expect(await readFile(join(folder, 'src/calc.py'), 'utf8')).toBe('print(1)\n');
});
