import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { pathParametersOf } from '../../../lib/api/path-parameters.ts';

it('path parameters are decoded once; what is not encoded well stays as it is', () => {
  const of = (pathParameters: object | null) => pathParametersOf({ pathParameters } as APIGatewayProxyEvent);
  expect(of({ id: 'a%2Fb', name: '%2541', bad: '%E0%A4%A', none: undefined })).toEqual({
    ...{ id: 'a/b', name: '%41', bad: '%E0%A4%A', none: '' },
  });
  expect(of(null)).toEqual({});
});
