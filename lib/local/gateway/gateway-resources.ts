import { type Door, wholePath } from '../../contract/route.ts';

/** The fields of a door that the gateway reads. */
export type GatewayRoute = Pick<Door, 'id' | 'method' | 'path' | 'mode' | 'auth'>;

/** The function that answers requests without a route; buffered. */
export const CATCH_ALL = 'not-found.answer';

/** The function for a request, and the resource in its event. */
export interface Match {
  readonly functionId: string;
  readonly mode: Door['mode'];
  /** As in the event: `/api/v1/jobs/{id}`, or `/{proxy+}` if no resource matches. */
  readonly resource: string;
  /** As the client encoded them: REST APIs pass them on undecoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Resource {
  readonly path: string;
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, GatewayRoute>;
}

/**
 * Finds functions as API Gateway does: first the resource, static segments before parameters, then its method. A method
 * that the resource doesn't have goes to the catch-all, even if another resource would fit the path.
 */
export function resourceMatcher(routes: readonly GatewayRoute[]): (method: string, path: string) => Match {
  const resources = resourcesOf(routes);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    const resource = resources.find((candidate) => fits(candidate.segments, segments));
    if (resource === undefined) {
      const rest = segments.join('/');
      return { functionId: CATCH_ALL, mode: 'buffered', resource: '/{proxy+}', pathParameters: { proxy: rest } };
    }
    const route = resource.byMethod.get(method);
    const pathParameters = parameters(resource.segments, segments);
    if (route === undefined)
      return { functionId: CATCH_ALL, mode: 'buffered', resource: resource.path, pathParameters };
    return { functionId: route.id, mode: route.mode, resource: resource.path, pathParameters };
  };
}

function resourcesOf(routes: readonly GatewayRoute[]): Resource[] {
  const byPath = Map.groupBy(routes, (route) => wholePath(route));
  const resources = [...byPath].map(([path, atPath]) => ({
    path,
    segments: path.split('/').slice(1),
    byMethod: new Map(atPath.map((route) => [route.method, route])),
  }));
  return resources.sort((a, b) => rank(a.segments).localeCompare(rank(b.segments)));
}

/** Sorts a static segment before a parameter at the first difference of two paths. */
function rank(segments: readonly string[]): string {
  return segments.map((segment) => (isParameter(segment) ? '1' : '0')).join('');
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, place) => (isParameter(part) ? segments[place] !== '' : part === segments[place]));
}

function parameters(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const found = pattern.flatMap((part, place) =>
    isParameter(part) ? [[part.slice(1, -1), segments[place] ?? ''] as const] : [],
  );
  return Object.fromEntries(found);
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}
