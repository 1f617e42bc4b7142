import { TimeAgo } from '../../format/time-ago.tsx';

/** Where a rule or profile comes from; one that was imported may have been written in the console too. */
export function ItemSource({ source, at }: { source: 'built_in' | 'imported'; at: string | null }) {
  if (source === 'built_in') return 'Built in';
  return (
    <>
      Saved <TimeAgo at={at} />
    </>
  );
}
