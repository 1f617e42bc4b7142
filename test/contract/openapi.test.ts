import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeEach, describe, expect, test } from 'vitest';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

/** Anew for each test: validators change what they are given. */
let document: Record<string, unknown>;
beforeEach(() => {
  document = JSON.parse(text);
});

describe('openapi.json', () => {
  test('says that it is 3.0.3', () => {
    expect(document.openapi).toBe('3.0.3');
  });

  test('is valid for a validator that goes by the schema of OpenAPI', async () => {
    const validator = new Validator();
    expect(await validator.validate(document)).toEqual({ valid: true });
    expect(validator.version).toBe('3.0');
  });

  test('is valid for a validator that follows references and judges the meaning', async () => {
    const validated = await SwaggerParser.validate(structuredClone(document) as never);
    expect(validated).toMatchObject({ openapi: '3.0.3' });
  });

  test('would not be valid for either if an answer had no description', async () => {
    const broken = structuredClone(document) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    for (const methods of Object.values(broken.paths)) {
      for (const operation of Object.values(methods)) operation.responses['200'] = {};
    }
    expect(await new Validator().validate(structuredClone(broken))).toMatchObject({ valid: false });
    await expect(SwaggerParser.validate(structuredClone(broken) as never)).rejects.toThrow();
  });
});
