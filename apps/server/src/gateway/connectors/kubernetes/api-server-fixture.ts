/** The API of a cluster as clients meet it: HTTPS, discovery, tables, watches, logs, and programs in containers over websockets. */
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type WebSocket, WebSocketServer } from 'ws'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'

export const TOKEN = 'token-of-the-account'

export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; [field: string]: unknown }
  [field: string]: unknown
}

/** A request that has arrived. */
export interface SeenRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
}

export interface ApiServer {
  port: number
  seen: SeenRequest[]
  /** Sizes of terminals, as clients tell them. */
  sizes: { Width: number; Height: number }[]
  /** Subprotocols that are offered for programs; the first that a client knows counts. */
  protocols: string[]
  objects: Map<string, KubernetesObject>
  /** Resources that the account may not list, by name in the plural. */
  denied: Set<string>
  /** The paging that every list claims, instead of the true one. */
  paging: Record<string, unknown> | undefined
  /** Programs that containers have; all of this machine, unless said otherwise. */
  programs: string[] | undefined
  put(object: KubernetesObject): void
  /** By kind, namespace and name with slashes between. */
  remove(key: string): void
  /** The server ends what it tells of changes, as it does now and then; with an error where they were asked from too long ago. */
  endWatches(error?: object): void
  /** Another line in every log that is followed. */
  log(line: string): void
  /** Watches and logs that are open. */
  readonly open: number
  close(): Promise<void>
}

const KINDS: Readonly<Record<string, { kind: string; root: string; namespaced: boolean }>> = {
  namespaces: { kind: 'Namespace', root: '/api/v1', namespaced: false },
  pods: { kind: 'Pod', root: '/api/v1', namespaced: true },
  configmaps: { kind: 'ConfigMap', root: '/api/v1', namespaced: true },
  secrets: { kind: 'Secret', root: '/api/v1', namespaced: true },
  nodes: { kind: 'Node', root: '/api/v1', namespaced: false },
  events: { kind: 'Event', root: '/api/v1', namespaced: true },
  deployments: { kind: 'Deployment', root: '/apis/apps/v1', namespaced: true },
}

export const aPod = (name: string, namespace = 'shop', containers = ['app']): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: `uid-${namespace}-${name}`, creationTimestamp: '2026-01-02T03:04:05Z' },
  spec: { containers: containers.map((name) => ({ name, image: 'busybox' })), nodeName: 'node-1' },
  status: {
    phase: 'Running',
    containerStatuses: containers.map((name) => ({ name, ready: true, restartCount: 0, state: { running: {} } })),
  },
})

interface ApiServerOptions {
  /** Port of a server that was there before. */
  port?: number
  /** A certificate that proves an account, instead of its token. */
  client?: string
}

export async function startApiServer({ port = 0, client }: ApiServerOptions = {}): Promise<ApiServer> {
  const { certificate, privateKey } = makeServerCertificate('cluster')
  const server = createServer({
    cert: certificate,
    key: privateKey,
    requestCert: client !== undefined,
    rejectUnauthorized: false,
  })
  const api = new FakeApi(server, client === undefined ? undefined : new X509Certificate(client).fingerprint256)
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return api
}

class FakeApi implements ApiServer {
  readonly seen: SeenRequest[] = []
  readonly sizes: ApiServer['sizes'] = []
  readonly objects = new Map<string, KubernetesObject>()
  readonly denied = new Set<string>()
  paging: Record<string, unknown> | undefined
  programs: string[] | undefined
  protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
  readonly #server: Server
  /** Fingerprint of the certificate that proves the account. */
  readonly #client: string | undefined
  readonly #watches = new Set<{ key: string; response: ServerResponse; isTable: boolean }>()
  readonly #logs = new Set<ServerResponse>()
  readonly #sockets = new Set<Duplex>()
  #version = 100

  constructor(server: Server, client: string | undefined) {
    this.#server = server
    this.#client = client
    server.on('request', (request, response) => void this.#answer(request, response))
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    server.on('secureConnection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, status: { phase: 'Active' } })
    this.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'empty' }, status: { phase: 'Active' } })
    this.put(aPod('web-1', 'shop', ['app', 'sidecar']))
    this.put(aPod('web-2'))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get open(): number {
    return this.#watches.size + this.#logs.size
  }

  remove(key: string): void {
    const object = this.objects.get(key)
    this.objects.delete(key)
    if (object) this.#notify('DELETED', key, object)
  }

