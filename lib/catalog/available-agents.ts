import type { AgentName } from '../contract/agents.ts';

/** Why the workers can't run an agent; undefined: they can. */
export function agentFault(agent: AgentName, available: readonly AgentName[]): string | undefined {
  if (available.includes(agent)) return undefined;
  return `its agent ${agent} is not installed on this deployment's workers, which have ${available.join(', ')} (setting agents)`;
}
