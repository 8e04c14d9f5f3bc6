import type { CloudProvider } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../kernel/database/columns.ts'
import { periodicColumns } from '../../kernel/jobs/row-schedules.ts'
import type { CloudFault } from './providers/cloud-error.ts'

/** An account of Sallyport at a cloud. */
export const cloudAccount = pgTable('cloud_account', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  provider: text('provider').$type<CloudProvider>().notNull(),
  attrs: jsonb('attrs').$type<Record<string, unknown>>().notNull().default({}),
  validity: boolean('validity').notNull().default(false),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** Which machines of an account become assets, where and how. */
export const cloudSyncTask = pgTable('cloud_sync_task', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  account: uuid('account').notNull(),
  regions: text('regions').array().notNull(),
  hostname_strategy: text('hostname_strategy')
    .$type<'instance_name' | 'instance_name_partial_ip'>()
    .notNull()
    .default('instance_name_partial_ip'),
  /** Null once that node is gone: a run then says so. */
  node: uuid('node'),
  unix_admin_user: uuid('unix_admin_user'),
  windows_admin_user: uuid('windows_admin_user'),
  protocols: text('protocols').array().notNull().default([]),
  ip_network_segment_group: text('ip_network_segment_group').array().notNull().default(['*']),
  is_always_update: boolean('is_always_update').notNull().default(false),
  ...periodicColumns(),
  date_last_sync: dateTime('date_last_sync'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

/** The data read of one region. */
export interface ReadRegion {
  id: string
  instances: number
  /** Why it could not be read: a fault, and the cloud's code. */
  fault?: RunFault
  answer?: string
}

/** Why a run failed: a cloud's fault, or there is no node to put assets into, or it was not carried to its end. */
export type RunFault = CloudFault | 'no_node' | 'stopped'

/** One run of a task; its id is that of its background task. */
export const cloudSyncRun = pgTable('cloud_sync_run', {
  id: uuid('id').primaryKey(),
  org_id: orgId(),
  task: uuid('task').notNull(),
  /** 0 failed, 1 succeeded; null while it runs. */
  status: integer('status'),
  fault: text('fault').$type<RunFault>(),
  new_count: integer('new_count').notNull().default(0),
  unsync_count: integer('unsync_count').notNull().default(0),
  sync_count: integer('sync_count').notNull().default(0),
  released_count: integer('released_count').notNull().default(0),
  result: jsonb('result').$type<{ regions: ReadRegion[] }>(),
  date_sync: dateTime('date_sync').notNull().defaultNow(),
})

/**
 * The state of a machine for a task. Rows of several tasks about the same machine name the same
 * asset.
 */
export const cloudInstance = pgTable('cloud_instance', {
  id: id(),
  org_id: orgId(),
  task: uuid('task').notNull(),
  /** The cloud of these ids: the provider, and its address if it is private. */
  cloud: text('cloud').notNull(),
  instance_id: text('instance_id').notNull(),
  asset: uuid('asset'),
  /** The task keeps the asset up to date: one of those that see the machine. */
  leads: boolean('leads').notNull().default(false),
  region: text('region').notNull(),
  /** As `SYNC_STATES` of the contract counts them. */
  status: integer('status').notNull(),
  reason: text('reason').$type<UnsyncedReason>().notNull().default(''),
  /** The last run that saw it. */
  run: uuid('run'),
  date_sync: dateTime('date_sync').notNull().defaultNow(),
})

/** Why a machine has no asset. */
export type UnsyncedReason = '' | 'no_address' | 'name_taken' | 'refused'
