import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Registry } from '../platform/registry.ts';
import type { CatalogItem } from './catalog-kind.ts';

/** The kind of the items that are versions of an entry. */
export function versionKind(kind: string, name: string): string {
  return `${kind}_version#${name}`;
}

/** The key of a version of an entry. Versions are ordered by their numbers. */
export function versionKey(kind: string, name: string, version: number): { kind: string; id: string } {
  return { kind: versionKind(kind, name), id: String(version).padStart(10, '0') };
}

/**
 * The number of the next version of an entry.
 * @param item the entry; undefined: it never existed, or was removed after its newest version
 */
export async function nextVersion(
  { table, registryTable }: Registry,
  { kind, name }: { readonly kind: string; readonly name: string },
  item: CatalogItem | undefined,
): Promise<number> {
  if (item !== undefined) return numberOf(item) + 1;
  const { Items: [newest] = [] } = await table.send(
    new QueryCommand({
      TableName: registryTable,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': versionKind(kind, name) },
      ScanIndexForward: false,
      Limit: 1,
      ConsistentRead: true,
    }),
  );
  return newest === undefined ? 1 : numberOf(newest) + 1;
}

function numberOf({ version }: CatalogItem): number {
  return z.number().parse(version);
}
