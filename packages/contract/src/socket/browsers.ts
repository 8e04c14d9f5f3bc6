/** Pages that look around in a server, whichever it is: what the console's own pages speak. */
import * as z from 'zod/mini'
import { asking, reply } from './asking.ts'
import { CLUSTER, type ClusterQuestion } from './cluster.ts'
import { KEYS, type KeyQuestion } from './keys.ts'
import { json } from './message.ts'
import { BROWSING } from './workbench.ts'

export type BrowserQuestion = KeyQuestion | ClusterQuestion

const start = z.union([KEYS.fromGateway.WORKBENCH_START.schema, CLUSTER.fromGateway.WORKBENCH_START.schema])
export type BrowserStart = z.output<typeof start>

export const BROWSER = {
  fromClient: {
    ...BROWSING.fromClient,
    WORKBENCH_ASK: asking(z.custom<BrowserQuestion>()),
    WORKBENCH_FOLLOW: CLUSTER.fromClient.WORKBENCH_FOLLOW,
  },
  fromGateway: {
    ...BROWSING.fromGateway,
    WORKBENCH_START: json(start),
    WORKBENCH_REPLY: reply,
    WORKBENCH_CHANGES: CLUSTER.fromGateway.WORKBENCH_CHANGES,
  },
} as const

/** The answer to a question. */
export type AnswerSchema = z.core.$ZodType
export type AnswerBy<Schema extends AnswerSchema> = z.output<Schema>

/** Content of a reply; undefined where it is no such answer. */
export function readAnswer<Schema extends AnswerSchema>(schema: Schema, reply: unknown): AnswerBy<Schema> | undefined {
  const read = z.safeParse(schema, reply)
  return read.success ? read.data : undefined
}
