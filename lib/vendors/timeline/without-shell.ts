/** codex runs a command as `/bin/bash -lc '…'`. Returns what the agent wrote, without the shell around it. */
export function withoutShell(command: string): string {
  const quoted = /^\S*\/(?:ba|z|da)?sh -l?c (['"])([\s\S]*)\1$/.exec(command);
  const [, quote, inner] = quoted ?? [];
  if (inner === undefined) return command;
  return quote === "'" ? inner.replaceAll(`'\\''`, "'") : inner.replaceAll(/\\(["\\$`])/g, '$1');
}
