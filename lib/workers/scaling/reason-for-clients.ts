/** Characters of a reason that clients are shown. */
const LENGTH = 120;

/**
 * What of ECS's reason clients are shown: its first part. Names of this account's resources stand behind the colon
 * (`CannotPullContainerError: pull … 123456789012.dkr.ecr…`), and the log has the whole.
 */
export function reasonForClients(reason: string): string {
  const first = reason.split(': ')[0] ?? '';
  return first
    .replaceAll(/arn:\S+|\b\d{12}\b/g, '…')
    .slice(0, LENGTH)
    .trim();
}
