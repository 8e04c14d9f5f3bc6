import { join } from 'node:path'
import type { Fields } from '@sallyport/contract/define.ts'
import {
  REPLAY_STORAGE_META,
  type ReplayStorageType,
} from '@sallyport/contract/resources/terminal/replay-storage-types.ts'
import { and, eq } from 'drizzle-orm'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { openMeta } from '../../open-meta.ts'
import { terminalReplayStorage, terminalTerminal } from '../../tables.ts'
import { AzureContainer } from '../store/azure-container.ts'
import { type Bucket, createBucketStore } from '../store/bucket-store.ts'
import type { RecordingStore } from '../store/recording-store.ts'
import { S3Bucket } from '../store/s3-bucket.ts'
import { s3PlaceOf } from './s3-place.ts'

export type StoredStorage = typeof terminalReplayStorage.$inferSelect
export type StorageKernel = Pick<Kernel, 'db' | 'config' | 'secrets'>

/** Whether recordings leave the server for it. */
export const isOutside = ({ type }: Pick<StoredStorage, 'type'>) => type !== 'server' && type !== 'null'

/** The files of a storage outside. Throws for a place that is none. */
export function bucketOf({ secrets }: Pick<StorageKernel, 'secrets'>, row: StoredStorage): Bucket {
  const meta = openMeta(metaFields(row), row.meta, secrets.open('storage', `replay storage ${row.name}`))
  const type = row.type as Exclude<ReplayStorageType, 'null' | 'server'>
  const text = (name: string) => String(meta[name] ?? '')
  if (type === 'azure')
    return new AzureContainer({
      endpoint: `https://${text('ACCOUNT_NAME')}.blob.${text('ENDPOINT_SUFFIX') || 'core.chinacloudapi.cn'}`,
      account: text('ACCOUNT_NAME'),
      key: text('ACCOUNT_KEY'),
      container: text('CONTAINER_NAME'),
    })
  return new S3Bucket(s3PlaceOf(type, meta, { accessKey: text('ACCESS_KEY'), secretKey: text('SECRET_KEY') }))
}

/** The fields that a storage of its type has. */
export const metaFields = ({ type }: Pick<StoredStorage, 'type'>): Fields =>
  REPLAY_STORAGE_META[type as ReplayStorageType] ?? {}

interface Known {
  /** The stored form when it was opened: after a change of it, it is opened again. */
  as: string
  store: RecordingStore
}
const known = new WeakMap<Kernel['config'], Map<string, Known>>()

/**
 * The store of recordings behind a storage: one for each, as it holds connections and copies.
 * Undefined when it is not outside.
 */
export function storeOf(kernel: StorageKernel, row: StoredStorage): RecordingStore | undefined {
  if (!isOutside(row)) return undefined
  const { config } = kernel
  const stores = known.get(config) ?? new Map<string, Known>()
  known.set(config, stores)
  const as = JSON.stringify([row.type, row.meta])
  const found = stores.get(row.id)
  if (found?.as === as) return found.store
  const store = createBucketStore({
    bucket: bucketOf(kernel, row),
    drafts: join(config.dataDirectory, 'storage-drafts', row.id),
    copies: join(config.dataDirectory, 'storage-copies', row.id),
  })
  stores.set(row.id, { as, store })
  return store
}

/** The same by the storage's id. */
export async function outsideStore(kernel: StorageKernel, id: string): Promise<RecordingStore | undefined> {
  const [row] = await kernel.db.select().from(terminalReplayStorage).where(eq(terminalReplayStorage.id, id))
  return row && storeOf(kernel, row)
}

/** Every store outside. */
export async function outsideStores(kernel: StorageKernel): Promise<RecordingStore[]> {
  const rows = await kernel.db.select().from(terminalReplayStorage)
  return rows.flatMap((row) => storeOf(kernel, row) ?? [])
}

/**
 * The storage that a terminal's recordings are for; undefined for another party's terminal, which
 * stores by itself, and where the name is nobody's any more
 * (docs/rules/terminal.md#terminal_config).
 */
export async function storageOfTerminal(
  { db }: Pick<StorageKernel, 'db'>,
  terminalId: string,
): Promise<StoredStorage | undefined> {
  const [row] = await db
    .select({ storage: terminalReplayStorage })
    .from(terminalTerminal)
    .innerJoin(terminalReplayStorage, eq(terminalReplayStorage.name, terminalTerminal.replay_storage))
    .where(and(eq(terminalTerminal.id, terminalId), terminalTerminal.is_builtin))
  return row?.storage
}
