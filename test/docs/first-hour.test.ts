import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALARMS } from '../../lib/platform/operations/alarms.ts';
import packageJson from '../../package.json' with { type: 'json' };

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const text = read('docs/deploy/first-hour-on-aws.md');
const checks = text.split(/^## /m).filter((section) => /^\d+\. /.test(section));

describe('the first hour on AWS', () => {
  test('has eleven checks, in order', () => {
    expect(checks.map((section) => Number.parseInt(section, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test.each(checks.map((section) => [section.split('\n', 1)[0] ?? '', section]))(
    '%s: commands, and what to expect',
    (_, section) => {
      const [, commands, outcome] = section.split(/^```(?:sh)?$/m);
      expect(commands?.trim()).not.toBe('');
      expect(outcome?.trim()).toMatch(/^Expect /);
    },
  );

  test("tries the alarms' mail with an alarm that exists", () => {
    const tried = [...text.matchAll(/aws cloudwatch set-alarm-state --alarm-name promptq-(\S+) /g)].map(([, id]) => id);
    expect(tried).toHaveLength(1);
    expect(ALARMS.map(({ id }) => id)).toEqual(expect.arrayContaining(tried));
  });

  test('runs existing scripts', () => {
    for (const [, script] of text.matchAll(/npm run ([a-z:-]+)/g))
      expect(Object.keys(packageJson.scripts)).toContain(script);
  });

  test('is linked where the steps of a deployment are', () => {
    const deploy = read('docs/deploy/aws.md');
    expect(deploy).toContain('](first-hour-on-aws.md)');
    expect(deploy).toContain('npm run doctor -- --before-deploy');
  });
});
