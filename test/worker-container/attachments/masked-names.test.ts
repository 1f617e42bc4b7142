import { expect, it } from 'vitest';
import { maskedNames } from '../../../worker-container/attachments/keep-attachments.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

const masked = (...names: readonly string[]) =>
  maskedNames(names, new Redaction(['first-secret-of-ours', 'other-secret-of-ours']));

it('a secret in the name of a file is masked, and names without one stay', () => {
  expect(masked('plain.txt', 'a-first-secret-of-ours.txt')).toEqual(['plain.txt', 'a-***.txt']);
  expect(masked()).toEqual([]);
});

it('names that would be the same when masked get numbers, none of which another file has', () => {
  expect(masked('first-secret-of-ours', 'other-secret-of-ours', 'first-secret-of-ours!')).toEqual([
    '***',
    '***2',
    '***!',
  ]);
  expect(masked('first-secret-of-ours', 'other-secret-of-ours', '***2', '***')).toEqual([
    '***3',
    '***4',
    '***2',
    '***',
  ]);
});
