import Badge from '@cloudscape-design/components/badge';
import type { LinkProps } from '@cloudscape-design/components/link';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { useMayAdminister } from '../api/session.ts';
import { isSessionOver, onSessionOver } from '../api/session-over.ts';
import { useShortcuts } from '../browser/use-shortcuts.ts';
import { Notices } from '../feedback/notices.tsx';
import { entryOf, navigationFor } from '../page/navigation.ts';
import { PageLoading } from '../page/page-loading.tsx';
import { OutOfDate } from './out-of-date.tsx';
import { TopBar } from './top-bar.tsx';
import './console-layout.css';
import './phone.css';
import { lazyPart } from '../page/lazy-part.ts';
import { useShownPageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { usePaletteKey } from '../palette/use-palette-key.ts';
import { openCountQuery } from '../questions/question-queries.ts';

const ShortcutsHelp = lazyPart(() => import('./shortcuts-help.tsx'), 'ShortcutsHelp');
const PageTerminal = lazyPart(() => import('../terminal/page-terminal.tsx'), 'PageTerminal');
const Palette = lazyPart(() => import('../palette/palette.tsx'), 'Palette');
const SessionOverDialog = lazyPart(() => import('./session-over-dialog.tsx'), 'SessionOverDialog');

/**
 * The frame of every page: top bar, navigation (an overlay on a narrow screen), notices, and the page. Cloudscape's
 * AppLayout would do the same and add 80 KB to the first load.
 */
export function ConsoleLayout() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [helping, setHelping] = useState(false);
  const [finding, setFinding] = useState(false);
  const [copying, setCopying] = useState(false);
  usePaletteKey(() => setFinding(true));
  useShortcuts({ n: () => void navigate('/jobs/new'), '?': () => setHelping(true) });
  const isAdmin = useMayAdminister();
  const { data: open = 0 } = useQuery(openCountQuery);
  const openQuestions = open > 0 && (
    <Badge color="blue">
      <span role="img" aria-label={`${open} open`}>
        {open}
      </span>
    </Badge>
  );
  const sessionOver = useSyncExternalStore(onSessionOver, isSessionOver);
  const [navigationOpen, setNavigationOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the overlay
  useEffect(() => setNavigationOpen(false), [pathname]);
  const follow = (event: CustomEvent<LinkProps.FollowDetail>) => {
    const { external, href } = event.detail;
    if (external === true || href === undefined) return;
    event.preventDefault();
    void navigate(href);
  };
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to main content
      </a>
      <TopBar
        navigationOpen={navigationOpen}
        onToggleNavigation={() => setNavigationOpen((open) => !open)}
        onHelp={() => setHelping(true)}
        onFind={() => setFinding(true)}
        onTerminal={() => setCopying(true)}
      />
      <div className="console-body">
        <nav
          id="navigation"
          aria-label="Pages"
          className={navigationOpen ? 'console-navigation open' : 'console-navigation'}
        >
          <SideNavigation
            activeHref={entryOf(pathname)}
            items={navigationFor({ isAdmin }, { '/questions': openQuestions })}
            onFollow={follow}
          />
        </nav>
        <main id="main" className="console-main" tabIndex={-1}>
          <Notices />
          <OutOfDate />
          <PageHeading />
          <Part isPage resetKey={pathname} loading={<PageLoading />}>
            <Outlet />
          </Part>
        </main>
      </div>
      {finding && (
        <Part>
          <Palette
            onClose={() => setFinding(false)}
            onShortcuts={() => setHelping(true)}
            onTerminal={() => setCopying(true)}
          />
        </Part>
      )}
      {helping && (
        <Part>
          <ShortcutsHelp onDismiss={() => setHelping(false)} />
        </Part>
      )}
      {copying && (
        <Part>
          <PageTerminal onDismiss={() => setCopying(false)} />
        </Part>
      )}
      {sessionOver && (
        <Part>
          <SessionOverDialog />
        </Part>
      )}
    </>
  );
}

/** The heading of a page that is loading or failed to load. The style sheet hides it once the page has one. */
function PageHeading() {
  const title = useShownPageTitle();
  return title === '' ? null : <h1 className="page-heading">{title}</h1>;
}
