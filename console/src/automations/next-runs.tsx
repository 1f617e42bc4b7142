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
  const { timezone } = automation.trigger.schedule;
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
              <td>{local.replace('T', ' ').replace(/:00([+-].*)$/, ' $1')}</td>
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
