import { beforeAll, expect } from 'vitest';
import { processTable } from '../../lib/platform/processes/process-table.ts';
import { PS_TABLE } from '../../lib/platform/processes/ps-table.ts';

// As on macOS: processes are listed by `ps` instead of /proc.
process.env.PROMPTQ_PLATFORM = 'darwin-arm64';

beforeAll(() => expect(processTable()).toBe(PS_TABLE));

await import('../worker-container/commands/process-tree.test.ts');
