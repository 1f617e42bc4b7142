import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { catalogProblems } from '../../../lib/catalog/catalog.ts';
import { readConfigFile } from '../../../lib/catalog/find-config-file.ts';
import { CLOUD_SANDBOXES } from '../../../lib/catalog/sandboxes.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';

it('the example in the repository is valid', async () => {
  const file = new URL('../../../promptq.config.example.yaml', import.meta.url);
  const { rules, profiles } = readConfigFile('example', await readFile(file, 'utf8'));
  expect([rules?.map(({ id }) => id), profiles?.map(({ name }) => name)]).toEqual([
    ['house-style', 'no-network'],
    ['review', 'deploy'],
  ]);
  // It is valid for a deployment in the cloud too.
  expect(catalogProblems({ rules, profiles }, { sandboxes: CLOUD_SANDBOXES })).toEqual([]);
});

it('every fault is reported with its line and its path', () => {
  const text = [
    'rules:',
    '  - id: a',
    '    text:',
    'profiles:',
    '  - name: p',
    '    agent: shell',
    '    timeout: 5m',
    'x: 1',
  ];
  expect(() => readConfigFile('my.yaml', text.join('\n'))).toThrow(
    [
      'the configuration is not right:',
      '  my.yaml:3: rules[0].text: received null; expected a non-empty string',
      '  my.yaml:7: profiles[0].timeout: received "5m" (string); expected a number > 0 in the deployment\'s timeout_unit',
      '  my.yaml:1: the document: unknown "x"; allowed: rules, profiles',
    ].join('\n'),
  );
});

it('of very many faults the first are reported, and the number of the others', () => {
  const wrong = (count: number) => ['rules:', ...Array.from({ length: count }, () => '  - text: a')].join('\n');
  expect(() => readConfigFile('my.yaml', wrong(LIMITS.faults))).toThrow(/^(?!.*more).*$/s);
  expect(() => readConfigFile('my.yaml', wrong(LIMITS.faults + 3))).toThrow(/\n {2}and 3 more$/);
});

it('invalid YAML is reported with its line', () => {
  expect(() => readConfigFile('my.yaml', 'rules:\n  - id: a\n   text: [')).toThrow(/my\.yaml:[23]: /);
  expect(() => readConfigFile('my.yaml', 'rules: []\nrules: []')).toThrow(/my\.yaml:2: .*unique/);
});

it('empty sections and an empty file change nothing', () => {
  expect(readConfigFile('my.yaml', 'rules:\nprofiles:\n')).toEqual({});
  expect(readConfigFile('my.yaml', '')).toEqual({});
});

it('half of a surrogate pair is refused, as is a document that is no map', () => {
  expect(() => readConfigFile('my.yaml', 'rules: [{ id: a, text: "a\\ud800" }]')).toThrow(/my\.yaml/);
  expect(() => readConfigFile('my.yaml', '\n\n- 1\n')).toThrow('my.yaml:3: the document: ');
  expect(() => readConfigFile('my.yaml', '\n\nseven\n')).toThrow('my.yaml:1: the document: ');
});

it('a document whose aliases multiply is refused, one with a hundred of them is not', () => {
  const lists = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}, *l${at}]`);
  expect(() => readConfigFile('my.yaml', ['l0: &l0 [1]', ...lists].join('\n'))).toThrow(/alias/);
  const profiles = (count: number) =>
    ['profiles:', '- { name: p, agent: shell, args: &a [x] }']
      .concat(Array.from({ length: count }, (_, at) => `- { name: p${at}, agent: shell, args: *a }`))
      .join('\n');
  expect(readConfigFile('my.yaml', profiles(99)).profiles).toHaveLength(100);
  expect(() => readConfigFile('my.yaml', profiles(101))).toThrow(/alias/);
});
