import { and, eq, isNotNull } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Carrier } from '../../kernel/nodes/carried-elsewhere.ts'
import type { Node } from '../../kernel/nodes/nodes.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { findReplay, recordingStore } from './recording/replay-file.ts'
import { findSession, type StoredSession } from './session.resource.ts'
import { terminalSession, terminalSessionSharing } from './tables.ts'

/** The other node that carries a session that runs; undefined when it is this one, or none. */
export async function sessionCarrier({ db, nodes }: Kernel, sessionId: string): Promise<Node | undefined> {
  if (!isUuid(sessionId)) return undefined
  const [row] = await db
    .select({ terminal: terminalSession.terminal, isFinished: terminalSession.is_finished })
    .from(terminalSession)
    .where(eq(terminalSession.id, sessionId))
  return row?.terminal && !row.isFinished ? otherNode(nodes, row.terminal) : undefined
}

/** The other node that carries the session to which a sharing link leads. */
export async function sharingCarrier(kernel: Kernel, sharingId: string): Promise<Node | undefined> {
  if (!isUuid(sharingId)) return undefined
  const [sharing] = await kernel.db
    .select({ session: terminalSessionSharing.session })
    .from(terminalSessionSharing)
    .where(eq(terminalSessionSharing.id, sharingId))
  return sharing && sessionCarrier(kernel, sharing.session)
}

/**
 * A person's running web terminals on other nodes, by node. Nothing runs on nodes that are unknown
 * by now.
 */
export async function sessionsElsewhere(
  { db, nodes }: Kernel,
  userId: string,
): Promise<{ node: Node; sessions: StoredSession[] }[]> {
  const rows = await db
    .select()
    .from(terminalSession)
    .where(
      and(
        eq(terminalSession.user_id, userId),
        eq(terminalSession.is_finished, false),
        eq(terminalSession.login_from, 'WT'),
        isNotNull(terminalSession.terminal),
      ),
    )
  const byTerminal = Map.groupBy(rows, ({ terminal }) => terminal ?? '')
  const all = await nodes.ofTerminals([...byTerminal.keys()])
  return all
    .filter(({ id }) => id !== nodes.id)
    .map((node) => ({ node, sessions: byTerminal.get(node.terminal ?? '') ?? [] }))
}

/**
 * The other node on whose disk a finished recording lies; undefined when this one can read it, or
 * nobody knows who could.
 */
export async function recordingCarrier(kernel: Kernel, sessionId: string): Promise<Node | undefined> {
  if (!isUuid(sessionId) || !recordingStore(kernel.config).ofThisNode) return undefined
  const row = await findSession(kernel.db, sessionId)
  if (!row?.has_replay || !row.terminal || (await findReplay(kernel, row))) return undefined
  return otherNode(kernel.nodes, row.terminal)
}

/** What `carriedBy` of a route about one recording says. */
export async function byRecording(kernel: Kernel, sessionId: string): Promise<Carrier | undefined> {
  const node = await recordingCarrier(kernel, sessionId)
  return node && { nodes: [node], unreachable: 'refuse' }
}

/** The node whose terminal it is, unless that is this one. */
async function otherNode(nodes: Kernel['nodes'], terminal: string): Promise<Node | undefined> {
  const [node] = await nodes.ofTerminals([terminal])
  return node?.id === nodes.id ? undefined : node
}
