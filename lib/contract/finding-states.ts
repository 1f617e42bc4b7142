/** The state of a checked thing: it works; it works but needs attention; it does not work. The worst is last. */
export const FINDING_STATES = ['ok', 'warning', 'fault'] as const;
