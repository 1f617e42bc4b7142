import type { SeededRandom } from '../seeded-random.ts';

/** What an agent is going to write, and the follow-up jobs that it asks for with it. */
export interface AgentScript {
  /** In the order in which they are written. */
  readonly pieces: readonly string[];
  /** Positions of the blocks that are good ones. */
  readonly good: readonly number[];
}

/** What an agent writes that only has a session. */
export const SILENT: AgentScript = { pieces: [], good: [] };

/** Most agents say little; some ask for further jobs, now and then for more than one may have, or not as they should. */
export function agentScript(random: SeededRandom): AgentScript {
  if (random.chance(0.6)) return SILENT;
  const lines = Array.from(
    { length: random.integer(1, 3) },
    (_, line) => `line ${line} ${'.'.repeat(random.integer(0, 40))}\n`,
  );
  if (random.chance(0.65)) return { pieces: lines, good: [] };
  const count = random.chance(0.01) ? 22 : random.integer(1, 2);
  const blocks = Array.from({ length: count }, () => random.chance(0.85));
  return {
    pieces: [
      ...lines,
      ...blocks.map((isGood) => block(isGood ? payload(random) : random.pick(['{', '{"prompt": 3}', '[]']))),
    ],
    good: blocks.flatMap((isGood, position) => (isGood ? [position] : [])),
  };
}

function payload(random: SeededRandom): string {
  return JSON.stringify({
    prompt: `follow up ${random.integer(1, 100)}`,
    ...(random.chance(0.2) && { retries: 1 }),
    ...(random.chance(0.1) && { draft: true }),
    ...(random.chance(0.2) && { project: 'p2' }),
  });
}

function block(body: string): string {
  return `\`\`\`follow-up-job\n${body}\n\`\`\`\n`;
}
