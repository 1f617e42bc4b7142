import type { AgentRun } from './agent.ts';

/**
 * Arguments that give claude's tools what the sandbox allows. There is nobody to ask, so what is not allowed is denied.
 * `--dangerously-skip-permissions` is no way: it is refused to root.
 */
export function permissionArguments(sandbox: AgentRun['sandbox']): readonly string[] {
  switch (sandbox) {
    case 'none':
      return ['--permission-mode=acceptEdits', `--allowedTools=${EVERYTHING.join(',')}`];
    case 'workspace-write':
      // Edits are accepted inside the working folder only.
      return ['--permission-mode=acceptEdits', `--settings=${JSON.stringify({ sandbox: SANDBOX })}`];
    case 'read-only':
      // Commands that claude knows to change nothing still run.
      return ['--permission-mode=dontAsk', `--disallowedTools=${EDITORS.join(',')}`];
  }
}

const EDITORS = ['Edit', 'Write', 'NotebookEdit'];
const EVERYTHING = ['Bash', 'Read', ...EDITORS, 'WebFetch', 'WebSearch', 'Skill', 'Workflow'];

/** Commands run under bubblewrap and without a network; a machine that can't do that is not worked around. */
const SANDBOX = {
  enabled: true,
  failIfUnavailable: true,
  allowUnsandboxedCommands: false,
  autoAllowBashIfSandboxed: true,
};
