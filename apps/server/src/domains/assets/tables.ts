import type { SecretSourceKind } from '@sallyport/contract/resources/assets/secret-source.ts'
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import {
  createdBy,
  dateCreated,
  dateTime,
  dateUpdated,
  id,
  ltree,
  orgId,
  sealed,
} from '../../kernel/database/columns.ts'

/** Where a connection to an asset leads. */
export interface Destination {
  /** With its port: `ssh/22`. */
  protocol: string
  address: string
  /** Id of the network, whose gateways lead there. */
  domain: string | null
  /** `host:port` of the gateway on the way; null without one, and for SSH, which has host keys. */
  gateway: string | null
}

const pairId = () => bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()

export const assetsPlatform = pgTable('assets_platform', {
  id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
  name: text('name').notNull(),
  base: text('base').notNull().default('Linux'),
  charset: text('charset').notNull().default('utf8'),
  internal: boolean('internal').notNull().default(false),
  meta: jsonb('meta').$type<Record<string, unknown>>(),
  comment: text('comment'),
})

export const assetsNode = pgTable('assets_node', {
  id: id(),
  org_id: orgId(),
  /** `1:4:0`: the number of the root, then of the child at each level. */
  key: text('key').notNull(),
  parent_key: text('parent_key').notNull().default(''),
  /** The key as ltree; generated. */
  path: ltree('path').notNull().generatedAlwaysAs(sql`text2ltree(replace(key, ':', '.'))`),
  value: text('value').notNull().default(''),
  full_value: text('full_value').notNull().default(''),
  child_mark: integer('child_mark').notNull().default(0),
  date_create: dateTime('date_create').notNull().defaultNow(),
})

export const assetsDomain = pgTable('assets_domain', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  comment: text('comment').notNull().default(''),
  date_created: dateCreated(),
})

