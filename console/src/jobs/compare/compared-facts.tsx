import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { ListTable } from '../../tables/list-table.tsx';
import type { Fact } from './facts.ts';
import type { Side } from './side.ts';

interface ComparedFactsProps {
  readonly title: string;
  readonly description?: string;
  readonly facts: readonly Fact[];
  readonly a: Side;
  readonly b: Side;
}

/** The facts that two sides share, then the different ones with a description. */
export function ComparedFacts({ title, description, facts, a, b }: ComparedFactsProps) {
  const same = facts.filter(({ difference }) => difference === undefined);
  const different = facts.filter(({ difference }) => difference !== undefined);
  return (
    <Container
      header={
        <Header variant="h2" counter={`(${counted(different.length)})`} description={description}>
          {title}
        </Header>
      }
    >
      <SpaceBetween size="m">
        {same.length > 0 && (
          <section aria-label={`${title}: the same`}>
            <Box variant="h3" fontSize="heading-xs" padding={{ bottom: 'xs' }}>
              The same
            </Box>
            <KeyValuePairs columns={4} items={same.map(({ label, a: text }) => ({ label, value: text }))} />
          </section>
        )}
        {different.length > 0 && (
          <ListTable
            variant="embedded"
            wrapLines
            trackBy="label"
            items={different}
            ariaLabels={{ tableLabel: `${title}: different` }}
            columnDefinitions={[
              { id: 'label', header: 'Different', isRowHeader: true, minWidth: 130, cell: ({ label }) => label },
              { id: 'a', header: a.name, minWidth: 160, cell: (fact) => fact.a },
              { id: 'b', header: b.name, minWidth: 160, cell: (fact) => fact.b },
              {
                id: 'difference',
                header: 'Difference',
                minWidth: 150,
                cell: ({ difference }) => (
                  <span className="compare-difference">
                    <span aria-hidden="true">≠ </span>
                    {difference}
                  </span>
                ),
              },
            ]}
          />
        )}
      </SpaceBetween>
    </Container>
  );
}

function counted(count: number): string {
  if (count === 0) return 'no difference';
  return count === 1 ? '1 difference' : `${count} differences`;
}