  endWatches(error?: object): void {
    for (const { response } of this.#watches)
      response.end(error && `${JSON.stringify({ type: 'ERROR', object: error })}\n`)
  }

  put(object: KubernetesObject): void {
    const [resource] = Object.entries(KINDS).find(([, { kind }]) => kind === object.kind) ?? []
    const key = `${resource}/${object.metadata.namespace ?? ''}/${object.metadata.name}`
    const type = this.objects.has(key) ? 'MODIFIED' : 'ADDED'
    object.metadata.resourceVersion = String(++this.#version)
    this.objects.set(key, object)
    this.#notify(type, key, object)
  }

  #notify(type: string, key: string, object: KubernetesObject): void {
    for (const { key: of, response, isTable } of this.#watches)
      if (key.startsWith(of))
        response.write(`${JSON.stringify({ type, object: isTable ? tableOf([object]) : object })}\n`)
  }

  log(line: string): void {
    for (const response of this.#logs) response.write(`${line}\n`)
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #see(request: IncomingMessage): boolean {
    const { method = '', url = '', headers } = request
    this.seen.push({ method, url, headers })
    if (this.#client) return (request.socket as TLSSocket).getPeerCertificate().fingerprint256 === this.#client
    return headers.authorization === `Bearer ${TOKEN}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isKnown = this.#see(request)
    const { method = 'GET' } = request
    const url = new URL(request.url ?? '', 'https://cluster')
    let body = ''
    for await (const piece of request) body += piece
    if (!isKnown) return refuse(response, 401, 'Unauthorized')
    const found = DISCOVERY[url.pathname]
    if (found) return json(response, 200, found)
    if (url.pathname.endsWith('/selfsubjectaccessreviews')) {
      const { resource } = JSON.parse(body).spec.resourceAttributes
      return json(response, 201, { status: { allowed: !this.denied.has(resource) } })
    }
    const [, root = '', namespace = '', resource = '', name = '', subresource = ''] =
      /^(\/api\/v1|\/apis\/apps\/v1)(?:\/namespaces\/([^/]+)(?=\/))?\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(
        url.pathname,
      ) ?? []
    const kind = KINDS[resource]
    if (!kind || kind.root !== root) return refuse(response, 404, 'the server could not find the requested resource')
    if (subresource === 'log') return this.#followLog(url, response)
    const key = `${resource}/${namespace}/${name}`
    if (!name && this.denied.has(resource))
      return refuse(response, 403, `${resource} is forbidden: cannot list resource`)
    if (!name && method === 'GET') return this.#list({ resource, namespace, url, request, response })
    if (method === 'POST') {
      const object = JSON.parse(body) as KubernetesObject
      if (kind.namespaced) object.metadata.namespace = namespace
      this.put(object)
      return json(response, 201, object)
    }
    const object = this.objects.get(key)
    if (!object) return refuse(response, 404, `${resource} "${name}" not found`)
    if (method === 'PATCH') {
      const { metadata = {}, ...patch } = JSON.parse(body)
      const patched = { ...object, ...patch, metadata: { ...object.metadata, ...metadata } }
      this.put(patched)
      return json(response, 200, patched)
    }
    if (method === 'DELETE') {
      this.objects.delete(key)
      return json(response, 200, object)
    }
    json(response, 200, wantsTable(request) ? tableOf([object]) : object)
  }

  #list(of: {
    resource: string
    namespace: string
    url: URL
    request: IncomingMessage
    response: ServerResponse
  }): void {
    const { resource, namespace, url, request, response } = of
    const key = `${resource}/${namespace && `${namespace}/`}`
    const named = /metadata\.name=([^,]+)/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1]
    const about = /involvedObject\.name=([^,]+)/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1]
    const items = [...this.objects]
      .filter(
        ([one, { metadata, involvedObject }]) =>
          one.startsWith(key) &&
          (!named || metadata.name === named) &&
          (!about || (involvedObject as { name?: string })?.name === about),
      )
      .map(([, object]) => object)
    const isTable = wantsTable(request)
    if (/^(?:true|1)$/.test(url.searchParams.get('watch') ?? '')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      const watch = { key, response, isTable }
      this.#watches.add(watch)
      response.once('close', () => this.#watches.delete(watch))
      return
    }
    const limit = Number(url.searchParams.get('limit') ?? 0)
    const from = Number(url.searchParams.get('continue') ?? 0)
    const to = limit ? from + limit : items.length
    const page = items.slice(from, to)
    const metadata = {
      resourceVersion: String(this.#version),
      ...(to < items.length ? { remainingItemCount: items.length - to, continue: String(to) } : {}),
      ...this.paging,
    }
    const list = { kind: `${KINDS[resource]?.kind}List`, apiVersion: 'v1', metadata, items: page }
    json(response, 200, isTable ? tableOf(page, metadata, url.searchParams.get('includeObject') !== 'None') : list)
  }

  #followLog(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('first line\nsecond line\n')
    if (url.searchParams.get('follow') !== 'true') return void response.end()
    this.#logs.add(response)
    response.once('close', () => this.#logs.delete(response))
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isKnown = this.#see(request)
    const url = new URL(request.url ?? '', 'https://cluster')
    const pod = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/(?:exec|attach)$/.exec(url.pathname)
    const object = this.objects.get(`pods/${pod?.[1]}/${pod?.[2]}`)
    if (!isKnown || !pod || !object) {
      const [code, words] = isKnown ? [404, `pods "${pod?.[2]}" not found`] : [401, 'Unauthorized']
      const body = JSON.stringify(failure(code, words))
      socket.end(
        `HTTP/1.1 ${code} No\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      return
    }
    const offers = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => this.protocols.find((one) => offered.has(one)) ?? false,
    })
    offers.handleUpgrade(request, socket, head, (client) => this.#run(url, client))
  }

  /** Runs the program here. */
  #run(url: URL, client: WebSocket): void {
    const given = url.searchParams.getAll('command')
    const argv = url.pathname.endsWith('/attach') ? ['cat'] : given
    const hasTerminal = url.searchParams.get('tty') === 'true'
    if (this.programs?.includes(argv[0] ?? '') === false) {
      const words = `exec: "${argv[0]}": executable file not found in $PATH: unknown`
      client.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(failure(500, words)))]))
      client.close(1000)
      return
    }
    const [program = '', ...parameters] = hasTerminal
      ? ['script', '-qfec', argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '), '/dev/null']
      : argv
    const child = spawn(program, parameters, { env: { ...process.env, PS1: '$ ' } })
    const send = (channel: number, bytes: Buffer | string) =>
      client.readyState === client.OPEN && client.send(Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]))
    child.stdout.on('data', (bytes) => send(1, bytes))
    child.stderr.on('data', (bytes) => send(2, bytes))
    child.stdin.on('error', () => {})
    const end = (status: object) => {
      send(3, JSON.stringify({ metadata: {}, ...status }))
      client.close(1000)
    }
    child.once('error', () => end(failure(500, `exec: "${program}": executable file not found in $PATH: unknown`)))
    child.once('close', (code) =>
      end(
        code === 0
          ? { status: 'Success' }
          : {
              status: 'Failure',
              message: `command terminated with non-zero exit code: exit status ${code}`,
              reason: 'NonZeroExitCode',
              details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
            },
      ),
    )
    client.on('message', (data) => {
      const bytes = data as Buffer
      if (bytes[0] === 0) child.stdin.write(bytes.subarray(1))
      else if (bytes[0] === 4) this.sizes.push(JSON.parse(bytes.subarray(1).toString()))
      else if (bytes[0] === 255 && client.protocol === 'v5.channel.k8s.io') child.stdin.end()
    })
    client.once('close', () => child.kill('SIGKILL'))
  }
}

