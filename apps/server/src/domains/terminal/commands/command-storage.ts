import { and, asc, eq, ne, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid, listConditions, readBoolean } from '../../../kernel/resource/conditions.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { terminalCommand, terminalCommandStorage } from '../tables.ts'

/** A storage of commands; undefined when there is none of that id. */
export async function findCommandStorage(
  db: Database,
  id: string,
): Promise<typeof terminalCommandStorage.$inferSelect | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.select().from(terminalCommandStorage).where(eq(terminalCommandStorage.id, id))
  return row
}

/**
 * GET command-storages/tree/: the storages, each with the number of its commands that match the
 * page's filters.
 */
export function registerCommandStorageTree(kernel: Kernel, commands: () => MountedResource): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/terminal/command-storages/tree/',
    config: { access: ['org_auditor'], summary: 'Command storage: tree with counts' },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const real = readBoolean(context.query.real) ? ne(terminalCommandStorage.name, 'null') : undefined
      const storages = await kernel.db
        .select()
        .from(terminalCommandStorage)
        .where(and(real))
        .orderBy(asc(terminalCommandStorage.name))
      const title = translate(request.call.language, 'Command storages')
      const root = { id: 'root', name: title, title, pId: '', isParent: true, open: true, valid: true }
      const counts = await Promise.all(
        storages.map(async ({ id }) => {
          const { where } = await listConditions(commands(), {
            ...context,
            query: { ...context.query, command_storage_id: id },
          })
          const [row] = await kernel.db.select({ count: sql<number>`count(*)::int` }).from(terminalCommand).where(where)
          return row?.count ?? 0
        }),
      )
      return [
        root,
        ...storages.map(({ id, name, type }, index) => {
          const text = `${name}(${type})(${counts[index]})`
          return { id, name: text, title: text, pId: 'root', isParent: false, open: false, valid: true }
        }),
      ]
    },
  })
}
