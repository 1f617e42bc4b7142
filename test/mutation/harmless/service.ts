import type { Harmless } from './harmless.ts';

/** Mutants of the functions behind the API that change nothing of importance. */
export const SERVICE: readonly Harmless[] = [
  {
    file: 'lib/composition/create-scaling.ts',
    find: '6',
    replace: '60',
    reason: 'ECS refuses too many starts for seconds only, and the time limit of the function ends the tries',
  },
  {
    file: 'lib/console/publish-console.ts',
    find: '8',
    replace: '80',
    reason: 'more uploads at once store the same files',
  },
  {
    file: 'lib/console/publish-console.ts',
    find: '<',
    replace: '<=',
    reason: 'after the last files, one more turn has none to send',
  },
  {
    file: 'lib/vendors/output/json-lines.ts',
    find: 'parts.length === 0',
    replace: 'false',
    in: 'end',
    reason: 'a line that came in one piece is copied once before it is parsed, which costs little beside that',
  },
  {
    file: 'lib/vendors/output/json-lines.ts',
    find: '<',
    replace: '<=',
    in: 'push',
    reason: 'an empty rest adds no byte to the line that follows',
  },
  {
    file: 'lib/projects/project-settings.ts',
    find: 'value !== undefined',
    replace: 'true',
    in: 'without',
    reason: "the table's client stores no undefined member, and clients see null for it as for an absent one",
  },
  {
    file: 'lib/projects/project-stats.ts',
    find: '<',
    replace: '<=',
    reason: 'after the last projects there are no keys left, and without keys nothing is requested',
  },
  {
    file: 'lib/access/origin-secret.ts',
    find: '>',
    replace: '>=',
    reason: 'there is no version 0 to remove',
  },
  {
    file: 'lib/access/sign-in/identity-provider.ts',
    find: "typeof error.code === 'string'",
    replace: 'true',
    reason: 'it only words an error whose code is no text, and openid-client has none',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: 'left.length > 0',
    replace: 'true',
    reason:
      'there is no further request with an empty list of keys: a part of the keys has some, and DynamoDB gives none',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: '>',
    replace: '>=',
    reason:
      'there is no further request with an empty list of keys: a part of the keys has some, and DynamoDB gives none',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: '<',
    replace: '<=',
    reason: 'a last part without keys is asked for by no request',
  },
  {
    file: 'lib/catalog/profiles.ts',
    in: 'profileItem',
    find: 'replaces === undefined',
    replace: 'false',
    reason: 'a member that is undefined is not stored',
  },
  {
    file: 'lib/catalog/profiles.ts',
    find: "['built_in', 'imported']",
    replace: "['imported']",
    reason: 'no stored profile names the source of the deployment: it is what the absence of one means',
  },
  {
    file: 'lib/catalog/vendor-account.ts',
    find: '<',
    replace: '<=',
    reason: 'no two variables of a profile have the same name',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'laterOf',
    find: '>',
    replace: '>=',
    reason: 'of two equal times either is the later one',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'list',
    find: '<',
    replace: '<=',
    reason: 'the id of a row is its time and more, so it is never the text of a time alone',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'readCursor',
    find: '<=',
    replace: '<',
    reason: 'the id of a row is its time and more, so it is never the text of a time alone',
  },
  {
    file: 'lib/access/principal.ts',
    find: "['read', 'logs', 'attachments', 'write', 'admin']",
    replace: "['logs', 'attachments', 'write', 'admin']",
    reason: 'the scope admin grants every route, so those next to it grant nothing more',
  },
  {
    file: 'lib/mcp/answer-request.ts',
    find: 'await handler.close();',
    replace: ';',
    reason: 'what answers one message keeps no timer and is referred to by nothing else, so it is collected either way',
  },
  {
    file: 'lib/mcp/answer-request.ts',
    find: 'await server.close();',
    replace: ';',
    reason: 'what answers one message keeps no timer and is referred to by nothing else, so it is collected either way',
  },
  {
    file: 'lib/mcp/mcp-server.ts',
    find: 'inputs.set(key, input);',
    replace: ';',
    reason: 'each call then resolves the schema of its tool again, which takes a little time',
  },
];
