import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type Clock, timestamp } from '../aws/table-clock.ts';
import { PRINCIPAL_KINDS } from '../aws/tables.ts';

const KIND = PRINCIPAL_KINDS.signIn;

/** Seconds from the redirect to the identity provider until its answer. */
export const SIGN_IN_SECONDS = 600;

/** What one sign-in is proven by. None of it is stored: all but the state follows from the browser's cookie. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly codeVerifier: string;
}

const itemSchema = z.object({ return_to: z.string() });

/** Sign-ins under way: each is bound to the browser that began it, and can be finished once. */
export class SignInStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string; clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  /**
   * Begins a sign-in.
   * @param browser the cookie that the browser brought, so that several of its tabs can sign in side by side
   * @returns the cookie that it is to have
   */
  async begin(returnTo: string, browser: string | undefined): Promise<SignInProof & { browser: string }> {
    const known = browser !== undefined && isCookie(browser) ? browser : randomBytes(32).toString('base64url');
    const state = randomBytes(32).toString('base64url');
    const expires = this.#clock.now() + SIGN_IN_SECONDS * 1000;
    await this.#table.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: {
          kind: KIND,
          id: hashOf(state),
          browser: hashOf(known),
          return_to: returnTo,
          expires_at: timestamp(expires),
          expires_at_epoch: Math.ceil(expires / 1000),
        },
      }),
    );
    return { ...proofOf(state, known), browser: known };
  }

  /** Takes the sign-in that a browser comes back from; undefined if it began none such, it is too late or it is finished. */
  async finish(state: string, browser: string): Promise<(SignInProof & { returnTo: string }) | undefined> {
    try {
      const { Attributes } = await this.#table.send(
        new DeleteCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id: hashOf(state) },
          ConditionExpression: 'browser = :browser AND expires_at > :now',
          ExpressionAttributeValues: { ':browser': hashOf(browser), ':now': timestamp(this.#clock.now()) },
          ReturnValues: 'ALL_OLD',
        }),
      );
      return { ...proofOf(state, browser), returnTo: itemSchema.parse(Attributes).return_to };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

function proofOf(state: string, browser: string): SignInProof {
  const derive = (use: string) => createHmac('sha256', browser).update(`${use}:${state}`).digest('base64url');
  return { state, nonce: derive('nonce'), codeVerifier: derive('code-verifier') };
}

function isCookie(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
