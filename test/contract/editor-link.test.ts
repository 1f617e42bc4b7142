import { describe, expect, it } from 'vitest';
import { checkTemplate, editorLink } from '../../lib/contract/input/editor-link.ts';

describe('a template of an editor link', () => {
  it.each([
    ['https://editor.example/?folder={cwd}', undefined],
    ['vscode://file/{cwd}', undefined],
    ['https://editor.example/{user}', 'contains {user}; allowed placeholders: {cwd}, {project}'],
    ['https://editor.example/{cwd}\u202e', 'contains control, bidirectional or invisible characters'],
    ['{cwd}', 'is not a URL'],
    ['https://{project}/', 'has a placeholder in its scheme, user, host or port'],
    ['javascript:alert(1)', 'starts with javascript:; allowed: https, http, vscode'],
  ])('%s: %s', (template, fault) => {
    if (fault === undefined) expect(checkTemplate(template)).toBeUndefined();
    else expect(checkTemplate(template)).toContain(fault);
  });
});

it('a link has the encoded values of its job', () => {
  expect(editorLink('https://editor.example/{project}?folder={cwd}', { cwd: '/w/a b', project: 'x&y' })).toBe(
    'https://editor.example/x%26y?folder=%2Fw%2Fa%20b',
  );
});

// A job must not choose the host of a link that a person clicks.
it.each([
  'HTTPS://{project}/',
  'https:{project}',
  'https:\\\\{project}/',
  'http:/{project}/x',
  'https:///{project}/',
  'https://{project}@editor.example/',
  'https://a:{project}@editor.example/',
  'https://editor.example.{project}/',
  'Cursor://{project}.example/x',
  'vscode://file{cwd}',
  '{project}://editor.example/',
])('a placeholder in the scheme, user, host or port of %s is refused', (template) => {
  expect(checkTemplate(template)).toContain('has a placeholder in its scheme, user, host or port');
});
