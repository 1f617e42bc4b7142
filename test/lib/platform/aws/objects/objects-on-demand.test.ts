import { afterAll, beforeAll, expect, test } from 'vitest';
import * as OBJECT_REQUESTS from '../../../../../lib/platform/aws/objects/object-requests.ts';
import * as deferred from '../../../../../lib/platform/aws/objects/objects-on-demand.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(() => deployment.stop());

/** As the bundler puts them into the place of classes. */
const { NoSuchKey, NotFound } = deferred as unknown as Record<'NoSuchKey' | 'NotFound', new () => Error>;

/** A client whose settings are those of the deployment's. */
async function open() {
  const { region, credentials, endpoint } = deployment.objects.config;
  return new deferred.S3Client({ region, credentials, ...(endpoint && { endpoint }), forcePathStyle: true });
}

test('requests have the same answers as those of the client', async () => {
  const s3 = await open();
  const Bucket = deployment.env.OUTPUT_BUCKET;
  const paths: unknown[] = [];
  s3.middlewareStack.add(
    (next: (args: { request: { path: string } }) => unknown) => async (args: { request: { path: string } }) => {
      paths.push(args.request.path);
      return await next(args);
    },
    { step: 'build' },
  );
  await s3.send(new deferred.PutObjectCommand({ Bucket, Key: 'on-demand/a', Body: 'first' }));
  const head = await s3.send(new deferred.HeadObjectCommand({ Bucket, Key: 'on-demand/a' }));
  expect(head).toMatchObject({ ContentLength: 5 });
  const { Body } = (await s3.send(new deferred.GetObjectCommand({ Bucket, Key: 'on-demand/a' }))) as {
    Body: { transformToString(): Promise<string> };
  };
  expect(await Body.transformToString()).toBe('first');
  const pages: unknown[] = [];
  for await (const { Contents = [] } of deferred.paginateListObjectsV2(
    { client: s3 },
    { Bucket, Prefix: 'on-demand/' },
  ))
    pages.push(...Contents.map(({ Key }) => Key));
  expect(pages).toEqual(['on-demand/a']);
  await s3.send(new deferred.DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'on-demand/a' }] } }));
  await s3.send(new deferred.HeadBucketCommand({ Bucket }));
  expect(await s3.send(new deferred.ListObjectsV2Command({ Bucket, Prefix: 'on-demand/' }))).toMatchObject({
    KeyCount: 0,
  });
  expect(paths).toHaveLength(7);
});

test('errors have the classes of the client by their names', async () => {
  const s3 = await open();
  const Bucket = deployment.env.OUTPUT_BUCKET;
  const missing = { Bucket, Key: 'on-demand/missing' };
  const read = await s3.send(new deferred.GetObjectCommand(missing)).catch((error: unknown) => error);
  const head = await s3.send(new deferred.HeadObjectCommand(missing)).catch((error: unknown) => error);
  expect([read instanceof NoSuchKey, read instanceof NotFound]).toEqual([true, false]);
  expect([head instanceof NotFound, head instanceof NoSuchKey]).toEqual([true, false]);
});

test('all that functions use of the client can be loaded on demand', () => {
  expect(Object.keys(deferred)).toEqual(expect.arrayContaining(Object.keys(OBJECT_REQUESTS)));
});
