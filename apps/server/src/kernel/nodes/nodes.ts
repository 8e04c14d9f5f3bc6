import { hostname } from 'node:os'
import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { lockUntilCommit } from '../database/locks.ts'
import { StartRefusal } from '../start-refusal.ts'
import { answersAtLink } from './answers-at-link.ts'
import { nodeId } from './node-id.ts'
import { kernelNode } from './tables.ts'

/** How often a node reports that it is alive, and how long after that it counts as running. */
const BEAT_MS = 10_000
const SILENCE_SECONDS = 30
/** How long a starting node waits for an answer from the holder of its identity or name. */
const ANSWER_MS = 2_000
/** Rows of nodes that have ended are deleted after this, by the next node that starts. */
const KEEP_DAYS = 30

export type Node = typeof kernelNode.$inferSelect

/** Where a node listens for others, and how they recognize it. */
export interface NodeEndpoint {
  address: string
  port: number
  /** PEM. */
  certificate: string
}

/** The nodes of this installation, read from the database at each call. */
export interface Nodes {
  readonly id: string
  /** For people; no other running node has the name. */
  readonly name: string
  /** The nodes, including this one, whose sessions have these terminals; unknown ones are left out. */
  ofTerminals(terminals: readonly string[]): Promise<Node[]>
  /** All running nodes, including this one. */
  running(): Promise<Node[]>
  /** Whether this certificate (PEM) belongs to a node. */
  isKnown(certificate: string): Promise<boolean>
  /** Records that this node carries sessions under that terminal. */
  carries(terminal: string): Promise<void>
  /** Records that this node can be reached from now on. */
  listensAt(endpoint: NodeEndpoint): Promise<void>
  /** Records that this node has ended. */
  close(): Promise<void>
}

/**
 * Registers this node and keeps reporting that it is alive. Throws StartRefusal when another process
 * with the identity in this data directory is running on the same database.
 */
export async function openNodes(
  db: Database,
  config: Pick<Config, 'dataDirectory' | 'databaseUrl' | 'nodeName' | 'roles'>,
  log: FastifyBaseLogger,
): Promise<Nodes> {
  const id = nodeId(config.dataDirectory)
  const wanted = config.nodeName ?? hostname()
  // With a database in the data directory, a copy is an installation of its own: what its rows say of
  // this node is about the original.
  if (config.databaseUrl) await refuseCopy(db, id, config.dataDirectory)
  const inUse = await namesOfSilent(db, id, wanted)
  const name = await enter(db, { id, wanted, roles: [...config.roles] }, inUse)
  const own = eq(kernelNode.id, id)
  let known: Partial<typeof kernelNode.$inferInsert> = {}
  const say = async (more: typeof known) => {
    known = { ...known, ...more }
    const living = { ...known, is_running: true, date_seen: sql`now()` }
    // Inserted again if it was deleted meanwhile, as while the machine was suspended.
    await db
      .insert(kernelNode)
      .values({ id, name, roles: [...config.roles], ...living })
      .onConflictDoUpdate({ target: kernelNode.id, set: living })
  }
  const timer = setInterval(
    () => void say({}).catch((error) => log.error({ err: error }, 'this node could not say that it lives')),
    BEAT_MS,
  )
  return {
    id,
    name,
    ofTerminals: async (terminals) =>
      terminals.length
        ? db
            .select()
            .from(kernelNode)
            .where(inArray(kernelNode.terminal, [...terminals]))
        : [],
    running: () => runningNodes(db),
    async isKnown(certificate) {
      const found = await db
        .select({ id: kernelNode.id })
        .from(kernelNode)
        .where(eq(kernelNode.certificate, certificate))
      return found.length > 0
    },
    carries: (terminal) => say({ terminal }),
    listensAt: (endpoint) => say({ ...endpoint }),
    async close() {
      clearInterval(timer)
      // If the database is gone already, silence will tell.
      await db
        .update(kernelNode)
        .set({ is_running: false })
        .where(own)
        .catch(() => {})
    },
  }
}

/** All running nodes, by what they last said. */
export const runningNodes = (db: Database): Promise<Node[]> => db.select().from(kernelNode).where(isRunning)

const isRunning = sql`${kernelNode.is_running} AND ${kernelNode.date_seen} > now() - make_interval(secs => ${SILENCE_SECONDS})`

/**
 * Throws when the node of this identity is running: the data directory is a copy of that node's,
 * with recordings that are still being written. A killed process does not answer any more.
 */
async function refuseCopy(db: Database, id: string, dataDirectory: string): Promise<void> {
  const [before] = await db.select().from(kernelNode).where(eq(kernelNode.id, id))
  if (!before?.is_running || !(await answersAtLink(before, ANSWER_MS))) return
  const { name, address, port } = before
  throw new StartRefusal(
    `The node of the data directory ${dataDirectory} already runs: ${name}, which answers at ${address}:${port}. ` +
      'For another node of this installation, name a directory in SALLYPORT_DATA_DIR that holds secret.key at most; ' +
      'for a copy of the whole installation, its database included, see docs/scaling.md.',
  )
}

/** Names, like the wanted one, of nodes that are running but cut off from the database. */
async function namesOfSilent(db: Database, id: string, wanted: string): Promise<string[]> {
  const others = await db
    .select()
    .from(kernelNode)
    .where(and(ne(kernelNode.id, id), eq(kernelNode.is_running, true), sql`NOT (${isRunning})`))
  const alike = others.filter(({ name }) => isNumbered(name, wanted))
  const answers = await Promise.all(alike.map((node) => answersAtLink(node, ANSWER_MS)))
  return alike.flatMap(({ name }, n) => (answers[n] ? name : []))
}

/** Whether it is that name, or one of `<wanted>-2`, `<wanted>-3`, … */
function isNumbered(name: string, wanted: string): boolean {
  return name.startsWith(wanted) && /^(-\d+)?$/.test(name.slice(wanted.length))
}

/**
 * Registers the node and answers its name: the one it had, else the wanted one, else the first of
 * `<wanted>-2`, `<wanted>-3`, … that is neither a running node's nor in `inUse`. An ended node of that
 * name is deleted, and those that ended long ago.
 */
function enter(
  db: Database,
  { id, wanted, roles }: Pick<Node, 'id' | 'roles'> & { wanted: string },
  inUse: readonly string[],
): Promise<string> {
  return db.transaction(async (tx) => {
    await lockUntilCommit(tx, 'kernel_node')
    const [before] = await tx.select().from(kernelNode).where(eq(kernelNode.id, id))
    const others = await tx
      .select()
      .from(kernelNode)
      .where(and(ne(kernelNode.id, id), isRunning))
    const taken = new Set([...others.map((other) => other.name), ...inUse])
    const numbered = [wanted, ...Array.from(taken, (_, n) => `${wanted}-${n + 2}`)]
    const names = before && isNumbered(before.name, wanted) ? [before.name, ...numbered] : numbered
    const name = names.find((one) => !taken.has(one))
    if (name === undefined) throw new Error('no name is left for this node')
    const isOld = sql`${kernelNode.date_seen} < now() - make_interval(days => ${KEEP_DAYS})`
    await tx.delete(kernelNode).where(and(ne(kernelNode.id, id), or(eq(kernelNode.name, name), isOld)))
    const now = { name, roles, is_running: true, address: null, port: null, certificate: null, date_seen: sql`now()` }
    await tx
      .insert(kernelNode)
      .values({ id, ...now })
      .onConflictDoUpdate({ target: kernelNode.id, set: now })
    return name
  })
}
