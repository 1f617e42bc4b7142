import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { apiOrigin } from '../../jobs/form/curl-line.ts';
import { Deliveries } from './deliveries.tsx';
import { STYLES } from './hook-values.ts';
import { ReplaceSecret } from './replace-secret.tsx';
import { TestDelivery } from './test-delivery.tsx';

interface HookDetailsProps {
  readonly id: string;
  readonly hook: NonNullable<Schemas['Automation']['trigger']['hook']>;
}

/** The address of a hook, what it takes, and what came. */
export function HookDetails({ id, hook }: HookDetailsProps) {
  const mayAct = useMayAct();
  const [asked, setAsked] = useState<'secret' | 'test'>();
  const { verify, filter, map } = hook;
  return (
    <SpaceBetween size="m">
      <Container
        header={
          <Header
            variant="h2"
            actions={
              mayAct && (
                <SpaceBetween size="xs" direction="horizontal">
                  <Button onClick={() => setAsked('secret')}>Replace secret</Button>
                  <Button onClick={() => setAsked('test')}>Send test delivery</Button>
                </SpaceBetween>
              )
            }
          >
            Hook
          </Header>
        }
      >
        <KeyValuePairs
          columns={2}
          items={[
            { label: 'Address', value: <HookAddress path={hook.path} /> },
            {
              label: 'Sender',
              value: `${STYLES.find(({ value }) => value === verify.style)?.label ?? verify.style}${verify.header === null ? '' : `: ${verify.header}`}`,
            },
            {
              label: 'Filter',
              value: filter.map(({ pointer, one_of }) => `${pointer} is ${one_of.join(' or ')}`).join(', ') || 'none',
            },
            {
              label: 'Values for the prompt',
              value:
                Object.entries(map)
                  .map(([name, at]) => `${name}: ${at}`)
                  .join(', ') || 'the whole body',
            },
            { label: 'Creates', value: hook.drafts ? 'drafts' : 'jobs that start' },
          ]}
        />
      </Container>
      <Deliveries id={id} mayAct={mayAct} />
      {asked === 'secret' && <ReplaceSecret id={id} onDone={() => setAsked(undefined)} />}
      {asked === 'test' && <TestDelivery id={id} onDone={() => setAsked(undefined)} />}
    </SpaceBetween>
  );
}

/** Where the sender posts to. */
export function HookAddress({ path }: { path: string }) {
  const address = `${apiOrigin(window.location)}${path}`;
  return (
    <CopyToClipboard
      variant="inline"
      textToCopy={address}
      textToDisplay={address}
      copyButtonAriaLabel="Copy the address"
      copySuccessText="Copied"
      copyErrorText="Copy failed"
    />
  );
}
