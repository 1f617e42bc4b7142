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
}

/** The top bar: product name, command palette, help and user menu. */
export function TopBar({ navigationOpen, onToggleNavigation, onHelp, onFind }: TopBarProps) {
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
        <Button variant="icon" iconName="keyboard" ariaLabel="Keyboard shortcuts" onClick={onHelp} />
      </span>
      {session.data && <UserMenu session={session.data} />}
    </header>
  );
}
