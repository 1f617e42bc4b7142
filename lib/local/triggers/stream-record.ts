import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaAttributeValue } from 'aws-lambda';

/** A record in the form of a Lambda event: the SDK's binary values become text, its dates numbers. */
export function lambdaRecord(record: _Record, eventSourceARN: string): DynamoDBRecord {
  const { dynamodb } = record;
  const created = dynamodb?.ApproximateCreationDateTime;
  return {
    ...(record.eventID !== undefined && { eventID: record.eventID }),
    ...(record.eventName !== undefined && { eventName: record.eventName }),
    ...(record.eventVersion !== undefined && { eventVersion: record.eventVersion }),
    ...(record.awsRegion !== undefined && { awsRegion: record.awsRegion }),
    eventSource: 'aws:dynamodb',
    eventSourceARN,
    dynamodb: {
      ...(created !== undefined && { ApproximateCreationDateTime: Math.floor(created.getTime() / 1000) }),
      ...(dynamodb?.Keys && { Keys: image(dynamodb.Keys) }),
      ...(dynamodb?.NewImage && { NewImage: image(dynamodb.NewImage) }),
      ...(dynamodb?.OldImage && { OldImage: image(dynamodb.OldImage) }),
      ...(dynamodb?.SequenceNumber !== undefined && { SequenceNumber: dynamodb.SequenceNumber }),
      ...(dynamodb?.SizeBytes !== undefined && { SizeBytes: dynamodb.SizeBytes }),
      ...(dynamodb?.StreamViewType !== undefined && { StreamViewType: dynamodb.StreamViewType }),
    },
  };
}

function image(values: Readonly<Record<string, AttributeValue>>): Record<string, LambdaAttributeValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, attribute(value)]));
}

function attribute(value: AttributeValue): LambdaAttributeValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.M !== undefined) return { M: image(value.M) };
  if (value.L !== undefined) return { L: value.L.map(attribute) };
  if (value.SS !== undefined) return { SS: value.SS };
  if (value.NS !== undefined) return { NS: value.NS };
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  throw new Error(`an attribute of an unknown type: ${Object.keys(value).join(', ')}`);
}
