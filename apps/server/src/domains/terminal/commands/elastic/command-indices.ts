import { ELASTICSEARCH_META } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { eq } from 'drizzle-orm'
import { inBackground } from '../../../../kernel/background.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { openMeta } from '../../open-meta.ts'
import { terminalCommandStorage } from '../../tables.ts'
import { CommandIndex, type IndexPlace } from './command-index.ts'

export type StoredCommandStorage = typeof terminalCommandStorage.$inferSelect
type StorageKernel = Pick<Kernel, 'db' | 'secrets' | 'config'>

/** Whether commands leave the server for it. */
export const isOutside = ({ type }: Pick<StoredCommandStorage, 'type'>) => type === 'es'

/** The type of documents where a cluster has types (docs/rules/terminal.md#command). */
export const DOC_TYPE = 'command'

/** Where a storage is, with its password in clear. */
export function placeOf(meta: Readonly<Record<string, unknown>>): IndexPlace {
  const { HOSTS, INDEX, DOC_TYPE: type, IGNORE_VERIFY_CERTS, USERNAME, PASSWORD, INDEX_BY_DATE } = meta
  return {
    hosts: Array.isArray(HOSTS) ? HOSTS.map(String) : [],
    index: String(INDEX || ELASTICSEARCH_META.INDEX.default),
    type: type && type !== '_doc' ? String(type) : DOC_TYPE,
    byDate: INDEX_BY_DATE === true,
    ignoreCertificate: IGNORE_VERIFY_CERTS === true,
    ...(USERNAME ? { username: String(USERNAME), password: String(PASSWORD ?? '') } : {}),
  }
}

/** The place of a stored storage, opened. */
export const openPlace = ({ secrets }: Pick<StorageKernel, 'secrets'>, { name, meta }: StoredCommandStorage) =>
  openMeta(ELASTICSEARCH_META, meta, secrets.open('storage', `command storage ${name}`))

const known = new WeakMap<Kernel['config'], Map<string, { as: string; index: CommandIndex }>>()

/** The index behind a storage: one for each, as it holds connections. Undefined when it is not outside. */
export function commandIndexOf(kernel: StorageKernel, row: StoredCommandStorage): CommandIndex | undefined {
  if (!isOutside(row)) return undefined
  const indices = known.get(kernel.config) ?? new Map<string, { as: string; index: CommandIndex }>()
  known.set(kernel.config, indices)
  const as = JSON.stringify(row.meta)
  const found = indices.get(row.id)
  if (found?.as === as) return found.index
  inBackground(found?.index.close())
  const index = new CommandIndex(placeOf(openPlace(kernel, row)))
  indices.set(row.id, { as, index })
  return index
}

/** Every index outside. */
export async function commandIndices(kernel: StorageKernel): Promise<CommandIndex[]> {
  const rows = await kernel.db.select().from(terminalCommandStorage).where(eq(terminalCommandStorage.type, 'es'))
  return rows.flatMap((row) => commandIndexOf(kernel, row) ?? [])
}
