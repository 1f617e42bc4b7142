import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';

/** A table whose answer to the first put is lost, so that the SDK sends that again. */
export function repeatingTable(table: DynamoDBDocumentClient): DynamoDBDocumentClient {
  let isFirst = true;
  const send = async (command: PutCommand) => {
    if (isFirst && command instanceof PutCommand) {
      isFirst = false;
      await table.send(command);
    }
    return await table.send(command);
  };
  return { send } as unknown as DynamoDBDocumentClient;
}
