/** The address of the list of jobs as it was last shown in this tab, with its filters. */
let address = '/jobs';

export function noteList(search: string): void {
  address = `/jobs${search}`;
}

/** The target of "back to the list". */
export function lastList(): string {
  return address;
}
