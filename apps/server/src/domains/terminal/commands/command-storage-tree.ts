import { asc, desc, ne } from 'drizzle-orm'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readBoolean } from '../../../kernel/resource/conditions.ts'
import { TREE_ROWS } from '../../../kernel/resource/lists/tree-rows.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { sameQuery, unwatched } from '../../../kernel/watched-query.ts'
import { terminalCommandStorage } from '../tables.ts'
import { wantedBy } from './command-source.ts'
import { ClusterError } from './elastic/cluster.ts'
import { commandIndexOf, type StoredCommandStorage } from './elastic/command-indices.ts'
import { countStored, MOST_COUNTED } from './stored-commands.ts'

/**
 * GET command-storages/tree/: the storages, each with the number of its commands that match the
 * page's filters; one that does not answer is marked (docs/rules/terminal.md#command).
 */
export function registerCommandStorageTree(kernel: Kernel, commands: () => MountedResource): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/terminal/command-storages/tree/',
    config: { access: ['org_auditor'], summary: 'Command storage: tree with counts', rows: TREE_ROWS, answers: 'rows' },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const storages = await kernel.db
        .select()
        .from(terminalCommandStorage)
        .where(readBoolean(context.query.real) ? ne(terminalCommandStorage.name, 'null') : undefined)
        .orderBy(desc(terminalCommandStorage.is_default), asc(terminalCommandStorage.name))
      const title = translate(request.call.language, 'Command storages')
      const root = { id: 'root', name: title, title, pId: '', isParent: true, open: true, valid: true }
      const counts = await Promise.all(storages.map((storage) => countIn(commands(), context, storage)))
      return [
        root,
        ...storages.map(({ id, name, type }, index) => {
          const count = counts[index]
          const text =
            count === undefined
              ? `${name}(${type}) *Invalid`
              : `${name}(${type})(${count}${count >= MOST_COUNTED ? '+' : ''})`
          const valid = count !== undefined
          return { id, name: text, title: text, pId: 'root', isParent: false, open: false, valid }
        }),
      ]
    },
  })
}

/** Without the limit of what a search reaches; undefined where the storage does not answer. */
async function countIn(
  commands: MountedResource,
  context: ReadContext,
  storage: StoredCommandStorage,
): Promise<number | undefined> {
  const { kernel, query } = context
  const asked = { ...(unwatched(query) as Record<string, string>), command_storage_id: storage.id }
  const here = await countStored(commands, { ...context, query: sameQuery(query, asked) })
  const index = commandIndexOf(kernel, storage)
  if (!index) return here
  try {
    return index.isResting ? undefined : here + (await index.count(await wantedBy(context)))
  } catch (error) {
    if (error instanceof ClusterError) return undefined
    throw error
  }
}
