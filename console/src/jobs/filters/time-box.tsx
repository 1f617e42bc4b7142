import FormField from '@cloudscape-design/components/form-field';
import { useEffect, useId, useRef, useState } from 'react';
import { localTime, TimeInput } from '../../format/time-input.tsx';

interface TimeBoxProps {
  readonly label: string;
  /** RFC 3339; empty for none. */
  readonly value: string;
  readonly onFilter: (time: string) => void;
}

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
      <TimeInput
        id={id}
        value={typed}
        onChange={(text, isValid) => {
          isWhole.current = isValid;
          setTyped(text);
        }}
      />
    </FormField>
  );
}
