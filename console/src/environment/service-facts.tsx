import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { sizeText } from '../format/size-text.ts';
import type { Environment } from './environment-query.ts';

/** The version and settings of the deployment. */
export function ServiceFacts({ environment }: { environment: Environment }) {
  const { service, models, token_usage } = environment;
  const today = token_usage.today;
  return (
    <Container header={<Header variant="h2">Service</Header>}>
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Region', value: service.region },
          { label: 'Version', value: service.version },
          { label: 'Node.js', value: service.node_version.replace(/^v/, '') },
          { label: 'Timeout unit', value: service.timeout_unit },
          { label: 'Default profile', value: service.default_profile },
          { label: 'Token scopes', value: service.scope_enforcement ? 'Enforced' : 'Not enforced' },
          { label: 'Maximum request size', value: sizeText(service.max_body_bytes) },
          { label: 'Models', value: models.length > 0 ? models.join(', ') : "The agents' defaults" },
          { label: 'Input tokens today', value: today.input_tokens.toLocaleString('en') },
          { label: 'Output tokens today', value: today.output_tokens.toLocaleString('en') },
        ]}
      />
    </Container>
  );
}
