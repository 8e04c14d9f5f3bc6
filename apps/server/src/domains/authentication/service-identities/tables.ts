import { bigint, boolean, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { bytes, createdBy, dateCreated, dateTime, id, orgId } from '../../../kernel/database/columns.ts'

export const authenticationServiceIdentity = pgTable('authentication_service_identity', {
  /** That of its user. */
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  name: text('name').notNull(),
  username: text('username').notNull(),
  owner: uuid('owner'),
  purpose: text('purpose').notNull(),
  ip_group: text('ip_group').array().notNull().default(['*']),
  reads: text('reads').array().notNull().default([]),
  writes: text('writes').array().notNull().default([]),
  /** It reaches the targets of the three tables below alone. */
  limits_targets: boolean('limits_targets').notNull().default(false),
  is_active: boolean('is_active').notNull().default(true),
  date_expired: dateTime('date_expired'),
  created_by: createdBy(),
  date_created: dateCreated(),
})

function linkColumns() {
  return {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    identity: uuid('identity').notNull(),
  }
}
export const authenticationServiceIdentityNode = pgTable('authentication_service_identity_node', {
  ...linkColumns(),
  node: uuid('node').notNull(),
})
export const authenticationServiceIdentityAsset = pgTable('authentication_service_identity_asset', {
  ...linkColumns(),
  asset: uuid('asset').notNull(),
})
export const authenticationServiceIdentityApplication = pgTable('authentication_service_identity_application', {
  ...linkColumns(),
  application: uuid('application').notNull(),
})

export const authenticationServiceKey = pgTable('authentication_service_key', {
  id: id(),
  org_id: orgId(),
  identity: uuid('identity').notNull(),
  name: text('name').notNull(),
  key_hash: bytes('key_hash').notNull(),
  ending: text('ending').notNull(),
  is_active: boolean('is_active').notNull().default(true),
  date_expired: dateTime('date_expired'),
  date_last_used: dateTime('date_last_used'),
  last_addr: text('last_addr').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** One claim of a trust rule. */
export interface ClaimRule {
  claim: string
  value: string
}

export const authenticationTrustRule = pgTable('authentication_trust_rule', {
  id: id(),
  org_id: orgId(),
  identity: uuid('identity').notNull(),
  name: text('name').notNull(),
  issuer: text('issuer').notNull(),
  audience: text('audience').notNull(),
  claims: jsonb('claims').$type<ClaimRule[]>().notNull(),
  is_reusable: boolean('is_reusable').notNull().default(false),
  keys: text('keys').notNull().default(''),
  ca_certificate: text('ca_certificate').notNull().default(''),
  is_active: boolean('is_active').notNull().default(true),
  created_by: createdBy(),
  date_created: dateCreated(),
})
export type StoredTrustRule = typeof authenticationTrustRule.$inferSelect

export const authenticationWorkloadToken = pgTable('authentication_workload_token', {
  id: id(),
  org_id: orgId(),
  identity: uuid('identity').notNull(),
  rule: uuid('rule').notNull(),
  token_hash: bytes('token_hash').notNull(),
  /** The claim `sub`. */
  subject: text('subject').notNull(),
  remote_addr: text('remote_addr').notNull(),
  date_last_used: dateTime('date_last_used'),
  date_expired: dateTime('date_expired').notNull(),
  date_created: dateCreated(),
})

export const authenticationUsedWorkloadToken = pgTable('authentication_used_workload_token', {
  token_hash: bytes('token_hash').primaryKey(),
  date_expired: dateTime('date_expired').notNull(),
})
