import type { ServiceUnderTest } from '../local-run/local-service.ts';

/** The profile of scripts whose follow-up blocks become jobs of the same profile. */
export const ASKING = 'asking-script';

/** Makes the profile known. */
export async function importAsking(service: ServiceUnderTest): Promise<void> {
  const profiles = [{ name: ASKING, agent: 'shell', follow_ups: 'on', children: ['shell'] }];
  const { status, text } = await service.api('POST', '/config/import', { profiles });
  if (status !== 200) throw new Error(`the profile was refused: ${status} ${text}`);
}

/** A follow-up block. */
export function followUpBlock(payload: unknown): string {
  return `\`\`\`follow-up-job\n${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\`\`\`\n`;
}

/** A script that asks for jobs, whose prompts may be such scripts. */
export function asking(...payloads: readonly unknown[]): string {
  return `cat <<'END'\n${payloads.map(followUpBlock).join('')}END\n`;
}
