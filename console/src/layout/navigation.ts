import type { SideNavigationProps } from '@cloudscape-design/components/side-navigation';

/** The pages of the console, as the side navigation lists them. */
export const NAVIGATION: readonly SideNavigationProps.Item[] = [
  { type: 'link', text: 'Jobs', href: '/jobs' },
  { type: 'link', text: 'Statistics', href: '/stats' },
  { type: 'link', text: 'Environment', href: '/environment' },
  { type: 'divider' },
  {
    type: 'section',
    text: 'Catalog',
    items: [
      { type: 'link', text: 'Projects', href: '/projects' },
      { type: 'link', text: 'Rules', href: '/rules' },
      { type: 'link', text: 'Profiles', href: '/profiles' },
      { type: 'link', text: 'Deploy bindings', href: '/bindings' },
      { type: 'link', text: 'Configuration', href: '/configuration' },
    ],
  },
  {
    type: 'section',
    text: 'Access',
    items: [
      { type: 'link', text: 'Vendor account', href: '/account' },
      { type: 'link', text: 'API tokens', href: '/api-tokens' },
      { type: 'link', text: 'Sessions', href: '/sessions' },
      { type: 'link', text: 'Audit log', href: '/audit' },
    ],
  },
];
