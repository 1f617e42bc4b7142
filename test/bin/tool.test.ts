import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TOOLS } from '../../bin/tools.ts';
import packageJson from '../../package.json' with { type: 'json' };

const tools = Object.entries(TOOLS).flatMap(([subject, named]) =>
  Object.entries(named).map(([name, tool]) => ({ subject, name, ...tool })),
);

const run = async (...args: string[]) =>
  await promisify(execFile)(process.execPath, ['bin/tool.ts', ...args]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  );

describe('npm run bench and npm run prove', () => {
  test.each(Object.keys(TOOLS))('%s is a script that lists its tools', async (subject) => {
    expect(packageJson.scripts).toHaveProperty(subject, `node bin/tool.ts ${subject}`);
    const { code, text } = await run(subject, '--help');
    expect(code).toBe(0);
    for (const [name, { about }] of Object.entries(TOOLS[subject] ?? {})) {
      expect(text).toContain(`  ${name} `);
      expect(text).toContain(about);
    }
  });

  test.each(tools)('$subject -- $name has a module that knows its options', ({ file, options = '' }) => {
    expect(existsSync(file)).toBe(true);
    const source = readFileSync(file, 'utf8');
    for (const [, flag = ''] of options.matchAll(/--([a-z-]+)/g)) expect(source).toMatch(new RegExp(`\\b${flag}\\b`));
  });

  test('run a module each', () => {
    expect(new Set(tools.map(({ file }) => file)).size).toBe(tools.length);
  });

  test('explain one tool', async () => {
    const { code, text } = await run('prove', 'kill', '--help');
    expect(code).toBe(0);
    expect(text).toMatch(/^Usage: npm run prove -- kill \[--rounds N\] \[--seed N\]\n\nkill parts of/);
  });

  test('run a tool with its options, and exit with its code', async () => {
    const { code, text } = await run('prove', 'walk', '--walks', '1');
    expect(code).toBe(1);
    expect(text).toContain("Unknown option '--walks'");
  });

  test('run everything if a subject can and no tool is named, and else list the tools', async () => {
    const bench = spawn(process.execPath, ['bin/tool.ts', 'bench'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void process.kill(-(bench.pid ?? 0), 'SIGKILL'));
    const [first] = (await once(bench.stdout, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^Measures everything/);
    expect((await run('prove')).text).toMatch(/^Usage: npm run prove -- NAME/);
  });

  test('reject an unknown tool and list the others', async () => {
    const { code, text } = await run('prove', 'nothing');
    expect(code).toBe(2);
    expect(text).toMatch(/^npm run prove has no tool nothing\n/);
    expect(text).toContain('simulate');
  });
});
