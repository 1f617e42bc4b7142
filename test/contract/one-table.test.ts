import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createOpenApi, isDescribed } from '../../lib/contract/openapi/openapi.ts';
import { BASE_PATH, wholePath } from '../../lib/contract/route.ts';
import { doors, routes } from '../../lib/contract/routes/routes.ts';
import { ApiStack } from '../../lib/stacks/api/api-stack.ts';
import { DataStack } from '../../lib/stacks/data/data-stack.ts';
import { FUNCTION_IDS, sourceOf } from '../../lib/stacks/functions/bundle-functions.ts';
import { apiMethods } from '../lib/stacks/api/api-methods.ts';
import { codeOf, deployment, ROOT, testApp, VERSION } from '../lib/stacks/synthesis.ts';

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
const operations = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), 'x-required-scope': z.string().optional() })),
  ),
});

const app = testApp();
const props = { data: new DataStack(app, 'data'), deployment: deployment(), version: VERSION, codeOf };
const api = new ApiStack(app, 'api', props);

const served = doors;
const inTable = served.map((one) => `${one.method} ${wholePath(one)}`).sort();

describe('a route exists by standing in the table, and everywhere else because it does', () => {
  test('each route and each page has a file of functions, and no others exist but the catch-all and the triggers', () => {
    const files = globSync('functions/**/*.ts', { cwd: ROOT });
    expect(files.sort()).toEqual(FUNCTION_IDS.map(sourceOf).sort());
  });

  test.each(FUNCTION_IDS)('%s exports its handler', async (id) => {
    Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });
    const module: unknown = await import(join(ROOT, sourceOf(id)));
    expect(z.object({ handler: z.function() }).safeParse(module).success).toBe(true);
  });

  test('API Gateway has a method for each route and each page, and no other but ANY', () => {
    const methods = apiMethods(api).filter(({ verb }) => verb !== 'ANY');
    expect(methods.map(({ verb, path }) => `${verb} ${path}`).sort()).toEqual(inTable);
    expect(methods.map(({ functionId }) => functionId).sort()).toEqual(served.map(({ id }) => id).sort());
  });

  test('openapi.json has an operation for each route but those of MCP with its scope, and no other', () => {
    const described = Object.entries(operations.parse(document).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation['x-required-scope'],
      ]),
    );
    const scopes = routes
      .filter(isDescribed)
      .map(({ method, path, auth }) => [`${method} ${BASE_PATH}${path}`, auth.scope]);
    expect(described.sort()).toEqual(scopes.sort());
  });

  test('openapi.json is what the table makes of it', () => {
    expect(document).toEqual(createOpenApi(routes, operations.parse(document).info.version));
  });
});
