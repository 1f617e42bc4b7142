import Box from '@cloudscape-design/components/box';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import { PALETTE_KEYS } from '../palette/use-palette-key.ts';
import './shortcuts-help.css';
import { shortcutsAreOn, switchShortcuts } from '../browser/use-shortcuts.ts';

const KEYS: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  'On every page': [
    [PALETTE_KEYS, 'Command palette'],
    ['n', 'New job'],
    ['?', 'Show shortcuts'],
    ['Ctrl+Enter', 'Submit the form'],
  ],
  'In the list of jobs': [
    ['/', 'Search'],
    ['j', 'Next job'],
    ['k', 'Previous job'],
    ['Enter', 'Open the job'],
    ['x', 'Select or deselect the job'],
  ],
  'On a job': [
    ['1 … 9', 'Switch tabs'],
    ['u', 'Back to the list'],
  ],
  'On a timeline': [
    ['j', 'Next event'],
    ['k', 'Previous event'],
    ['e', 'Next error'],
    ['o', 'Expand or collapse the event'],
  ],
};

/** The list of keyboard shortcuts, and a switch for single-key shortcuts. */
export function ShortcutsHelp({ onDismiss }: { onDismiss: () => void }) {
  const [on, setOn] = useState(shortcutsAreOn);
  return (
    <Modal visible header="Keyboard shortcuts" closeAriaLabel="Close" onDismiss={onDismiss}>
      <SpaceBetween size="l">
        {Object.entries(KEYS).map(([where, keys]) => (
          <section key={where}>
            <Box variant="h3" fontSize="heading-xs" padding={{ bottom: 'xs' }}>
              {where}
            </Box>
            <KeyValuePairs columns={2} items={keys.map(([key, what]) => ({ label: what, value: <kbd>{key}</kbd> }))} />
          </section>
        ))}
        <Toggle
          checked={on}
          onChange={({ detail }) => {
            switchShortcuts(detail.checked);
            setOn(detail.checked);
          }}
        >
          Single-key shortcuts and {PALETTE_KEYS} in this browser
        </Toggle>
      </SpaceBetween>
    </Modal>
  );
}
