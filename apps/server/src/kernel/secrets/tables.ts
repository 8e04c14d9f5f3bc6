import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, dateCreated, id, orgId, sealed } from '../database/columns.ts'

/** The kinds of rows that have login secrets. */
export type SecretOwnerKind =
  | 'system_user'
  | 'asset_account'
  | 'application_account'
  | 'gateway'
  | 'application'
  | 'replay_storage'
  | 'command_storage'

/** Secrets that left Sallyport in clear: who got which, when, how and why. Never the secret. */
export const kernelSecretLook = pgTable('kernel_secret_look', {
  id: id(),
  /** A `HandOut` of vault.ts. */
  how: text('how').notNull(),
  reason: text('reason').notNull(),
  owner_kind: text('owner_kind').notNull(),
  owner_id: uuid('owner_id').notNull(),
  owner: text('owner').notNull(),
  org_id: orgId(),
  user_id: uuid('user_id'),
  user: text('user').notNull(),
  remote_addr: text('remote_addr').notNull(),
  date_created: dateCreated(),
  /** Its place in the chain of hashes (domains/audits/chain.ts). */
  chain_number: bigint('chain_number', { mode: 'number' }),
  chain_hash: bytes('chain_hash'),
})

/**
 * Login secrets besides the current one, which is in the row itself (versions.ts). A trigger of the
 * row's table deletes them along with it.
 */
export const kernelSecretVersion = pgTable('kernel_secret_version', {
  id: id(),
  owner_kind: text('owner_kind').$type<SecretOwnerKind>().notNull(),
  owner_id: uuid('owner_id').notNull(),
  state: text('state').$type<'candidate' | 'previous'>().notNull(),
  version: integer('version').notNull(),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  token_sealed: sealed('token_sealed'),
  public_key: text('public_key').notNull().default(''),
  ssh_key_fingerprint: text('ssh_key_fingerprint').notNull().default(''),
  reason: text('reason').notNull().default(''),
  date_created: dateCreated(),
})
