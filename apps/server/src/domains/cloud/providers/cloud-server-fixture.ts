/**
 * All clouds on one port of this machine. Each checks how calls are signed as its documentation
 * says, written here from that and without the code that signs; and answers in pages. Calls come
 * through a relay, so the header `Host` says which cloud is meant.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CloudInstance, CloudRegion } from './cloud.ts'

/** A call as it came. */
export interface Asked {
  method: string
  host: string
  path: string
  query: URLSearchParams
  /** As it was written, without the question mark. */
  search: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Answer {
  status: number
  body: string
  headers?: Record<string, string>
}

/** Machines of a cloud by region. */
export interface Machines {
  regions: readonly CloudRegion[]
  of(region: string): readonly CloudInstance[]
}

/** One cloud: answers calls that are signed as it wants. */
export type FakeCloud = (asked: Asked, machines: Machines) => Answer

/** Something else instead of the next answer; `pass` is that answer. */
export type Instead = 'drop' | 'half' | 'pass' | Answer

export interface CloudServer {
  url: string
  machines: Map<string, CloudInstance[]>
  regions: CloudRegion[]
  /** Calls so far, refused ones included. */
  asked: Asked[]
  /** In place of the next answers, one after the other. */
  next: Instead[]
  close(): Promise<void>
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

/** Some machines, numbered. */
export const machinesFrom = (count: number, begin = 1): CloudInstance[] =>
  Array.from({ length: count }, (_, at) => {
    const n = begin + at
    const end = `${Math.floor(n / 250)}.${(n % 250) + 1}`
    return {
      id: `i-${String(n).padStart(6, '0')}`,
      name: `web ${n} <&> 机器`,
      addresses: [`10.1.${end}`, `203.0.${end}`],
      publicAddress: `203.0.${end}`,
      isWindows: n % 5 === 0,
    }
  })

export async function startClouds(find: (host: string) => FakeCloud | undefined): Promise<CloudServer> {
  const clouds: CloudServer = {
    url: '',
    machines: new Map(),
    regions: [],
    asked: [],
    next: [],
    close: async () => {},
  }
  const machines: Machines = {
    get regions() {
      return clouds.regions
    },
    of: (region) => clouds.machines.get(region) ?? [],
  }
  const server = createServer(async (request, response) => {
    const pieces = await Array.fromAsync(request as AsyncIterable<Buffer>)
    const [path = '', search = ''] = (request.url ?? '').split('?')
    const asked: Asked = {
      method: request.method ?? '',
      host: request.headers.host ?? '',
      path,
      query: new URLSearchParams(search),
      search,
      headers: request.headers,
      body: Buffer.concat(pieces).toString('utf8'),
    }
    clouds.asked.push(asked)
    const instead = clouds.next.shift()
    if (instead === 'drop') return void request.socket.destroy()
    const answer =
      typeof instead === 'object'
        ? instead
        : (find(asked.host)?.(asked, machines) ?? { status: 502, body: '<html>no such cloud</html>' })
    if (instead !== 'half') return void response.writeHead(answer.status, { ...answer.headers }).end(answer.body)
    // The length of all, and half of it.
    const bytes = Buffer.from(answer.body)
    response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length })
    response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  clouds.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  clouds.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return clouds
}

/** A page of a list by the number of its first item, and the mark of the next one. */
export function page<T>(
  all: readonly T[],
  first: number,
  size: number,
): { items: readonly T[]; next: number | undefined } {
  const items = all.slice(first, first + size)
  return { items, next: first + size < all.length ? first + size : undefined }
}