export const assetsGateway = pgTable('assets_gateway', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  domain: uuid('domain').notNull(),
  ip: text('ip').notNull(),
  port: integer('port').notNull().default(22),
  protocol: text('protocol').notNull().default('ssh'),
  username: text('username').notNull().default(''),
  password_sealed: sealed('password_sealed'),
  private_key_sealed: sealed('private_key_sealed'),
  public_key: text('public_key').notNull().default(''),
  is_active: boolean('is_active').notNull().default(true),
  unreachable_until: dateTime('unreachable_until'),
  silent_seconds: integer('silent_seconds').notNull().default(0),
  comment: text('comment'),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const assetsAsset = pgTable('assets_asset', {
  id: id(),
  org_id: orgId(),
  hostname: text('hostname').notNull(),
  ip: text('ip').notNull(),
  /** The platform's name, as on the wire. Renames follow by the foreign key. */
  platform: text('platform').notNull(),
  protocols: text('protocols').array().notNull().default(['ssh/22']),
  /** Port of the first protocol; generated. */
  port: integer('port').generatedAlwaysAs(sql`split_part(protocols[1], '/', 2)::integer`),
  is_active: boolean('is_active').notNull().default(true),
  public_ip: text('public_ip'),
  number: text('number'),
  comment: text('comment').notNull().default(''),
  vendor: text('vendor'),
  model: text('model'),
  sn: text('sn'),
  cpu_model: text('cpu_model'),
  cpu_count: integer('cpu_count'),
  cpu_cores: integer('cpu_cores'),
  cpu_vcpus: integer('cpu_vcpus'),
  memory: text('memory'),
  disk_total: text('disk_total'),
  disk_info: text('disk_info'),
  os: text('os'),
  os_version: text('os_version'),
  os_arch: text('os_arch'),
  hostname_raw: text('hostname_raw'),
  domain: uuid('domain'),
  admin_user: uuid('admin_user'),
  /** Where stored secrets may be sent; a trigger fills it for new rows (see destination.ts). */
  confirmed_destinations: jsonb('confirmed_destinations').$type<Destination[]>().notNull().default(sql`'[]'`),
  connectivity: text('connectivity').notNull().default('unknown'),
  date_verified: dateTime('date_verified'),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const assetsAssetNode = pgTable('assets_asset_node', {
  id: pairId(),
  asset_id: uuid('asset_id').notNull(),
  node_id: uuid('node_id').notNull(),
})

export const assetsLabel = pgTable('assets_label', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  value: text('value').notNull(),
  category: text('category').notNull().default('U'),
  is_active: boolean('is_active').notNull().default(true),
  comment: text('comment'),
  date_created: dateCreated(),
})

export const assetsLabelAsset = pgTable('assets_label_asset', {
  id: pairId(),
  label_id: uuid('label_id').notNull(),
  asset_id: uuid('asset_id').notNull(),
})

export const assetsFavoriteAsset = pgTable('assets_favorite_asset', {
  id: id(),
  user_id: uuid('user_id').notNull(),
  asset: uuid('asset').notNull(),
  date_created: dateCreated(),
})

/** Host keys that assets and gateways have shown. */
export const assetsHostKey = pgTable('assets_host_key', {
  id: id(),
  org_id: orgId(),
  asset: uuid('asset'),
  gateway: uuid('gateway'),
  host: text('host').notNull(),
  port: integer('port').notNull(),
  key_type: text('key_type').notNull(),
  /** base64 of the key in wire format. */
  public_key: text('public_key').notNull(),
  /** `SHA256:…` as ssh-keygen writes it. */
  fingerprint: text('fingerprint').notNull(),
  state: text('state').$type<'pinned' | 'refused'>().notNull(),
  /** Shown where nobody had confirmed the asset or gateway to be. */
  is_moved: boolean('is_moved').notNull().default(false),
  accepted_by: text('accepted_by'),
  date_accepted: dateTime('date_accepted'),
  date_first_seen: dateTime('date_first_seen').notNull().defaultNow(),
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
})

/** Public keys of TLS servers that targets lead to. */
export const assetsServerKey = pgTable('assets_server_key', {
  id: id(),
  org_id: orgId(),
  target: uuid('target').notNull(),
  host: text('host').notNull(),
  port: integer('port').notNull(),
  /** `SHA256:…` of the public key. */
  fingerprint: text('fingerprint').notNull(),
  state: text('state').$type<'pinned' | 'refused'>().notNull(),
  accepted_by: text('accepted_by'),
  date_accepted: dateTime('date_accepted'),
  date_first_seen: dateTime('date_first_seen').notNull().defaultNow(),
  date_last_seen: dateTime('date_last_seen').notNull().defaultNow(),
})

export const assetsSshAuthority = pgTable('assets_ssh_authority', {
  id: id(),
  org_id: orgId(),
  version: integer('version').notNull(),
  public_key: text('public_key').notNull().default(''),
  private_key_sealed: sealed('private_key_sealed'),
  source_addresses: text('source_addresses').array().notNull().default([]),
  date_retired: dateTime('date_retired'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/** The authority whose certificate a machine took last. */
export const assetsSshTrust = pgTable('assets_ssh_trust', {
  asset: uuid('asset').primaryKey(),
  authority: uuid('authority').notNull(),
  date_seen: dateTime('date_seen').notNull().default(sql`now()`),
})

/** Stores of secrets outside (docs/secret-sources.md). */
export const assetsSecretSource = pgTable('assets_secret_source', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  kind: text('kind').$type<SecretSourceKind>().notNull().default('vault'),
  address: text('address').notNull(),
  namespace: text('namespace').notNull().default(''),
  engine: text('engine').notNull().default('secret'),
  authentication: text('authentication').$type<'token' | 'approle'>().notNull().default('token'),
  token_sealed: sealed('token_sealed'),
  role_id: text('role_id').notNull().default(''),
  secret_id_sealed: sealed('secret_id_sealed'),
  ca_certificate: text('ca_certificate').notNull().default(''),
  timeout: integer('timeout').notNull().default(5),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

/** Keys that vouch for the host keys of machines. */
export const assetsHostAuthority = pgTable('assets_host_authority', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  public_key: text('public_key').notNull(),
  domain: uuid('domain'),
  is_active: boolean('is_active').notNull().default(true),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})
