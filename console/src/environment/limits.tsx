import ExpandableSection from '@cloudscape-design/components/expandable-section';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';

/** All limits for clients, by their API names. */
export function Limits({ limits }: { limits: Readonly<Record<string, unknown>> }) {
  return (
    <ExpandableSection
      variant="container"
      headerText="Limits"
      headerDescription="In bytes and seconds unless stated otherwise."
    >
      <KeyValuePairs columns={4} items={flat(limits).map(([label, value]) => ({ label, value }))} />
    </ExpandableSection>
  );
}

function flat(values: object, before = ''): [string, string][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    // A deprecated spelling of a limit that is also listed in snake_case.
    if (/[A-Z]/.test(name)) return [];
    if (typeof value === 'object' && value !== null) return flat(value, `${before}${name}.`);
    return [[`${before}${name}`, typeof value === 'number' ? value.toLocaleString('en') : String(value)]];
  });
}
