import { isLegible } from './legible.ts';

/** The placeholders of a template, and what a job puts in their places. */
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

/** Two fillings with nothing in common: a part of the address in which a placeholder stands differs between them. */
const SAMPLES = [
  { cwd: '/first/folder', project: 'first.example' },
  { cwd: '/second', project: 'second' },
] as const satisfies Filling[];

/** What is wrong with a template of editor links; undefined: nothing. */
export function faultOfTemplate(template: string): string | undefined {
  const unknown = /\{[^}]*\}/.exec(fill(template, SAMPLES[0]))?.[0];
  if (unknown !== undefined) return `names ${unknown}; {cwd} and {project} can be put in`;
  if (!isLegible(template)) return 'has control, bidirectional or invisible characters';
  const [first, second] = SAMPLES.map((sample) => URL.parse(fill(template, sample)));
  if (!first || !second) return 'is no URL';
  // Else a job's project would decide which host is opened.
  if (destination(first) !== destination(second)) return 'has a placeholder in its scheme, user, host or port';
  return hasEditorScheme(first.href) ? undefined : `begins with ${first.protocol}; allowed: ${SCHEMES.join(', ')}`;
}

/**
 * The link that a template makes for a job, its values URL-encoded.
 * @returns undefined if the template is not sound, as one that an earlier version stored may be.
 */
export function editorLink(template: string, filling: Filling): string | undefined {
  if (faultOfTemplate(template) !== undefined) return undefined;
  const link = fill(template, filling);
  const [actual, sample] = [URL.parse(link), URL.parse(fill(template, SAMPLES[0]))];
  return actual && sample && destination(actual) === destination(sample) ? link : undefined;
}

/** Whether a link opens an editor, however its scheme is written. */
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
