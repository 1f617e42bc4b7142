/** The value of an option as a number from 1; undefined: it was not given. @throws Error if it is anything else */
export function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${option}: received ${value}; expected a whole number, from 1`);
}
