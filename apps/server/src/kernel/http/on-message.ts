import type { WebSocket } from '@fastify/websocket'
import { NEWS_CLIENT_BYTES } from '@sallyport/contract/socket/news.ts'
import type { FastifyBaseLogger } from 'fastify'
import type * as z from 'zod/mini'
import { readMessage } from './read-message.ts'

/**
 * Takes what a client says on a socket of news. What is too long closes the socket with 1009 (RFC
 * 6455 §7.4.1); what is not what the schema says changes nothing, and is logged once.
 */
export function onMessage<Schema extends z.core.$ZodType>(
  socket: WebSocket,
  schema: Schema,
  log: FastifyBaseLogger,
  take: (message: z.output<Schema>) => void,
): void {
  let isLogged = false
  socket.on('message', (frame: Buffer) => {
    if (frame.length > NEWS_CLIENT_BYTES) return socket.close(1009)
    const message = readMessage(schema, frame)
    if (message !== undefined) return take(message)
    if (!isLogged) log.info({ why: 'malformed' }, 'message of a page refused')
    isLogged = true
  })
}
