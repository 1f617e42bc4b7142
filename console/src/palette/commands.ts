import { STATUSES } from '../../../lib/contract/statuses.ts';
import type { Schemas } from '../api/client.ts';
import { signOut } from '../api/sign-in.ts';
import { type Appearance, storeAppearance } from '../browser/appearance.ts';
import { statusText } from '../jobs/status/job-status.tsx';
import { pagesFor } from '../page/navigation.ts';

/** An entry of the palette. */
export interface Command {
  readonly id: string;
  readonly text: string;
  /** Shown beside the text. */
  readonly detail?: string;
  readonly act: () => void;
}

interface Context {
  readonly role: Schemas['Caller']['role'];
  readonly appearance: Appearance;
  readonly goTo: (path: string) => void;
  readonly showShortcuts: () => void;
  readonly showTerminal: () => void;
}

const THEMES = { light: 'Use the light theme', dark: 'Use the dark theme', system: "Use the system's theme" } as const;

/** The actions that the user's role allows on every page. */
export function actionsFor({ role, appearance, goTo, showShortcuts, showTerminal }: Context): Command[] {
  const mayAct = role === 'operator' || role === 'admin';
  const themes = (['light', 'dark', 'system'] as const).filter((theme) => theme !== appearance);
  return [
    ...(mayAct ? [{ id: 'new-job', text: 'New job', act: () => goTo('/jobs/new') }] : []),
    ...themes.map((theme) => ({ id: theme, text: THEMES[theme], act: () => storeAppearance(theme) })),
    { id: 'terminal', text: 'From a terminal', act: showTerminal },
    { id: 'shortcuts', text: 'Keyboard shortcuts', act: showShortcuts },
    { id: 'sign-out', text: 'Sign out', act: () => void signOut() },
  ];
}

/** The pages that this user may open, and the list of jobs by state. */
export function pageCommandsFor({ role, goTo }: Context): Command[] {
  return [
    ...pagesFor({ isAdmin: role === 'admin' }).map(({ text, href }) => ({ id: href, text, act: () => goTo(href) })),
    ...STATUSES.map((status) => ({
      id: `jobs-${status}`,
      text: `${statusText(status)} jobs`,
      act: () => goTo(`/jobs?status=${status}`),
    })),
  ];
}

/** The commands that contain every word of the query, in their original order. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/);
  return commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
}
