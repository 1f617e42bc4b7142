import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import { BASE_PATH } from '../../../lib/contract/route.ts';
import { apiOrigin, curlLine } from '../jobs/form/curl-line.ts';
import { CodeBlock } from '../jobs/text/code-block.tsx';
import { CopyButton } from '../jobs/text/copy-button.tsx';
import '../jobs/text/markdown.css';
import { ApiText } from './api-text.tsx';
import { examplesOf, type OpenApi, type Operation, responseOf } from './open-api.ts';
import { Fields, SchemaFields } from './schema-fields.tsx';

interface OperationProps {
  readonly document: OpenApi;
  readonly operation: Operation;
}

/** Where a parameter is sent, in the order of the page. */
const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' } as const;

/** One operation: what it needs, takes and answers. */
export function OperationView({ document, operation }: OperationProps) {
  const { method, path, summary, description, parameters = [] } = operation;
  useEffect(() => {
    // It returns a promise in some browsers.
    void window.scrollTo(0, 0);
  }, []);
  return (
    <SpaceBetween size="l">
      <Header variant="h1">{summary}</Header>
      <p className="api-address">
        <Badge>{method}</Badge> <code>{path}</code>
        <CopyButton text={path} what="path" />
      </p>
      {description !== undefined && (
        <div>
          <ApiText text={description} />
        </div>
      )}
      <Access operation={operation} />
      {Object.entries(PLACES).map(([place, title]) => {
        const given = parameters.filter((parameter) => parameter.in === place);
        if (given.length === 0) return null;
        const fields = given.map(({ name = '', schema = {}, required = false, description: text }) => ({
          ...{ name, schema, isRequired: required, description: text },
        }));
        return (
          <Container key={place} header={<Header variant="h2">{title}</Header>}>
            <Fields document={document} fields={fields} />
          </Container>
        );
      })}
      <RequestBody document={document} operation={operation} />
      <RequestLine operation={operation} />
      <Responses document={document} operation={operation} />
    </SpaceBetween>
  );
}

function Access({ operation }: { operation: Operation }) {
  const scope = operation['x-required-scope'];
  return (
    <Box color="text-body-secondary">
      {scope === undefined ? (
        'No scope is needed.'
      ) : (
        <>
          Scope: <code>{scope}</code>.
        </>
      )}
      {operation['x-required-principal'] !== undefined &&
        " Only for an administrator's session in a browser: no API token may call it."}
    </Box>
  );
}

function RequestBody({ document, operation: { requestBody } }: OperationProps) {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (content === undefined) return null;
  return (
    <Container
      header={
        <Header variant="h2" description={`${type}, ${requestBody?.required === true ? 'required' : 'optional'}`}>
          Request body
        </Header>
      }
    >
      <SchemaFields document={document} schema={content.schema ?? {}} />
    </Container>
  );
}

/** The request as a command. Nothing is sent from this page, and the command contains no token. */
function RequestLine({ operation: { method, path, requestBody } }: { operation: Operation }) {
  const body = requestBody?.content['application/json'];
  const example = body && (body.example ?? Object.values(body.examples ?? {})[0]?.value);
  const line = curlLine(apiOrigin(window.location), {
    method,
    path: path.slice(BASE_PATH.length),
    body: method === 'GET' ? undefined : example,
  });
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Replace names in braces. The shell reads the token from PROMPTQ_TOKEN."
          actions={<CopyButton text={line} what="request" />}
        >
          Example request
        </Header>
      }
    >
      <Code text={line} language="bash" />
    </Container>
  );
}

function Responses({ document, operation }: OperationProps) {
  return (
    <Container header={<Header variant="h2">Responses</Header>}>
      {Object.entries(operation.responses).map(([status, response]) => (
        <ResponseOf key={status} document={document} status={status} response={response} />
      ))}
    </Container>
  );
}

type GivenResponse = Operation['responses'][string];

function ResponseOf({ document, status, response }: { document: OpenApi; status: string; response: GivenResponse }) {
  const [open, setOpen] = useState(status < '400');
  const { description = '', headers = {}, content = {} } = responseOf(document, response);
  const fields = Object.entries(headers).map(([name, { schema = {}, description: text }]) => ({
    ...{ name, schema, isRequired: false, description: text },
  }));
  return (
    <ExpandableSection
      headerText={
        <>
          {status} <span className="api-response">{description}</span>
        </>
      }
      headingTagOverride="h3"
      expanded={open}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      {open && (
        <SpaceBetween size="m">
          {Object.entries(content).map(([type, one]) => (
            <div key={type}>
              <Box variant="h4">{type}</Box>
              {examplesOf(one).map((text) => (
                <Code key={text} text={text} language="json" />
              ))}
              <SchemaFields document={document} schema={one.schema ?? {}} />
            </div>
          ))}
          {fields.length > 0 && (
            <div>
              <Box variant="h4">Response headers</Box>
              <Fields document={document} fields={fields} />
            </div>
          )}
        </SpaceBetween>
      )}
    </ExpandableSection>
  );
}

function Code({ text, language }: { text: string; language: string }) {
  return (
    <div className="markdown">
      <CodeBlock text={text} language={language} />
    </div>
  );
}
