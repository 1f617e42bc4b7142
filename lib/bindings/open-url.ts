/** What a template may name. */
const PLACEHOLDERS = ['cwd', 'project'] as const;

/** Schemes that open an editor. Others could run a script in the console that shows the link. */
const SCHEMES = [
  'https',
  'http',
  'vscode',
  'vscode-insiders',
  'cursor',
  'windsurf',
  'zed',
  'jetbrains',
  'idea',
] as const;

/** A template with its places filled in, URL-encoded. */
export function openUrl(template: string, values: Readonly<Record<(typeof PLACEHOLDERS)[number], string>>): string {
  return PLACEHOLDERS.reduce((text, name) => text.replaceAll(`{${name}}`, encodeURIComponent(values[name])), template);
}

/** What is wrong with a template; undefined: nothing. */
export function faultOfTemplate(template: string): string | undefined {
  const filled = openUrl(template, { cwd: '/folder', project: 'project' });
  const unknown = /\{[^}]*\}/.exec(filled)?.[0];
  if (unknown !== undefined) return `names ${unknown}; {cwd} and {project} can be put in`;
  if (!URL.canParse(filled)) return 'is no URL';
  const scheme = new URL(filled).protocol.slice(0, -1);
  if (!(SCHEMES as readonly string[]).includes(scheme)) return `begins with ${scheme}:; allowed: ${SCHEMES.join(', ')}`;
  // Else a job's project would decide which host is opened.
  return /^[a-z-]+:\/\/[^/?#]*[{}]/.test(template) ? 'has a placeholder in its host' : undefined;
}
