import { isLegible } from './legible.ts';

/** Values for the placeholders of a template. */
type Filling = Readonly<Record<'cwd' | 'project', string>>;
const PLACEHOLDERS = ['cwd', 'project'] as const satisfies (keyof Filling)[];

/** Schemes that open an editor. Others could run a script in the console, which shows the link. */
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

/** Two sets of values that differ everywhere, so that every part of the URL with a placeholder differs too. */
const SAMPLES = [
  { cwd: '/first/folder', project: 'first.example' },
  { cwd: '/second', project: 'second' },
] as const satisfies Filling[];

/** The fault of an editor link template, or undefined if it is valid. */
export function checkTemplate(template: string): string | undefined {
  const unknown = /\{[^}]*\}/.exec(fill(template, SAMPLES[0]))?.[0];
  if (unknown !== undefined) return `contains ${unknown}; allowed placeholders: {cwd}, {project}`;
  if (!isLegible(template)) return 'contains control, bidirectional or invisible characters';
  const [first, second] = SAMPLES.map((sample) => URL.parse(fill(template, sample)));
  if (!first || !second) return 'is not a URL';
  // Otherwise the project of a job could choose the host.
  if (destination(first) !== destination(second)) return 'has a placeholder in its scheme, user, host or port';
  return hasEditorScheme(first.href) ? undefined : `starts with ${first.protocol}; allowed: ${SCHEMES.join(', ')}`;
}

/**
 * The editor link of a job: the template with URL-encoded values.
 * @returns undefined for an invalid template
 */
export function editorLink(template: string, filling: Filling): string | undefined {
  if (checkTemplate(template) !== undefined) return undefined;
  const link = fill(template, filling);
  const [actual, sample] = [URL.parse(link), URL.parse(fill(template, SAMPLES[0]))];
  return actual && sample && destination(actual) === destination(sample) ? link : undefined;
}

/** Whether a link has a scheme that opens an editor. */
export function hasEditorScheme(link: string): boolean {
  const scheme = URL.parse(link)?.protocol.slice(0, -1);
  return (SCHEMES as readonly (string | undefined)[]).includes(scheme);
}

function fill(template: string, filling: Filling): string {
  return PLACEHOLDERS.reduce((text, name) => text.replaceAll(`{${name}}`, encodeURIComponent(filling[name])), template);
}

function destination({ protocol, username, password, host }: URL): string {
  return JSON.stringify([protocol, username, password, host]);
}
