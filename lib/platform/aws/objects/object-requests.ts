// What functions use of the S3 client, as one file that a bundle can load on demand.
// biome-ignore lint/performance/noBarrelFile: the file exists so that its imports are loaded together
export {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
