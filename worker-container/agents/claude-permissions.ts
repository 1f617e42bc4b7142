import type { AgentRun } from './agent.ts';

/**
 * Arguments that give claude's tools what the sandbox allows. No one can answer a question, so all else is denied.
 * @param allowed further tools that are always allowed
 * `--dangerously-skip-permissions` is not an option: claude rejects it for root.
 */
export function permissionArguments(sandbox: AgentRun['sandbox'], allowed: readonly string[] = []): readonly string[] {
  switch (sandbox) {
    case 'none':
      return ['--permission-mode=acceptEdits', `--allowedTools=${[...EVERYTHING, ...allowed].join(',')}`];
    case 'workspace-write':
      // Edits are accepted inside the working folder only.
      return ['--permission-mode=acceptEdits', `--settings=${JSON.stringify({ sandbox: SANDBOX })}`, ...only(allowed)];
    case 'read-only':
      // Commands that claude knows to be read-only still run.
      return ['--permission-mode=dontAsk', `--disallowedTools=${EDITORS.join(',')}`, ...only(allowed)];
  }
}

function only(allowed: readonly string[]): readonly string[] {
  return allowed.length === 0 ? [] : [`--allowedTools=${allowed.join(',')}`];
}

const EDITORS = ['Edit', 'Write', 'NotebookEdit'];
const EVERYTHING = ['Bash', 'Read', ...EDITORS, 'WebFetch', 'WebSearch', 'Skill', 'Workflow'];

/** Commands run under bubblewrap without a network, and fail on a machine that lacks it. */
const SANDBOX = {
  enabled: true,
  failIfUnavailable: true,
  allowUnsandboxedCommands: false,
  autoAllowBashIfSandboxed: true,
};
