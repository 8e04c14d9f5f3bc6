/**
 * A receiver of webhooks on loopback, which takes what the code of docs/operate-webhooks.md takes,
 * and answers as the test sets it.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface WebhookEvent {
  id: string
  kind: string
  time: string
  organization: { id: string; name: string } | null
  data: Record<string, unknown>
}

export interface Receiver {
  url: string
  /** Messages with a right signature that were confirmed. */
  taken: WebhookEvent[]
  /** Every call, confirmed or not: path and event. */
  calls: { path: string; id: string; event: WebhookEvent | undefined; headers: IncomingHttpHeaders; body: string }[]
  /** The status of an answer; the first that has one decides. */
  answer(event: WebhookEvent): number
  close(): Promise<void>
}

type ReadWebhook = (
  headers: IncomingHttpHeaders,
  body: string,
  secret: string,
  now?: number,
) => WebhookEvent | undefined

/** The code that docs/operate-webhooks.md shows. */
export async function documentedCode(): Promise<ReadWebhook> {
  const page = await readFile(new URL('../../../../../../docs/operate-webhooks.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  const address = `data:text/javascript,${encodeURIComponent(code)}`
  const { readWebhook } = (await import(/* @vite-ignore */ address)) as { readWebhook: ReadWebhook }
  return readWebhook
}

export async function startReceiver(secret: string): Promise<Receiver> {
  const readWebhook = await documentedCode()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const event = readWebhook(request.headers, body, secret)
    const id = String(request.headers['webhook-id'])
    receiver.calls.push({ path: request.url ?? '', id, event, headers: request.headers, body })
    const status = event ? receiver.answer(event) : 401
    if (event && status < 300) receiver.taken.push(event)
    response.writeHead(status, status === 307 ? { location: `${receiver.url}/elsewhere` } : {}).end('busy')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: [],
    calls: [],
    answer: () => 204,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
