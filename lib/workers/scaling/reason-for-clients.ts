/** Characters of a reason that clients see. */
const LENGTH = 120;

/**
 * The first part of ECS's reason, for clients. The part after the colon contains names of this account's resources
 * (`CannotPullContainerError: pull … 123456789012.dkr.ecr…`); the log has the whole.
 */
export function reasonForClients(reason: string): string {
  const first = reason.split(': ')[0] ?? '';
  return first
    .replaceAll(/arn:\S+|\b\d{12}\b/g, '…')
    .slice(0, LENGTH)
    .trim();
}
