import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { DEFAULT_SCOPES, NOT_ENFORCED, SCOPES, type Scope } from '../../../lib/contract/scopes.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { EXPIRIES, type Expiry, expiryOf } from './expiries.ts';
import { ReplacedToken } from './replaced-token.tsx';
import { ScopesNote } from './scopes-note.tsx';
import { type CreatedToken, useCreateToken } from './token-queries.ts';

interface NewTokenFormProps {
  readonly onCreated: (token: CreatedToken) => void;
  readonly onDismiss: () => void;
}

/** The form of a new token. */
export function NewTokenForm({ onCreated, onDismiss }: NewTokenFormProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(DEFAULT_SCOPES);
  const [expiry, setExpiry] = useState<Expiry>(EXPIRIES[1]);
  const [replaces, setReplaces] = useState<string>();
  const [tried, setTried] = useState(false);
  const create = useCreateToken();
  const errors = {
    name: name.trim() === '' ? 'Enter a name for the token.' : '',
    scopes: scopes.length === 0 ? 'Choose at least one scope.' : '',
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (create.isPending) return;
    setTried(true);
    if (errors.name !== '' || errors.scopes !== '') return;
    const expires_at = expiryOf(expiry);
    const rest = { ...(expires_at && { expires_at }), ...(replaces && { replaces }) };
    create.mutate({ name, scopes: [...scopes], ...rest }, { onSuccess: onCreated });
  };
  const toggle = (scope: Scope, on: boolean) =>
    setScopes(SCOPES.filter((known) => (known === scope ? on : scopes.includes(known))));
  return (
    <Modal
      visible
      header="Create API token"
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Cancel</Button>
            <Button variant="primary" loading={create.isPending} onClick={() => submit()}>
              Create
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form onSubmit={submit}>
        <SpaceBetween size="m">
          {create.error && (
            <WriteFailure
              error={create.error}
              rejected="The token was not created"
              done="the token was created"
              next="Its value can't be shown again. If the list behind this dialog contains it, revoke it; then create another one."
            />
          )}
          <FormField
            label="Name"
            description="What the token is for, such as “nightly build”."
            errorText={tried && errors.name}
          >
            <Input
              autoFocus
              value={name}
              onChange={({ detail }) => setName(detail.value.slice(0, LIMITS.tokenNameLength))}
            />
          </FormField>
          <FormField label="Scopes" errorText={tried && errors.scopes}>
            <SpaceBetween size="xxs">
              <ScopesNote text={NOT_ENFORCED.token} />
              {SCOPES.map((scope) => (
                <Checkbox
                  key={scope}
                  checked={scopes.includes(scope)}
                  description={MEANINGS[scope]}
                  onChange={({ detail }) => toggle(scope, detail.checked)}
                >
                  {scope}
                </Checkbox>
              ))}
            </SpaceBetween>
          </FormField>
          <FormField label="Expires">
            <Select
              expandToViewport
              selectedOption={{ value: expiry.id, label: expiry.label }}
              options={EXPIRIES.map(({ id, label }) => ({ value: id, label }))}
              onChange={({ detail }) =>
                setExpiry(EXPIRIES.find(({ id }) => id === detail.selectedOption.value) ?? expiry)
              }
            />
          </FormField>
          <ReplacedToken id={replaces} onChange={setReplaces} />
        </SpaceBetween>
      </form>
    </Modal>
  );
}

const MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'View jobs, projects and statistics.',
  write: 'Create jobs and act on them.',
  logs: 'Read results, output and the audit log.',
  attachments: 'Download the attachments of jobs.',
  admin: 'Everything, including configuration and the vendor account.',
};
