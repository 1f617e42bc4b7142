import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Icon from '@cloudscape-design/components/icon';
import type { Schemas } from '../api/client.ts';
import { signOut } from '../api/sign-in.ts';
import { type Appearance, storeAppearance, useAppearance } from '../browser/appearance.ts';
import { useNarrowScreen } from '../browser/narrow-screen.ts';

const APPEARANCES: readonly { id: Appearance; text: string }[] = [
  { id: 'system', text: 'System' },
  { id: 'light', text: 'Light' },
  { id: 'dark', text: 'Dark' },
];

/** The user menu: name and role, appearance, API description, sign-out. */
export function UserMenu({ session }: { session: Schemas['Caller'] }) {
  const appearance = useAppearance();
  const narrow = useNarrowScreen();
  const name = session.email ?? session.name.replace(/^user:/, '');
  const choose = (id: string) => {
    if (id === 'sign-out') return void signOut();
    const chosen = APPEARANCES.find((choice) => choice.id === id);
    if (chosen !== undefined) storeAppearance(chosen.id);
  };
  return (
    <ButtonDropdown
      ariaLabel={name}
      items={[
        {
          text: 'Appearance',
          items: APPEARANCES.map(({ id, text }) => ({ id, text, itemType: 'checkbox', checked: id === appearance })),
        },
        {
          id: 'api',
          text: 'API description',
          secondaryText: 'OpenAPI 3.0',
          href: '/api/v1/openapi.json',
          external: true,
        },
        { id: 'sign-out', text: 'Sign out', secondaryText: session.role ? `${name}, ${session.role}` : name },
      ]}
      onItemClick={({ detail }) => choose(detail.id)}
    >
      {narrow ? <Icon name="user-profile" /> : <span className="top-bar-person">{name}</span>}
    </ButtonDropdown>
  );
}
