import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALARM_PRICE, ALARMS } from '../../lib/platform/operations/alarms.ts';
import packageJson from '../../package.json' with { type: 'json' };

const text = readFileSync(new URL('../../docs/operate/runbook.md', import.meta.url), 'utf8');
const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n', 1)[0] ?? '', section]));
const idsOf = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

describe('the runbook', () => {
  test('has a section for each alarm, in the order of the table, and none for an unknown alarm', () => {
    const named = [...sections.keys()].filter((title) => title.startsWith('Alarm ')).map((title) => title.slice(6));
    expect(named).toEqual(ALARMS.map(({ id }) => id));
  });

  test.each(ALARMS)('explains $id: its meaning, what to check, also in the console, and what to do', ({ id }) => {
    const section = sections.get(`Alarm ${id}`) ?? '';
    const parts = section.match(/^\*\*(Meaning|Check|Action)\.\*\*/gm);
    expect(parts?.map((part) => part.slice(2, -3))).toEqual(['Meaning', 'Check', 'Action']);
    const commands = section.slice(section.indexOf('**Check.**'), section.indexOf('**Action.**'));
    expect(commands).toMatch(/\bConsole:\s/);
    expect(commands).toMatch(/`(api|logs|aws)\s|^(logs|aws) /m);
  });

  test('says what all alarms cost', () => {
    const words = ['nine', 'ten', 'eleven', 'twelve', 'thirteen'];
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      `all ${words[ALARMS.length - 9]} $${(ALARMS.length * ALARM_PRICE).toFixed(2)}`,
    );
  });

  test('searches logs for texts that the code writes', () => {
    const root = new URL('../..', import.meta.url);
    const sources = globSync('{lib,functions,worker-container}/**/*.ts', { cwd: root });
    const code = sources.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
    const searched = idsOf(/\| grep '([a-z][^']+)'/g);
    expect(searched.length).toBeGreaterThan(3);
    expect(searched.filter((words) => !code.includes(words))).toEqual([]);
  });

  test('names the destination of dead letters: SQS does not know where messages that were sent to a queue came from', () => {
    const moves = text.replaceAll(/\\\n\s*/g, ' ').match(/aws sqs start-message-move-task[^`\n]*/g) ?? [];
    expect(moves.length).toBeGreaterThan(0);
    for (const move of moves) {
      expect(move).toContain('--source-arn');
      expect(move).toContain('--destination-arn');
    }
  });

  test('runs existing scripts, and links to existing sections', () => {
    for (const script of idsOf(/npm run ([a-z:-]+)/g)) expect(Object.keys(packageJson.scripts)).toContain(script);
    const slug = (title: string) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-');
    const anchors = [...sections.keys()].map(slug);
    for (const anchor of idsOf(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });
});
