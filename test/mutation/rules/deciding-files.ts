import { filesOf } from '../imports.ts';

/** The rooms in which it is decided who may write what, what is sent, counted and ended, and what is kept. */
export const DECIDING_ROOMS = [
  ...['lifecycle', 'indexes', 'receipts', 'store', 'dispatch', 'admission', 'creation', 'reread'].map(
    (room) => `lib/jobs/${room}`,
  ),
  ...['threads', 'messages', 'questions', 'deployments'].map((room) => `lib/jobs/${room}`),
  ...['lib/deployments', 'lib/deployments/bindings', 'lib/deployments/calls'],
  ...['lib/reconciler', 'lib/stats/counting'],
  ...['attempt', 'heartbeat', 'prompt', 'commands', 'pool', 'output', 'agent-sessions', 'forks', 'tools'].map(
    (room) => `worker-container/${room}`,
  ),
  'worker-container/deployments',
] as const;

/** The modules whose every safeguard is taken out once. */
export function decidingFiles(root: string): string[] {
  return filesOf(root, ...DECIDING_ROOMS.map((room) => `${room}/*.ts`));
}
