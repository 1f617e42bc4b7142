import { afterAll, beforeAll, expect, vi } from 'vitest';
import { SharedPart } from './shared-part.ts';

/**
 * Takes back what `vi` has replaced in a test file, and fails one that changes the process it shares with the next file:
 * `vitest.config.ts` lists those that need their own. Checks what the file has shared with others.
 */
const state = () => ({
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  folder: process.cwd(),
  umask: process.umask(),
  hasFakeTimers: vi.isFakeTimers(),
  globals: Object.keys(globalThis).filter((name) => !name.startsWith('__')),
});
let before: ReturnType<typeof state>;

beforeAll(() => {
  before = state();
  SharedPart.beginFile();
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(state()).toEqual(before);
  await SharedPart.endFile();
});
