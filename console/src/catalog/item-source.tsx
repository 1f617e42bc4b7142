import { TimeAgo } from '../layout/time-ago.tsx';

/** Where a rule or profile comes from. */
export function ItemSource({ source, at }: { source: 'built_in' | 'imported'; at: string | null }) {
  if (source === 'built_in') return 'Built in';
  return (
    <>
      Imported <TimeAgo at={at} />
    </>
  );
}
