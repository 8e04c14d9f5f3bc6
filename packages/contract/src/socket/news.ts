/**
 * Sockets that tell of what changes elsewhere. Their text frames are the messages themselves, as
 * JSON, without an envelope.
 */
import * as z from 'zod/mini'

/** Bytes of what a client may say on these; a longer message closes the socket with 1009. */
export const NEWS_CLIENT_BYTES = 1024

/** `/ws/ops/tasks/log/`: names a task, and gets its output from the beginning; may name another. */
export const TASK_LOG = {
  path: '/ws/ops/tasks/log/',
  fromClient: z.object({ task: z.string().check(z.minLength(1)) }),
  fromServer: z.object({ task: z.string(), message: z.string() }),
} as const

/** `/ws/ops/command-executions/`: names a batch command of one's own; may name another. */
export const COMMAND_NEWS = {
  path: '/ws/ops/command-executions/',
  fromClient: z.object({ execution: z.guid() }),
  fromServer: z.object({
    execution: z.string(),
    /** What machines wrote since. */
    output: z.array(z.object({ asset: z.string(), stream: z.enum(['stdout', 'stderr']), data: z.string() })),
    /** A machine came further: outcomes should be read again. */
    is_changed: z.boolean(),
    /** Nothing follows. */
    is_over: z.boolean(),
  }),
} as const

/** `/ws/notifications/site-msg/`: the number of unread messages, at once and whenever it changes. */
export const UNREAD_COUNT = {
  path: '/ws/notifications/site-msg/',
  /** Older clients say how often they want messages, which has no effect. */
  fromClient: z.unknown(),
  fromServer: z.object({ type: z.literal('unread_count'), unread_count: z.number() }),
} as const

/** All of them. */
export const NEWS = { taskLog: TASK_LOG, commandNews: COMMAND_NEWS, unreadCount: UNREAD_COUNT } as const
export type NewsName = keyof typeof NEWS
/** A message of the client, and one of the server. */
export type QuestionOn<Name extends NewsName> = z.input<(typeof NEWS)[Name]['fromClient']>
export type NewsOn<Name extends NewsName> = z.output<(typeof NEWS)[Name]['fromServer']>

export type CommandNews = NewsOn<'commandNews'>
export type TaskLogNews = NewsOn<'taskLog'>
export type UnreadCount = NewsOn<'unreadCount'>
