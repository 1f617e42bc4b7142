import type { Grant } from './grants.ts';
import { type Explanation, IAM_EXCEPTIONS } from './iam-exceptions.ts';

/** A grant that a reviewer would object to. */
interface Objection {
  readonly grant: Grant;
  readonly about: string;
}

const EXPLANATIONS: readonly Explanation[] = Object.values(IAM_EXCEPTIONS);

/** Why a grant covers more than one named resource; undefined: it doesn't, or there is no explanation. */
export function explanationOf({ actions, resources }: Grant): Explanation | undefined {
  const open = resources.filter((resource) => resource.includes('*'));
  if (open.length === 0) return undefined;
  return EXPLANATIONS.find(
    (one) =>
      actions.every((action) => one.actions.includes(action)) && open.every((resource) => one.resource.test(resource)),
  );
}

/** Grants of wildcard actions, and of unexplained wildcard resources. */
export function objectionsTo(grants: readonly Grant[]): Objection[] {
  return grants.flatMap((grant) => [
    ...grant.actions
      .filter((action) => action.includes('*'))
      .map((action) => ({ grant, about: `the action ${action}` })),
    ...(explanationOf(grant) === undefined
      ? grant.resources
          .filter((resource) => resource.includes('*'))
          .map((resource) => ({ grant, about: `${grant.actions.join(', ')} on ${resource}, which nothing explains` }))
      : []),
  ]);
}
