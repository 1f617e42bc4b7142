import type { SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import type { ReactNode } from 'react';

interface Page {
  readonly text: string;
  readonly href: string;
  readonly adminsOnly?: true;
}

const FIRST: readonly Page[] = [
  { text: 'Jobs', href: '/jobs' },
  { text: 'Questions', href: '/questions' },
  { text: 'Automations', href: '/automations' },
  { text: 'Events', href: '/events' },
  { text: 'Subscriptions', href: '/subscriptions', adminsOnly: true },
  { text: 'Statistics', href: '/stats' },
  { text: 'Exports', href: '/exports' },
  { text: 'Environment', href: '/environment' },
];

const SECTIONS: Readonly<Record<string, readonly Page[]>> = {
  Catalog: [
    { text: 'Projects', href: '/projects' },
    { text: 'Templates', href: '/templates' },
    { text: 'Diagrams', href: '/diagrams' },
    { text: 'Rules', href: '/rules' },
    { text: 'Profiles', href: '/profiles' },
    { text: 'Deploy bindings', href: '/bindings' },
    { text: 'Configuration', href: '/configuration', adminsOnly: true },
  ],
  Access: [
    { text: 'Vendor account', href: '/account', adminsOnly: true },
    { text: 'API tokens', href: '/api-tokens', adminsOnly: true },
    { text: 'Sessions', href: '/sessions', adminsOnly: true },
    { text: 'Audit log', href: '/audit' },
  ],
  Help: [{ text: 'API reference', href: '/reference' }],
};

/** The pages of the console that this user may open. */
export function pagesFor({ isAdmin }: { isAdmin: boolean }): readonly Page[] {
  return [...FIRST, ...Object.values(SECTIONS).flat()].filter(({ adminsOnly }) => isAdmin || adminsOnly !== true);
}

/** The page's entry in the side navigation. A comparison is part of the jobs. */
export function entryOf(pathname: string): string {
  const [, page = ''] = pathname.split('/');
  return page === 'compare' ? '/jobs' : `/${page}`;
}

/**
 * The same pages as items of the side navigation.
 * @param marks what stands beside an entry, by its `href`
 */
export function navigationFor(
  user: { isAdmin: boolean },
  marks: Readonly<Record<string, ReactNode>> = {},
): readonly SideNavigationProps.Item[] {
  const shown = new Set(pagesFor(user));
  const links = (pages: readonly Page[]) =>
    pages
      .filter((page) => shown.has(page))
      .map(({ text, href }) => ({ type: 'link' as const, text, href, info: marks[href] }));
  return [
    ...links(FIRST),
    { type: 'divider' },
    ...Object.entries(SECTIONS).map(([text, pages]) => ({ type: 'section' as const, text, items: links(pages) })),
  ];
}
