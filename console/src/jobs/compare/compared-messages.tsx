import { TextBlock } from '../text/text-block.tsx';
import type { Side } from './side.ts';

/** The final messages of two agents, shown once if they are equal. Scripts have no final message. */
export function ComparedMessages({ a, b }: { a: Side; b: Side }) {
  if (isScript(a) && isScript(b)) return null;
  const [one, other] = [a.result?.final_message, b.result?.final_message];
  if (one != null && one === other)
    return <TextBlock title="Final message, the same in both" text={one} none="" isMarkdown />;
  return (
    <div className="compare-columns">
      {[a, b].map((side) => (
        <TextBlock
          key={side.name}
          title={`Final message of ${side.name}`}
          text={side.result?.final_message ?? ''}
          none={absence(side)}
          isMarkdown
        />
      ))}
    </div>
  );
}

function isScript({ job, result }: Side): boolean {
  return (result?.agent ?? job.agent) === 'shell';
}

function absence(side: Side): string {
  const { result, attempt } = side;
  if (isScript(side)) return 'Scripts have no final message.';
  if (attempt === 0) return 'The job has not run.';
  if (result === undefined) return 'The result is not available.';
  if (result.status === 'RUNNING') return 'The attempt is running.';
  if (result.receipt_state !== undefined && result.receipt_state !== 'complete') return 'Not recorded.';
  return 'None.';
}
