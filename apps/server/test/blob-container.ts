/**
 * One container of block blobs on loopback that speaks as Azure's service is documented to, and
 * checks the Shared Key signature of each call as the service does: computed again from the
 * received call. The client was tried against Azurite as well, which is too large to install for
 * every run.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { AzurePlace } from '../src/domains/terminal/recording/store/azure-container.ts'

const ACCOUNT = 'sallyport'
const KEY = Buffer.from('a key of an account, of any length').toString('base64')
const CONTAINER = 'recordings'
/** In the order in which they are signed. */
const SIGNED = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
]

interface Blob {
  content: Buffer
  changed: Date
  etag: string
}

export interface BlobContainer {
  place: AzurePlace
  close(): Promise<void>
}

export async function startBlobContainer(): Promise<BlobContainer> {
  const blobs = new Map<string, Blob>()
  const blocks = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://blobs')
    const refuse = (status: number, code: string) => response.writeHead(status, { 'x-ms-error-code': code }).end()
    const body = await buffer(request)
    if (request.headers.authorization !== `SharedKey ${ACCOUNT}:${signatureOf(request, url)}`)
      return void refuse(403, 'AuthenticationFailed')
    const [container, ...rest] = url.pathname.slice(1).split('/')
    if (container !== CONTAINER) return void refuse(404, 'ContainerNotFound')
    const name = decodeURIComponent(rest.join('/'))
    if (!name) return void response.end(page(url.searchParams))
    if (request.method === 'PUT') {
      keep(name, url.searchParams, body)
      return void response.writeHead(201).end()
    }
    const blob = blobs.get(name)
    if (!blob) return void refuse(404, 'BlobNotFound')
    if (request.method === 'DELETE') {
      blobs.delete(name)
      return void response.writeHead(202).end()
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers['x-ms-range'] ?? '')) ?? []
    if (from !== undefined && Number(from) >= blob.content.length) return void refuse(416, 'InvalidRange')
    const content = from === undefined ? blob.content : blob.content.subarray(Number(from), Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      'content-length': content.length,
      etag: `"${blob.etag}"`,
      'last-modified': blob.changed.toUTCString(),
    })
    response.end(request.method === 'HEAD' ? undefined : content)
  }

  function keep(name: string, query: URLSearchParams, body: Buffer): void {
    if (query.get('comp') === 'block') {
      blocks.set(`${name} ${query.get('blockid')}`, body)
      return
    }
    const ids = [...body.toString().matchAll(/<Latest>(.*?)<\/Latest>/g)].map(([, id]) => id)
    const content =
      query.get('comp') === 'blocklist'
        ? Buffer.concat(ids.map((id) => blocks.get(`${name} ${id}`) ?? Buffer.alloc(0)))
        : body
    blobs.set(name, { content, changed: new Date(), etag: crypto.randomUUID() })
  }

  function page(query: URLSearchParams): string {
    const names = [...blobs.keys()].filter((name) => name.startsWith(query.get('prefix') ?? '')).sort()
    const begin = query.get('marker') ? names.indexOf(query.get('marker') ?? '') : 0
    const end = begin + Number(query.get('maxresults'))
    const listed = names.slice(begin, end).map((name) => {
      const { content, changed, etag } = blobs.get(name) as Blob
      return `<Blob><Name>${name.replaceAll('&', '&amp;')}</Name><Properties><Last-Modified>${changed.toUTCString()}</Last-Modified><Etag>${etag}</Etag><Content-Length>${content.length}</Content-Length></Properties></Blob>`
    })
    return `<?xml version="1.0"?><EnumerationResults><Blobs>${listed.join('')}</Blobs><NextMarker>${names[end] ?? ''}</NextMarker></EnumerationResults>`
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    place: { endpoint, account: ACCOUNT, key: KEY, container: CONTAINER },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** learn.microsoft.com, "Authorize with Shared Key", version 2015-02-21 and later. */
function signatureOf({ method = '', headers }: IncomingMessage, url: URL): string {
  const lines = [method]
  for (const name of SIGNED) {
    const value = String(headers[name] ?? '')
    lines.push(name === 'content-length' && value === '0' ? '' : value)
  }
  for (const name of Object.keys(headers)
    .filter((one) => one.startsWith('x-ms-'))
    .sort())
    lines.push(`${name}:${headers[name]}`)
  lines.push(`/${ACCOUNT}${url.pathname}`)
  for (const name of [...new Set(url.searchParams.keys())].sort())
    lines.push(`${name}:${url.searchParams.getAll(name).join(',')}`)
  return createHmac('sha256', Buffer.from(KEY, 'base64')).update(lines.join('\n')).digest('base64')
}