const wantsTable = ({ headers }: IncomingMessage) => /as=Table/.test(String(headers.accept))

function tableOf(objects: readonly KubernetesObject[], metadata: object = {}, includesObject = true) {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Ready', type: 'string', format: '', description: '', priority: 0 },
      { name: 'Status', type: 'string', format: '', description: '', priority: 0 },
    ],
    rows: objects.map(({ apiVersion, kind, metadata: of, spec, status }) => {
      const containers = (spec as { containers?: unknown[] })?.containers?.length ?? 0
      return {
        cells: [of.name, `${containers}/${containers}`, (status as { phase?: string })?.phase ?? ''],
        object: includesObject
          ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: of, _of: [apiVersion, kind] }
          : null,
      }
    }),
  }
}

const failure = (code: number, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message,
  reason:
    ({ 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' } as Record<number, string>)[code] ?? 'InternalError',
  code,
})

function json(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const refuse = (response: ServerResponse, code: number, message: string) => json(response, code, failure(code, message))

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

const SHORT: Readonly<Record<string, string[]>> = { pods: ['po'], deployments: ['deploy'] }
const APPS = { groupVersion: 'apps/v1', version: 'v1' }

const resourcesOf = (root: string) => ({
  kind: 'APIResourceList',
  groupVersion: root.replace(/^\/apis?\//, ''),
  resources: Object.entries(KINDS)
    .filter(([, one]) => one.root === root)
    .map(([name, { kind, namespaced }]) => ({
      name,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: VERBS,
      ...(SHORT[name] ? { shortNames: SHORT[name] } : {}),
    })),
})

const DISCOVERY: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '35', gitVersion: 'v1.35.0', platform: 'linux/amd64' },
  '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [{ name: 'apps', versions: [APPS], preferredVersion: APPS }],
  },
  '/api/v1': resourcesOf('/api/v1'),
  '/apis/apps/v1': resourcesOf('/apis/apps/v1'),
}
