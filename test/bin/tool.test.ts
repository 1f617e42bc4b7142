import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../bin/tools.ts';
import packageJson from '../../package.json' with { type: 'json' };

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

  test('reject an unknown tool and list the others', async () => {
    const { code, text } = await run('prove', 'nothing');
    expect(code).toBe(2);
    expect(text).toMatch(/^npm run prove has no tool nothing\n/);
    expect(text).toContain('simulate');
  });
});
