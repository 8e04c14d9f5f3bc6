import type { ReplaySearch } from '@sallyport/contract/replay.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { StoredSession } from '../session.resource.ts'

/** Sent between nodes only: ids of the sessions whose recordings to search. */
const SESSIONS_HEADER = 'x-sallyport-sessions'

/** The matches in a recording; `later` if there was no time left for it. */
export type SearchOutcome = ReplaySearch | 'later'

const hitSchema = z.object({ time: z.number(), text: z.string(), from: z.number(), to: z.number() })
const answerSchema = z.record(
  z.guid(),
  z.union([z.literal('later'), z.object({ hits: z.array(hitSchema), more: z.boolean() })]),
)

/** The sessions that another node asks for; undefined if it lists none. */
export function askedFor({ headers }: FastifyRequest): string[] | undefined {
  const named = headers[SESSIONS_HEADER]
  return typeof named === 'string' ? named.split(',').filter(isUuid) : undefined
}

/**
 * Has other nodes search the recordings on their disks, all at the same time. Recordings that nobody
 * could read, because the node can't be reached or they are gone, are absent from the answer.
 */
export async function searchElsewhere(
  { nodes, link }: Kernel,
  request: FastifyRequest,
  sessions: readonly StoredSession[],
): Promise<Map<string, SearchOutcome>> {
  const byTerminal = Map.groupBy(sessions, ({ terminal }) => terminal ?? '')
  byTerminal.delete('')
  const others = (await nodes.ofTerminals([...byTerminal.keys()])).filter(({ id }) => id !== nodes.id)
  const answers = others.map(async (node) => {
    const ids = (byTerminal.get(node.terminal ?? '') ?? []).map(({ id }) => id)
    try {
      const answer = answerSchema.parse(await link.ask(node, request, { [SESSIONS_HEADER]: ids.join(',') }))
      return Object.entries(answer).filter(([id]) => ids.includes(id))
    } catch (error) {
      request.log.warn({ err: error, node: node.name }, 'recordings of a node could not be searched')
      return []
    }
  })
  return new Map((await Promise.all(answers)).flat())
}
