/**
 * Where recordings can be stored (docs/rules/terminal.md#meta_by_type, A3.23). Forms,
 * validation and metadata come from this table; a type stands nowhere else.
 */
import type { Fields } from '../../define.ts'

const text = <const L extends string>(label: L) => ({ type: 'string', label, required: true, maxLength: 1024 }) as const
const secret = <const L extends string>(label: L) =>
  ({ type: 'string', label, nullable: true, maxLength: 1024, writeOnly: true }) as const

/** A bucket with its keys, as all stores have it that speak as S3 does. */
const bucket = {
  // A part of an address: nothing in it may end the host or begin a path.
  BUCKET: { ...text('Bucket'), helpText: 'Name of the bucket, which exists already', pattern: '^[A-Za-z0-9._-]+$' },
  ACCESS_KEY: { ...secret('Access key'), helpText: 'Key of an account that may read and write this bucket' },
  SECRET_KEY: secret('Secret key'),
  ENDPOINT: text('Endpoint'),
} as const

/** By type: its name, and the fields of `meta`. The first two are there from the start. */
export const REPLAY_STORAGE_TYPES = {
  null: { label: 'Null', meta: {} },
  server: { label: 'Server', meta: {} },
  s3: { label: 'S3', meta: bucket },
  ceph: { label: 'Ceph', meta: bucket },
  swift: {
    label: 'Swift',
    meta: {
      ...bucket,
      REGION: { ...text('Region'), helpText: 'Such as RegionOne' },
      PROTOCOL: {
        type: 'choice',
        label: 'Protocol',
        choices: { http: 'http', https: 'https' },
        default: 'http',
        nullable: true,
      },
    },
  },
  oss: { label: 'OSS', meta: bucket },
  azure: {
    label: 'Azure',
    meta: {
      CONTAINER_NAME: { ...text('Container name'), helpText: 'It exists already', pattern: '^[$a-z0-9-]+$' },
      ACCOUNT_NAME: { ...text('Account name'), helpText: 'Name of the storage account', pattern: '^[a-z0-9]+$' },
      ACCOUNT_KEY: { ...secret('Account key'), required: true },
      ENDPOINT_SUFFIX: {
        type: 'choice',
        label: 'Endpoint suffix',
        helpText: 'core.chinacloudapi.cn is Azure in China, core.windows.net everywhere else',
        choices: { 'core.chinacloudapi.cn': 'core.chinacloudapi.cn', 'core.windows.net': 'core.windows.net' },
        default: 'core.chinacloudapi.cn',
        nullable: true,
      },
    },
  },
  obs: { label: 'OBS', meta: bucket },
} as const satisfies Record<string, { label: string; meta: Fields }>
export type ReplayStorageType = keyof typeof REPLAY_STORAGE_TYPES

type Meta = { readonly [T in ReplayStorageType]: (typeof REPLAY_STORAGE_TYPES)[T]['meta'] }
type Labels = { readonly [T in ReplayStorageType]: (typeof REPLAY_STORAGE_TYPES)[T]['label'] }

const table = Object.entries(REPLAY_STORAGE_TYPES)
export const REPLAY_STORAGE_META = Object.fromEntries(table.map(([type, { meta }]) => [type, meta])) as Meta
export const REPLAY_STORAGE_LABELS = Object.fromEntries(table.map(([type, { label }]) => [type, label])) as Labels
