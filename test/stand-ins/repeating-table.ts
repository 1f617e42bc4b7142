import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';

/** A table whose answer to the first put or delete is lost, so that the SDK sends that again. */
export function repeatingTable(table: DynamoDBDocumentClient): DynamoDBDocumentClient {
  let isFirst = true;
  const send = async (command: unknown) => {
    const isWrite = command instanceof PutCommand || command instanceof DeleteCommand;
    if (isFirst && isWrite) {
      isFirst = false;
      await table.send(command as PutCommand);
    }
    return await table.send(command as PutCommand);
  };
  return { send } as unknown as DynamoDBDocumentClient;
}
