import Button from '@cloudscape-design/components/button';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sessionQuery } from '../api/session.ts';
import { PALETTE_KEYS } from '../palette/use-palette-key.ts';
import { UserMenu } from './user-menu.tsx';

interface TopBarProps {
  readonly navigationOpen: boolean;
  readonly onToggleNavigation: () => void;
  readonly onHelp: () => void;
  readonly onFind: () => void;
  readonly onTerminal: () => void;
}

const TERMINAL = (
  <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d="m2 3.5 4.5 4.5L2 12.5M8 12.5h6" />
  </svg>
);

/** The top bar: product name, command palette, commands of the page, help and user menu. */
export function TopBar({ navigationOpen, onToggleNavigation, onHelp, onFind, onTerminal }: TopBarProps) {
  const session = useQuery(sessionQuery);
  return (
    <header className="top-bar awsui-context-top-navigation">
      <span className="top-bar-toggle">
        <Button
          variant="icon"
          iconName="menu"
          ariaLabel="Pages"
          ariaExpanded={navigationOpen}
          ariaControls="navigation"
          onClick={onToggleNavigation}
        />
      </span>
      <Link className="top-bar-name" to="/jobs">
        <img src="/icon.svg" alt="" width="24" height="24" />
        Promptq
      </Link>
      <span className="top-bar-space" />
      <Button variant="icon" iconName="search" ariaLabel={`Command palette (${PALETTE_KEYS})`} onClick={onFind} />
      <span className="top-bar-keys">
        <Button variant="icon" iconSvg={TERMINAL} ariaLabel="From a terminal" onClick={onTerminal} />
        <Button variant="icon" iconName="keyboard" ariaLabel="Keyboard shortcuts" onClick={onHelp} />
      </span>
      {session.data && <UserMenu session={session.data} />}
    </header>
  );
}
