import { TimeAgo } from '../../format/time-ago.tsx';

/** The origin of a rule or profile. `imported` includes entries that were written in the console. */
export function ItemSource({ source, at }: { source: 'built_in' | 'imported'; at: string | null }) {
  if (source === 'built_in') return 'Built in';
  return (
    <>
      Saved <TimeAgo at={at} />
    </>
  );
}
