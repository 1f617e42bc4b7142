/** What happens when an automation is due while its last job has not ended. */
export const OVERLAPS = ['skip', 'queue', 'replace'] as const;

/** Which of the instants at which no pass ran are made up for. */
export const MISSED = ['skip', 'latest', 'all'] as const;
