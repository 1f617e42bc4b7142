import { expect, it } from 'vitest';
import { codexDriveOf } from '../../../worker-container/agents/codex.ts';

it.each<[readonly string[], string]>([
  [[], 'app-server'],
  [['-c', 'a=1'], 'app-server'],
  [['--config', 'a=1', '--enable', 'web'], 'app-server'],
  [['--disable', 'web', '-cb=2', '--config=c=3', '--enable=d', '--disable=e'], 'app-server'],
  // A value looks as it may.
  [['-c', '--model'], 'app-server'],
  [['-c', 'a="line\nline"', '-ca="line\nline"'], 'app-server'],
  [['-c'], 'exec'],
  [['-c', 'a=1', '--enable'], 'exec'],
  [['--model', 'm'], 'exec'],
  [['-c', 'a=1', '--oss'], 'exec'],
  [['--configure=a'], 'exec'],
  [['--enable-all'], 'exec'],
])('with the arguments %j codex runs by %s', (args, drive) => {
  expect(codexDriveOf({ drive: 'auto', args })).toBe(drive);
  expect(codexDriveOf({ drive: 'exec', args })).toBe('exec');
});
