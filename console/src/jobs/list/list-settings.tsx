import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import type { ColumnChoice } from './column-choice.ts';

const SettingsDialog = lazyPart(() => import('./settings-dialog.tsx'), 'SettingsDialog');

/** Opens the settings of the list. */
export function ListSettings({ columns }: { columns: ColumnChoice }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button iconName="settings" variant="icon" ariaLabel="List settings" onClick={() => setOpen(true)} />
      {isOpen && (
        <Part>
          <SettingsDialog columns={columns} onDismiss={() => setOpen(false)} />
        </Part>
      )}
    </>
  );
}
