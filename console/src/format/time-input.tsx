import './time-input.css';

/** A year typed digit by digit passes through earlier ones, and can have five digits. */
const BOUNDS = { min: '2000-01-01T00:00', max: '9999-12-31T23:59' } as const;

interface TimeInputProps {
  readonly id: string;
  /** In the time zone of this browser, as `localTime` returns it. */
  readonly value: string;
  /** @param isWhole whether the text is empty or a complete time */
  readonly onChange: (text: string, isWhole: boolean) => void;
}

/** A time to the minute, chosen with the browser's picker. */
export function TimeInput({ id, value, onChange }: TimeInputProps) {
  return (
    <input
      id={id}
      className="time-box"
      type="datetime-local"
      {...BOUNDS}
      value={value}
      onChange={({ target }) => onChange(target.value, target.validity.valid)}
    />
  );
}

/** A time of the API to the minute, in the format of the browser's picker: `2026-11-22T14:05`. Empty stays empty. */
export function localTime(time: string): string {
  if (time === '') return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
