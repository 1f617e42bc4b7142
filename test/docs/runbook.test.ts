import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALARM_PRICE, ALARMS } from '../../lib/platform/operations/alarms.ts';
import packageJson from '../../package.json' with { type: 'json' };

const text = readFileSync(new URL('../../docs/operate/runbook.md', import.meta.url), 'utf8');
const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n', 1)[0] ?? '', section]));
const idsOf = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

describe('the runbook', () => {
  test('has a section for each alarm, in the order of the table, and none for an alarm that there is not', () => {
    const named = [...sections.keys()].filter((title) => title.startsWith('Alarm ')).map((title) => title.slice(6));
    expect(named).toEqual(ALARMS.map(({ id }) => id));
  });

  test.each(ALARMS)('says of $id what it means, what to look at, in the console too, and what to do', ({ id }) => {
    const section = sections.get(`Alarm ${id}`) ?? '';
    const parts = section.match(/^\*\*(Means|Look|Do)\.\*\* \S/gm);
    expect(parts?.map((part) => part.slice(2, -5))).toEqual(['Means', 'Look', 'Do']);
    const look = section.slice(section.indexOf('**Look.**'), section.indexOf('**Do.**'));
    expect(look).toContain('Console: ');
    expect(look).toMatch(/`(api|logs|aws) |^ {4}(logs|aws) /m);
  });

  test('says what all alarms cost', () => {
    const words = ['nine', 'ten', 'eleven', 'twelve', 'thirteen'];
    expect(text).toContain(`all ${words[ALARMS.length - 9]} $${(ALARMS.length * ALARM_PRICE).toFixed(2)}`);
  });

  test('runs scripts that there are, and links to sections that there are', () => {
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
