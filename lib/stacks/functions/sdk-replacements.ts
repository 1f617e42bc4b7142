/**
 * Modules of libraries that a function's bundle has otherwise, by their path under `node_modules`. The module's
 * other exports fail when they are used.
 */
export const REPLACEMENTS: Readonly<Record<string, string>> = {
  // Lambda puts a function's credentials into its environment; the other sources do not exist there.
  '@aws-sdk/credential-provider-node/dist-es/defaultProvider.js': `
    export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  // A function has no files with settings of the SDK.
  '@smithy/core/dist-es/submodules/config/node-config-provider/fromSharedConfigFiles.js': `
    import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
    export const fromSharedConfigFiles = () => async () => {
      throw new CredentialsProviderError('not set in the environment');
    };`,
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js': `
    export const getInstanceMetadataRegion = async () => undefined;`,
  // Without the versions of the operating system and of a type checker.
  '@aws-sdk/core/dist-es/submodules/client/util-user-agent-node/defaultUserAgent.js': `
    export { crtAvailability } from './crt-availability';
    export const createDefaultUserAgentProvider = ({ serviceId, clientVersion }) => async () => [
      ['aws-sdk-js', clientVersion],
      ['ua', '2.1'],
      ['lang/js'],
      ['md/nodejs', process.versions.node],
      ['api/' + serviceId, clientVersion],
    ];
    export const defaultUserAgent = createDefaultUserAgentProvider;`,
  // DynamoDB's own endpoints are not discovered by requests.
  '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js': `
    export const resolveEndpointDiscoveryConfig = (input) => input;`,
  // The operations in use have no streams of events.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const resolveEventStreamSerdeConfig = (input) => input;`,
  // The tools' server names a validator of JSON schemas; its default is 150 KB.
  '@modelcontextprotocol/server/dist/shimsNode.mjs': `
    import process from 'node:process';
    export { process };`,
  // Node's, instead of the global object that loads all of Web Cryptography.
  '@smithy/core/dist-es/submodules/serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => randomUUID;`,
};

/** Modules whose exports fail when they are used: no function needs them. By their path under `node_modules`. */
export const LEFT_OUT: readonly RegExp[] = [
  // The SDK's code for browsers and for machines without Node's hashes.
  /^@(smithy|aws-sdk)\/[\w-]+\/dist-es\/.*\.browser\.js$/,
  /^@(smithy|aws-sdk)\/[\w-]+\/dist-es\/.*\/(Sha1Js|Sha256Js|Md5Js|Crc32Js)\.js$/,
  // Schemas as JSON, which only the OpenAPI document and the tools' contracts have.
  /^zod\/v4\/core\/(to-json-schema|json-schema-processors|json-schema-generator)\.js$/,
];
