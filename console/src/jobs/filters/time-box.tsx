import FormField from '@cloudscape-design/components/form-field';
import { useEffect, useId, useRef, useState } from 'react';

interface TimeBoxProps {
  readonly label: string;
  /** RFC 3339; empty for none. */
  readonly value: string;
  readonly onFilter: (time: string) => void;
}

/** A year typed digit by digit passes through earlier ones, and can have five digits. */
const BOUNDS = { min: '2000-01-01T00:00', max: '9999-12-31T23:59' } as const;
const PAUSE_MS = 300;

/** Filters the list by a time in the time zone of this browser. */
export function TimeBox({ label, value, onFilter }: TimeBoxProps) {
  const id = useId();
  const [typed, setTyped] = useState(localTime(value));
  /** Whether the input is empty or a complete time. */
  const isWhole = useRef(true);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setTyped(localTime(value));
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (!isWhole.current || typed === localTime(value)) return;
    const timer = setTimeout(() => {
      sent.current = typed === '' ? '' : new Date(typed).toISOString();
      onFilter(sent.current);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onFilter]);
  return (
    <FormField label={label} controlId={id}>
      <input
        id={id}
        className="time-box"
        type="datetime-local"
        {...BOUNDS}
        value={typed}
        onChange={({ target }) => {
          isWhole.current = target.validity.valid;
          setTyped(target.value);
        }}
      />
    </FormField>
  );
}

/** A time to the minute, in the format of the browser's picker: `2026-11-22T14:05`. */
function localTime(time: string): string {
  if (time === '') return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
