import { commandStorage } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { eq, inArray, ne, sql } from 'drizzle-orm'
import { isPreviewing } from '../../../kernel/database/previewing.ts'
import { AppError, invalid, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readableBoolean } from '../../../kernel/resource/conditions.ts'
import type { DeleteContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { ClusterError } from '../commands/elastic/cluster.ts'
import { CommandIndex } from '../commands/elastic/command-index.ts'
import { isOutside, openPlace, placeOf } from '../commands/elastic/command-indices.ts'
import { terminalCommand, terminalCommandStorage, terminalTerminal } from '../tables.ts'
import { askKeysAgain, keepType, oneDefault, readType, refuseBuiltIn } from './storage-rules.ts'

type Writing = WriteContext<typeof commandStorage, typeof terminalCommandStorage>
type Deleting = DeleteContext<typeof terminalCommandStorage>

/** For all hosts of a cluster together. */
const MAKE_MS = 15_000

/** Where commands are stored (docs/rules/terminal.md#command_storage). */
export default function mountCommandStorage(kernel: Kernel): void {
  mountResource(kernel, commandStorage, {
    table: terminalCommandStorage,
    filters: {
      real: (value) => (readableBoolean('real', value) ? ne(terminalCommandStorage.name, 'null') : undefined),
    },
    computed: [
      {
        fields: ['waiting'],
        load: async (rows, { db }) => {
          const waiting = await db
            .select({ due: terminalCommand.due, count: sql<number>`count(*)::int` })
            .from(terminalCommand)
            .where(sql`${terminalCommand.due} = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])`)
            .groupBy(terminalCommand.due)
          const counts = new Map(waiting.map(({ due, count }) => [due, count]))
          return rows.map(({ id }) => ({ waiting: counts.get(id) ?? 0 }))
        },
      },
    ],
    rules: {
      beforeWrite: [keepType, readType, readHosts, askKeysAgain, oneDefault(terminalCommandStorage), makeIndex],
      beforeDelete: [refuseBuiltIn, refuseInUse],
    },
  })
}

/**
 * docs/rules/terminal.md#command_storage: http or https, a host and a port that is said. A name and
 * password, which other clients write into an address, go to their own fields, where the password
 * cannot be read.
 */
function readHosts({ draft }: Writing): void {
  const meta = draft.meta as Record<string, unknown> | undefined
  if (!meta || !Array.isArray(meta.HOSTS)) return
  meta.HOSTS = meta.HOSTS.map((text: string) => {
    if (!URL.canParse(text)) throw wrongHost()
    const { protocol, username, password, hostname, pathname, search, hash, host } = new URL(text)
    const saysPort = /^https?:\/\/(?:[^/@]*@)?(?:\[[^\]]+\]|[^/:@]+):\d+(\/|$)/i.test(text)
    if (!saysPort || !/^https?:$/.test(protocol) || !hostname || search || hash) throw wrongHost()
    if (username) {
      meta.USERNAME = decodeURIComponent(username)
      meta.PASSWORD = decodeURIComponent(password)
    }
    // The port is kept where it is the scheme's own, too.
    const port = /:(\d+)$/.exec(host) ? '' : protocol === 'https:' ? ':443' : ':80'
    return `${protocol}//${host}${port}${pathname.replace(/\/+$/, '')}`
  })
}

const wrongHost = () =>
  invalid({ 'meta.HOSTS': 'Each host is an address with its port, such as https://10.0.0.9:9200' })

/**
 * docs/rules/terminal.md#command_storage: what cannot be reached is not kept, and its index is
 * made. The call waits for a few seconds at most.
 */
async function makeIndex({ draft, row, kernel, call }: Writing): Promise<void> {
  const type = draft.type ?? row?.type
  const meta = draft.meta as Record<string, unknown> | undefined
  if (!isOutside({ type: String(type) }) || !meta) return
  // A trial reaches nothing outside.
  if (isPreviewing()) {
    meta.DOC_TYPE ??= row?.meta.DOC_TYPE
    return
  }
  const kept = row && !Object.hasOwn(meta, 'PASSWORD') ? openPlace(kernel, row) : {}
  const index = new CommandIndex(placeOf({ ...kept, ...meta }))
  try {
    meta.DOC_TYPE = await inTime(index.prepare(), MAKE_MS, () => new ClusterError('away', 'no answer'))
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    kernel.app.log.info({ err: error, caller: call.user?.id }, 'a command storage was not stored')
    const words = translate(call.language, 'Elasticsearch cannot be used: {{answer}}', { answer: error.message })
    throw new AppError(400, 'invalid_elasticsearch', words, { cause: error })
  } finally {
    await index.close()
  }
}

async function refuseInUse({ rows, db }: Deleting): Promise<void> {
  const names = rows.map(({ name }) => name)
  const [terminal] = await db
    .select({ one: sql`1` })
    .from(terminalTerminal)
    .where(inArray(terminalTerminal.command_storage, names))
    .limit(1)
  if (terminal) throw refused('in_use', 'A terminal uses this storage: choose another for it first')
  for (const { id } of rows) {
    const [waiting] = await db.select({ one: sql`1` }).from(terminalCommand).where(eq(terminalCommand.due, id)).limit(1)
    if (waiting) throw refused('in_use', 'Commands wait for this storage: it can be deleted once it has them')
  }
}
