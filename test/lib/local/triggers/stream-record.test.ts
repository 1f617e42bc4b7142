import type { AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import { expect, it } from 'vitest';
import { lambdaRecord } from '../../../../lib/local/triggers/stream-record.ts';

it('a record is what Lambda makes of it: bytes as text, times as seconds, and nothing that it lacks', () => {
  const values: Record<string, AttributeValue> = {
    text: { S: 'a' },
    number: { N: '1' },
    yes: { BOOL: false },
    none: { NULL: true },
    map: { M: { inner: { L: [{ S: 'b' }, { B: Buffer.from('bytes') }] } } },
    texts: { SS: ['a'] },
    numbers: { NS: ['1'] },
    blobs: { BS: [Buffer.from('x')] },
  };
  const expected = {
    ...values,
    map: { M: { inner: { L: [{ S: 'b' }, { B: Buffer.from('bytes').toString('base64') }] } } },
    blobs: { BS: [Buffer.from('x').toString('base64')] },
  };
  const whole = lambdaRecord(
    {
      ...{ eventID: 'e', eventName: 'MODIFY', eventVersion: '1.1', awsRegion: 'us-east-1' },
      dynamodb: {
        ApproximateCreationDateTime: new Date(1_700_000_000_999),
        ...{ Keys: { id: { S: 'k' } }, NewImage: values, OldImage: {} },
        ...{ SequenceNumber: '7', SizeBytes: 0, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    },
    'arn',
  );
  expect(whole).toEqual({
    ...{ eventID: 'e', eventName: 'MODIFY', eventVersion: '1.1', awsRegion: 'us-east-1' },
    ...{ eventSource: 'aws:dynamodb', eventSourceARN: 'arn' },
    dynamodb: {
      ApproximateCreationDateTime: 1_700_000_000,
      ...{ Keys: { id: { S: 'k' } }, NewImage: expected, OldImage: {} },
      ...{ SequenceNumber: '7', SizeBytes: 0, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
  });
  expect(Object.keys(lambdaRecord({}, 'arn'))).toEqual(['eventSource', 'eventSourceARN', 'dynamodb']);
  expect(lambdaRecord({ dynamodb: {} }, 'arn').dynamodb).toStrictEqual({});
});
