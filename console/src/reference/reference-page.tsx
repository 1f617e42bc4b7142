import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { ApiText } from './api-text.tsx';
import { findOperations, type OpenApi, type Operation, openApiQuery, operationsOf } from './open-api.ts';
import { OperationView } from './operation-view.tsx';
import './reference.css';

/** The reference of this deployment's API, from its own document: all operations, and the one in the address. */
export function ReferencePage() {
  const { operation: id } = useParams();
  const { search } = useLocation();
  const query = useQuery(openApiQuery);
  const operations = useMemo(() => (query.data ? operationsOf(query.data) : []), [query.data]);
  const chosen = operations.find(({ operationId }) => operationId === id);
  usePageTitle(chosen ? `${chosen.summary} - API reference` : 'API reference');
  if (query.error && !query.data)
    return <PageError error={query.error} what="The API's description" retry={() => void query.refetch()} />;
  if (!query.data) return <PageLoading what="the API's description" />;
  const document = query.data;
  return (
    <div className={id === undefined ? 'reference' : 'reference chosen'}>
      {id === undefined && <Title document={document} />}
      <OperationList document={document} operations={operations} chosen={id} />
      <div id={CONTENT} className="reference-content" tabIndex={-1}>
        {id !== undefined && (
          <p className="reference-back">
            <Link to={{ pathname: '/reference', search }}>All operations</Link>
          </p>
        )}
        {id === undefined ? (
          <Overview document={document} />
        ) : chosen ? (
          <OperationView key={id} document={document} operation={chosen} />
        ) : (
          <UnknownOperation id={id} />
        )}
      </div>
    </div>
  );
}

const CONTENT = 'reference-content';

interface OperationListProps {
  readonly document: OpenApi;
  readonly operations: readonly Operation[];
  readonly chosen: string | undefined;
}

/** The operations by resource. The search is part of the address. */
function OperationList({ document, operations, chosen }: OperationListProps) {
  const [parameters, setParameters] = useSearchParams();
  // The address follows later than the next key.
  const [search, setSearch] = useState(parameters.get('search') ?? '');
  const found = findOperations(document, operations, search);
  const change = (value: string) => {
    setSearch(value);
    setParameters(value === '' ? {} : { search: value }, { replace: true });
  };
  return (
    <nav aria-label="Operations" className="reference-list">
      <Input
        type="search"
        ariaLabel="Search operations"
        clearAriaLabel="Clear the search"
        placeholder="Search operations"
        value={search}
        onChange={({ detail }) => change(detail.value)}
      />
      <p role="status" className="reference-count">
        {found.length === 0 ? 'No matches' : `${found.length} of ${operations.length} operations`}
      </p>
      {(document.tags ?? []).map(({ name }) => {
        const tagged = found.filter(({ tags = [] }) => tags.includes(name));
        if (tagged.length === 0) return null;
        return (
          <section key={name} aria-label={name}>
            <p className="reference-tag">{name}</p>
            <ul>
              {tagged.map(({ operationId, method, summary }) => (
                <li key={operationId}>
                  <Link
                    className="reference-link"
                    to={{ pathname: `/reference/${operationId}`, search: parameters.toString() }}
                    // The keyboard continues there. On a phone, the list is hidden.
                    onClick={() => window.document.getElementById(CONTENT)?.focus({ preventScroll: true })}
                    aria-current={operationId === chosen ? 'page' : undefined}
                  >
                    <span className="reference-method">{method}</span>
                    <span>{summary}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

function Title({ document }: { document: OpenApi }) {
  return (
    <div className="reference-title">
      <Header
        variant="h1"
        description={
          <>
            Version {document.info.version} of this deployment, from its{' '}
            <a href="/api/v1/openapi.json">OpenAPI document</a>.
          </>
        }
      >
        API reference
      </Header>
    </div>
  );
}

/** What holds for all operations. */
function Overview({ document: { info, components } }: { document: OpenApi }) {
  const credentials = Object.values(components.securitySchemes ?? {}).map(({ in: place, name, description }) => ({
    label: name === undefined ? 'Authorization: Bearer' : place === 'cookie' ? `${name} (cookie)` : name,
    value: description,
  }));
  return (
    <SpaceBetween size="l">
      <div>
        <ApiText text={info.description ?? ''} />
      </div>
      <Container header={<Header variant="h2">Credentials</Header>}>
        <KeyValuePairs items={credentials} />
      </Container>
    </SpaceBetween>
  );
}

function UnknownOperation({ id }: { id: string }) {
  return (
    <Box>
      <Header variant="h1">Operation not found</Header>
      This deployment's API has no operation <code>{id}</code>.
    </Box>
  );
}
