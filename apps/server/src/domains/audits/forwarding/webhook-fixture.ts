/**
 * A receiver of webhooks on loopback, which takes only messages signed as Standard Webhooks define
 * it, and answers as the test sets it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Delivery {
  id: string
  path: string
  events: { number: number; category: string; record: Record<string, unknown> }[]
}

export interface WebhookReceiver {
  url: string
  /** Messages with a right signature, whatever the answer was. */
  taken: Delivery[]
  /** How many were not. */
  refused: number
  answer: { status: number; location?: string }
  close(): Promise<void>
}

export async function startReceiver(secret: string): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (!isSigned(request.headers, body, secret)) {
      receiver.refused++
      response.writeHead(401).end()
      return
    }
    const { events } = JSON.parse(body) as Pick<Delivery, 'events'>
    receiver.taken.push({ id: String(request.headers['webhook-id']), path: request.url ?? '', events })
    const { status, location } = receiver.answer
    response.writeHead(status, location ? { location } : {}).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: [],
    refused: 0,
    answer: { status: 204 },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

function isSigned(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = Buffer.from(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
  const given = Buffer.from(String(headers['webhook-signature']))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
