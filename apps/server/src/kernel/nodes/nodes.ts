import { hostname } from 'node:os'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { lockUntilCommit } from '../database/locks.ts'
import { nodeId } from './node-id.ts'
import { kernelNode } from './tables.ts'

/** A node says so often that it lives, and counts as running for so long after it said so. */
const BEAT_MS = 10_000
const SILENCE_SECONDS = 45
/** What a node that ended left behind is forgotten after so many days without it. */
const KEEP_DAYS = 30

export type Node = typeof kernelNode.$inferSelect

/** Where a node listens for the others, and what they know it by. */
export interface NodeEndpoint {
  address: string
  port: number
  /** PEM. */
  certificate: string
}

/** The nodes of this installation, as the database knows them: asked for afresh each time. */
export interface Nodes {
  readonly id: string
  /** What people call this node; no other running node has the name. */
  readonly name: string
  /** The nodes whose sessions have these terminals, this one among them; not those nobody knows. */
  ofTerminals(terminals: readonly string[]): Promise<Node[]>
  /** All that run, this one among them. */
  running(): Promise<Node[]>
  /** Whether this certificate (PEM) is that of a node. */
  isKnown(certificate: string): Promise<boolean>
  /** This node carries sessions under that terminal. */
  carries(terminal: string): Promise<void>
  /** This node can be reached from now on. */
  listensAt(endpoint: NodeEndpoint): Promise<void>
  /** Says that this node has ended. */
  close(): Promise<void>
}

/** Enters this node, and keeps saying that it lives. */
export async function openNodes(
  db: Database,
  config: Pick<Config, 'dataDirectory' | 'nodeName' | 'roles'>,
  log: FastifyBaseLogger,
): Promise<Nodes> {
  const id = nodeId(config.dataDirectory)
  const wanted = config.nodeName ?? hostname()
  const name = await enter(db, { id, wanted, roles: [...config.roles] })
  const own = eq(kernelNode.id, id)
  let known: Partial<typeof kernelNode.$inferInsert> = {}
  const say = async (more: typeof known) => {
    known = { ...known, ...more }
    const living = { ...known, is_running: true, date_seen: sql`now()` }
    // Inserted again when it was forgotten, as after a night of being suspended.
    await db
      .insert(kernelNode)
      .values({ id, name, roles: [...config.roles], ...living })
      .onConflictDoUpdate({ target: kernelNode.id, set: living })
  }
  const beat = async () => {
    await say({})
    await db.delete(kernelNode).where(sql`${kernelNode.date_seen} < now() - make_interval(days => ${KEEP_DAYS})`)
  }
  const timer = setInterval(
    () => void beat().catch((error) => log.error({ err: error }, 'this node could not say that it lives')),
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
    running: () => db.select().from(kernelNode).where(isRunning),
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
      // A database that went first knows it by the silence.
      await db
        .update(kernelNode)
        .set({ is_running: false })
        .where(own)
        .catch(() => {})
    },
  }
}

const isRunning = sql`${kernelNode.is_running} AND ${kernelNode.date_seen} > now() - make_interval(secs => ${SILENCE_SECONDS})`

/**
 * Answers the name that this node has now: the one it had, else the wanted one, or the first of
 * `<wanted>-2`, `<wanted>-3`, … that no running node has. Who had it and ended is forgotten.
 */
function enter(db: Database, { id, wanted, roles }: Pick<Node, 'id' | 'roles'> & { wanted: string }): Promise<string> {
  return db.transaction(async (tx) => {
    await lockUntilCommit(tx, 'kernel_node')
    const [before] = await tx.select().from(kernelNode).where(eq(kernelNode.id, id))
    const others = await tx
      .select()
      .from(kernelNode)
      .where(and(ne(kernelNode.id, id), isRunning))
    const taken = new Set(others.map((other) => other.name))
    const numbered = [wanted, ...others.map((_, n) => `${wanted}-${n + 2}`)]
    const hadOneOfThem = before?.name.startsWith(wanted) && /^(-\d+)?$/.test(before.name.slice(wanted.length))
    const names = before && hadOneOfThem ? [before.name, ...numbered] : numbered
    const name = names.find((one) => !taken.has(one))
    if (name === undefined) throw new Error('no name is left for this node')
    await tx.delete(kernelNode).where(and(ne(kernelNode.id, id), eq(kernelNode.name, name)))
    const now = { name, roles, is_running: true, address: null, port: null, certificate: null, date_seen: sql`now()` }
    await tx
      .insert(kernelNode)
      .values({ id, ...now })
      .onConflictDoUpdate({ target: kernelNode.id, set: now })
    return name
  })
}
