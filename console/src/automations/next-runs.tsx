import Box from '@cloudscape-design/components/box';
import type { Automation } from './automation-queries.ts';
import './next-runs.css';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const OWN = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The next instants of a schedule: in its zone, and where the reader is. */
export function NextRuns({ automation }: { automation: Pick<Automation, 'next_runs' | 'notes' | 'trigger'> }) {
  const timezone = automation.trigger.schedule?.timezone ?? ZONE;
  return (
    <div className="next-runs">
      <table>
        <thead>
          <tr>
            <th scope="col">{timezone}</th>
            {timezone !== ZONE && <th scope="col">Here ({ZONE})</th>}
          </tr>
        </thead>
        <tbody>
          {automation.next_runs.map(({ due_at, local }) => (
            <tr key={due_at}>
              <td>{localText(local)}</td>
              {timezone !== ZONE && <td>{OWN.format(new Date(due_at))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {automation.notes.map((note) => (
        <Box key={note} variant="small">
          {note}
        </Box>
      ))}
    </div>
  );
}

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });

/** `2026-11-30T03:00:00+01:00` as `Mon 2026-11-30 03:00 +01:00`. */
function localText(local: string): string {
  const weekday = WEEKDAY.format(new Date(local.slice(0, 10)));
  return `${weekday} ${local.replace('T', ' ').replace(/:\d\d([+-].*)$/, ' $1')}`;
}
