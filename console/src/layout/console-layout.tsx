import type { LinkProps } from '@cloudscape-design/components/link';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { isSessionOver, onSessionOver } from '../api/session-over.ts';
import { NAVIGATION } from './navigation.ts';
import { Notices } from './notices.tsx';
import { PageLoading } from './page-loading.tsx';
import { TopBar } from './top-bar.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import './console-layout.css';

const ShortcutsHelp = lazy(async () => ({ default: (await import('./shortcuts-help.tsx')).ShortcutsHelp }));
const SessionOverDialog = lazy(async () => ({
  default: (await import('./session-over-dialog.tsx')).SessionOverDialog,
}));

/**
 * What surrounds every page: the bar, the navigation beside it (over it on a narrow screen), what happened, the page.
 * Cloudscape's AppLayout would do the same and cost 80 KB of the first load.
 */
export function ConsoleLayout() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [helping, setHelping] = useState(false);
  useShortcuts({ n: () => void navigate('/jobs/new'), '?': () => setHelping(true) });
  const sessionOver = useSyncExternalStore(onSessionOver, isSessionOver);
  const [navigationOpen, setNavigationOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation that lies over it
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
        Skip to the page
      </a>
      <TopBar
        navigationOpen={navigationOpen}
        onToggleNavigation={() => setNavigationOpen((open) => !open)}
        onHelp={() => setHelping(true)}
      />
      <div className="console-body">
        <div id="navigation" className={navigationOpen ? 'console-navigation open' : 'console-navigation'}>
          <SideNavigation activeHref={`/${pathname.split('/')[1] ?? ''}`} items={NAVIGATION} onFollow={follow} />
        </div>
        <main id="main" className="console-main" tabIndex={-1}>
          <Notices />
          <Suspense fallback={<PageLoading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {helping && (
        <Suspense fallback={null}>
          <ShortcutsHelp onDismiss={() => setHelping(false)} />
        </Suspense>
      )}
      {sessionOver && (
        <Suspense fallback={null}>
          <SessionOverDialog />
        </Suspense>
      )}
    </>
  );
}
