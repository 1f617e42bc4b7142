import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { chosenParts, joinedObject } from '../../../../lib/local/emulators/joined-parts.ts';

const LEAST = 5_242_880;
const partOf = (file: string, length: number) => ({ file, length, etag: `"${md5(file)}"` });
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const uploaded = new Map([
  [1, partOf('a', LEAST)],
  [2, partOf('b', LEAST - 1)],
  [3, partOf('c', 1)],
]);
const chosen = (...wanted: (readonly [partNumber: number, file: string])[]) =>
  chosenParts(
    uploaded,
    wanted.map(([partNumber, file]) => ({ partNumber, etag: md5(file) })),
  );

it('the parts that are named make an object: in order, as they were sent, and none but the last too small', () => {
  expect(chosen([1, 'a'], [3, 'c'])).toEqual([uploaded.get(1), uploaded.get(3)]);
  expect(chosen([2, 'b'])).toEqual([uploaded.get(2)]);
  expect(chosen([2, 'b'], [3, 'c'])).toBe('EntityTooSmall');
  for (const wrong of [chosen([3, 'c'], [1, 'a']), chosen([1, 'a'], [1, 'a']), chosen([0, 'a'])])
    expect(wrong).toBe('InvalidPartOrder');
  for (const wrong of [chosen([1, 'b']), chosen([1, 'a'], [4, 'c'])]) expect(wrong).toBe('InvalidPart');
});

it('their object has the length of all, and the tag that S3 gives it', () => {
  const upload = {
    uploadId: 'u',
    bucket: 'b',
    key: 'k',
    contentType: 't',
    metadata: {},
    parts: new Map(),
    initiated: new Date(),
  };
  const object = joinedObject(upload as never, [partOf('a', 2), partOf('b', 3)]);
  const etag = createHash('md5')
    .update(Buffer.from(md5('a') + md5('b'), 'hex'))
    .digest('hex');
  expect(object).toMatchObject({ key: 'k', contentType: 't', contentLength: 5, etag: `"${etag}-2"` });
  expect(object).not.toHaveProperty('uploadId');
});
