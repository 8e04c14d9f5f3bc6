import { inArray } from 'drizzle-orm'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { displaysById } from '../../../kernel/resource/related.ts'
import { opsCommandExecutionHost } from '../tables.ts'

type Host = Pick<StoredRow<typeof opsCommandExecutionHost>, 'commandexecution' | 'asset' | 'name'>

/** `hosts_display` of runs: their machines as they are called now; by the name of then where they are gone. */
export async function hostNames(rows: readonly { id: string }[], context: ReadContext) {
  const { commandexecution, asset, name } = opsCommandExecutionHost
  const ids = rows.map((row) => row.id)
  const hosts: Host[] = await context.db
    .select({ commandexecution, asset, name })
    .from(opsCommandExecutionHost)
    .where(inArray(commandexecution, ids))
    .orderBy(asset)
  const words = await namesNow(hosts, context)
  const byRun = Map.groupBy(words.keys(), (index) => hosts[index]?.commandexecution)
  return ids.map((run) => ({ hosts_display: (byRun.get(run) ?? []).map((index) => words[index]) }))
}

/** Machines as they are called now; by the name of then where they are gone. */
export async function namesNow(hosts: readonly Host[], { kernel, db }: ReadContext): Promise<string[]> {
  const target = resourcesOf(kernel).find('asset')
  const ids = [...new Set(hosts.map(({ asset }) => asset))]
  const now = target && ids.length ? (await displaysById(db, [{ target, ids }])).get('asset') : undefined
  return hosts.map(({ asset, name }) => now?.get(asset) ?? name)
}
