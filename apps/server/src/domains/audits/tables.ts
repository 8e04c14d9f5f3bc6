import type { ForwardingTarget } from '@sallyport/contract/resources/audits/forwarding.ts'
import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import { bytes, dateTime, id, orgId, sealed } from '../../kernel/database/columns.ts'
import type { EventCategory } from './event-category.ts'

/** A row's place in its log's chain of hashes; null until it is sealed (see chain.ts). */
const chainColumns = () => ({
  chain_number: bigint('chain_number', { mode: 'number' }),
  chain_hash: bytes('chain_hash'),
})

/** The product that an import brought the row from; null for what happened here. */
const arrivedFrom = () => text('arrived_from')

export const auditsLoginLog = pgTable('audits_login_log', {
  id: id(),
  username: text('username').notNull(),
  type: text('type').notNull().default('W'),
  ip: text('ip').notNull(),
  city: text('city'),
  user_agent: text('user_agent'),
  mfa: integer('mfa').notNull().default(2),
  reason: text('reason').notNull().default(''),
  backend: text('backend').notNull().default(''),
  status: boolean('status').notNull().default(true),
  datetime: dateTime('datetime').notNull().defaultNow(),
  /** The person of that name, and their organizations then; see readable-people.ts. */
  user_id: uuid('user_id'),
  org_ids: uuid('org_ids').array().notNull().default([]),
  /** For whom a service identity signed in. */
  on_behalf_of: text('on_behalf_of'),
  arrived_from: arrivedFrom(),
  ...chainColumns(),
})

export const auditsOperateLog = pgTable('audits_operate_log', {
  id: id(),
  user: text('user').notNull(),
  action: text('action').notNull(),
  resource_type: text('resource_type').notNull(),
  resource: text('resource').notNull(),
  remote_addr: text('remote_addr'),
  datetime: dateTime('datetime').notNull().defaultNow(),
  org_id: orgId(),
  user_id: uuid('user_id'),
  sign_in_id: uuid('sign_in_id'),
  object_type: text('object_type'),
  object_id: text('object_id'),
  changes: jsonb('changes').$type<readonly FieldChange[]>(),
  /** For whom a service identity acted. */
  on_behalf_of: text('on_behalf_of'),
  arrived_from: arrivedFrom(),
  ...chainColumns(),
})

export const auditsFtpLog = pgTable('audits_ftp_log', {
  id: id(),
  user: text('user').notNull(),
  remote_addr: text('remote_addr'),
  asset: text('asset').notNull(),
  system_user: text('system_user').notNull(),
  org_id: uuid('org_id').notNull(),
  operate: text('operate').notNull(),
  filename: text('filename').notNull(),
  is_success: boolean('is_success').notNull().default(true),
  date_start: dateTime('date_start').notNull().defaultNow(),
  /** The rest is null where nothing is known. */
  user_id: uuid('user_id'),
  asset_id: uuid('asset_id'),
  /** Where the file went through the terminal itself. */
  session_id: uuid('session_id'),
  sign_in_id: uuid('sign_in_id'),
  /** For whom a service identity moved it. */
  on_behalf_of: text('on_behalf_of'),
  arrived_from: arrivedFrom(),
  ...chainColumns(),
})

export const auditsPasswordChangeLog = pgTable('audits_password_change_log', {
  id: id(),
  user: text('user').notNull(),
  change_by: text('change_by').notNull(),
  remote_addr: text('remote_addr'),
  datetime: dateTime('datetime').notNull().defaultNow(),
  /** The rest is null of what the system does. */
  user_id: uuid('user_id'),
  change_by_id: uuid('change_by_id'),
  sign_in_id: uuid('sign_in_id'),
  /** For whom a service identity changed it. */
  on_behalf_of: text('on_behalf_of'),
  arrived_from: arrivedFrom(),
  /** Where the person belonged then; see readable-people.ts. */
  org_ids: uuid('org_ids').array().notNull().default([]),
  ...chainColumns(),
})

/**
 * Chained entries of rows that other domains keep, beside those rows; written by triggers of the
 * migration `audits_tables`.
 */
const entryColumns = () => ({
  id: id(),
  kind: text('kind').$type<EntryKind>().notNull(),
  row_id: uuid('row_id').notNull(),
  /** The row's content as JSON, or its SHA-256; of several commands a line each: id, Unix seconds, SHA-256. */
  body: text('body').notNull(),
  /** What retention goes by. */
  date: dateTime('date').notNull(),
  ...chainColumns(),
})
export type EntryKind =
  | 'session'
  | 'session_event'
  | 'session_sharing'
  | 'session_join'
  | 'forwarded'
  | 'command'
  | 'commands'
  | 'statement'
  | 'statements'
  | 'execution'
  | 'outcome'
  | 'ticket'
  | 'ticket_comment'
  | 'task_run'
  | 'task_outcome'
export const auditsSessionEntry = pgTable('audits_session_entry', entryColumns())
export const auditsCommandEntry = pgTable('audits_command_entry', entryColumns())
export const auditsExecutionEntry = pgTable('audits_execution_entry', entryColumns())
export const auditsTicketEntry = pgTable('audits_ticket_entry', entryColumns())
export const auditsRunEntry = pgTable('audits_run_entry', entryColumns())

/** Both ends of each log's chain. */
export const auditsChain = pgTable('audits_chain', {
  log: text('log').primaryKey(),
  ends_sealed: sealed('ends_sealed').notNull(),
})

/** Rows as they were stored, for another system; gone once they are delivered. */
export const auditsOutbox = pgTable('audits_outbox', {
  number: bigint('number', { mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
  target: text('target').$type<ForwardingTarget>().notNull(),
  category: text('category').$type<EventCategory>().notNull(),
  body: jsonb('body').notNull(),
  date_created: dateTime('date_created').notNull().defaultNow(),
})

/** Systems to which events can be forwarded, each with its state. */
export const auditsForwarding = pgTable('audits_forwarding', {
  target: text('target').$type<ForwardingTarget>().primaryKey(),
  is_on: boolean('is_on').notNull().default(false),
  sent: bigint('sent', { mode: 'number' }).notNull().default(0),
  dropped: bigint('dropped', { mode: 'number' }).notNull().default(0),
  date_sent: dateTime('date_sent'),
  date_failed: dateTime('date_failed'),
  error: text('error').notNull().default(''),
})

/** The state of the chains at the end of a day (roots.ts): JSON, and its signature in base64. */
export const auditsRoot = pgTable('audits_root', {
  number: bigint('number', { mode: 'number' }).primaryKey(),
  body: text('body').notNull(),
  signature: text('signature').notNull(),
  date_created: dateTime('date_created').notNull().defaultNow(),
})

/** The one key that they are signed with. */
export const auditsRootKey = pgTable('audits_root_key', {
  id: integer('id').primaryKey().default(1),
  /** PEM. */
  public_key: text('public_key').notNull(),
  private_key_sealed: sealed('private_key_sealed').notNull(),
})
