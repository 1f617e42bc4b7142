import { expect, test } from 'vitest';
import { reasonForClients } from '../../../../lib/workers/scaling/scale-workers.ts';

test('clients see the first part of a reason, without names of resources, and at most 120 characters', () => {
  expect(reasonForClients('CannotPull: pull 123456789012.dkr.ecr')).toBe('CannotPull');
  expect(reasonForClients('role arn:aws:iam::1:role/x of 123456789012 is missing')).toBe('role … of … is missing');
  expect(reasonForClients('x'.repeat(200))).toBe('x'.repeat(120));
  expect(reasonForClients('')).toBe('');
});
