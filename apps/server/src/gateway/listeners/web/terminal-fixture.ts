/** A whole server with an asset on a real sshd, and terminals on it, for the gateway's tests. */

import { StringDecoder } from 'node:string_decoder'
import { WIRE } from '@sallyport/contract/constants.ts'
import { WebSocket } from 'ws'
import type { TestDatabase } from '../../../../test/database.ts'
import type { Caller, TestServer } from '../../../../test/server.ts'
import { type Sshd, startSshd } from '../../../domains/assets/sshd-fixture.ts'

export interface TerminalFixture {
  server: TestServer
  sshd: Sshd
  asset: string
  systemUser: string
  permission: string
  /** Somebody who may connect. */
  person: Caller
  /** Creates something over the API as administrator; answers its id. */
  created(path: string, body: unknown): Promise<string>
  /** Makes an asset and a system user that the person may use on it. */
  target(
    asset: { port: number } & Record<string, unknown>,
    systemUser: Record<string, unknown>,
  ): Promise<{ target: string; systemUser: string }>
  open(caller: Caller, options?: Partial<TerminalOptions>): Promise<Terminal>
  close(): Promise<void>
}

/** Headers that prove who calls that path, instead of the caller's bearer token. */
type SignInHeaders = (path: string) => Record<string, string>

export interface TerminalOptions {
  type: string
  target: string
  systemUser: string
  origin?: string
  signIn?: SignInHeaders
  /** Set when the client can come back. */
  client?: string
  cols?: number
  /** Sent with the size, such as the code of a share. */
  code?: string
  /** A connection token instead of a sign-in; the rest of the address follows from it. */
  byToken?: string
  /** A container of a cluster. */
  within?: { namespace: string; pod: string; container: string }
  /** How it is shown, if not as a terminal. */
  view?: string
  /** Family, where the protocol does not determine it. */
  family?: string
}

/** A browser's end of a terminal. */
export interface Terminal {
  /** All bytes received. */
  output(): Buffer
  text(): string
  /** Waits until the output since the last wait contains the text. */
  see(text: string | RegExp): Promise<string>
  /** Waits until it is so; asked whenever something has come. */
  until(found: () => unknown): Promise<void>
  type(text: string | Buffer): void
  resize(cols: number, rows: number): void
  session: Record<string, string> | undefined
  /** Control messages, in order. */
  messages: { type: string; data: string }[]
  say(type: string, data?: unknown): void
  errors: string[]
  sizes: { Width: number; Height: number }[]
  pause(): void
  resume(): void
  close(): void
  /** Breaks the connection without a close frame. */
  cut(): void
  /** Settles when the server has closed the socket. */
  closed: Promise<void>
}

const TIMEOUT_MS = 50_000

export async function openTerminalFixture(
  environment: Record<string, string> = {},
  database?: TestDatabase,
): Promise<TerminalFixture> {
  // With all of the server's code, which those don't need who open terminals of one that runs.
  const { openTestServer } = await import('../../../../test/server.ts')
  const [server, sshd] = [await openTestServer(environment, database), await startSshd()]
  const { admin } = server
  const created = async (path: string, body: unknown) => {
    const answer = await admin.post(path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const person = await server.aPerson('walker')
  const asset = await created('/api/v1/assets/assets/', {
    hostname: 'web-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const systemUser = await created('/api/v1/assets/system-users/', {
    name: 'root by key',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  const permission = await created('/api/v1/perms/asset-permissions/', {
    name: 'walk',
    users: [person.id],
    assets: [asset.id],
    system_users: [systemUser.id],
  })
  let count = 0
  return {
    server,
    sshd,
    created: async (path, body) => (await created(path, body)).id,
    async target({ port, ...assetDraft }, systemUserDraft) {
      const name = `target-${++count}`
      const target = await created('/api/v1/assets/assets/', {
        hostname: name,
        ip: '127.0.0.1',
        platform: 'Linux',
        protocols: [`ssh/${port}`],
        ...assetDraft,
      })
      const systemUserRow = await created('/api/v1/assets/system-users/', {
        name,
        protocol: 'ssh',
        auto_push: false,
        ...systemUserDraft,
      })
      await created('/api/v1/perms/asset-permissions/', {
        name,
        users: [person.id],
        assets: [target.id],
        system_users: [systemUserRow.id],
      })
      return { target: target.id, systemUser: systemUserRow.id }
    },
    asset: asset.id,
    systemUser: systemUser.id,
    permission: permission.id,
    person,
    open: (caller, options = {}) =>
      openTerminal(server.url, caller, { type: 'ssh', target: asset.id, systemUser: systemUser.id, ...options }),
    async close() {
      await server.close()
      await sshd.close()
    },
  }
}

export async function openTerminal(
  url: string,
  caller: Pick<Caller, 'token'>,
  {
    type,
    target,
    systemUser,
    origin,
    signIn = () => ({ authorization: `Bearer ${caller.token}` }),
    client,
    cols = 80,
    code,
    byToken,
    within,
    view,
    family,
  }: TerminalOptions,
): Promise<Terminal> {
  const path =
    byToken === undefined
      ? `/koko/ws/terminal/?type=${type}&target_id=${target}${['shareroom', 'resume', 'share'].includes(type) ? '' : `&system_user_id=${systemUser}`}${client ? `&client=${client}` : ''}${within ? `&${new URLSearchParams(within)}` : ''}${view ? `&view=${view}` : ''}${family ? `&family=${family}` : ''}`
      : `/koko/ws/token/?target_id=${byToken}${view ? `&view=${view}` : ''}`
  const { cookie, ...headers } = byToken === undefined ? signIn(path) : {}
  const socket = new WebSocket(url.replace('http', 'ws') + path, WIRE.terminalSubprotocol, {
    headers: { ...headers, cookie: `django_language=en; ${cookie ?? ''}`, ...(origin ? { origin } : {}) },
  })
  const chunks: Buffer[] = []
  const decoder = new StringDecoder('utf8')
  let text = ''
  let seen = 0
  const waiting = new Set<() => void>()
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const terminal: Terminal = {
    output: () => Buffer.concat(chunks),
    text: () => text,
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const since = text.slice(seen)
          const found = typeof wanted === 'string' ? since.indexOf(wanted) : since.search(wanted)
          if (found < 0) return
          const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(since)?.[0].length ?? 0)
          seen += found + length
          finish()
          resolve(since.slice(0, found + length))
        }
        const timer = setTimeout(() => {
          finish()
          reject(new Error(`never saw ${String(wanted)} in: ${text.slice(seen)} ${terminal.errors.join()}`))
        }, TIMEOUT_MS)
        const finish = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    until: (found) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!found()) return
          finish()
          resolve()
        }
        const timer = setTimeout(() => {
          finish()
          const last = terminal.messages.slice(-5).map(({ type, data }) => `${type} ${data.slice(0, 300)}`)
          reject(new Error(`never came: ${found}; last: ${last.join('\n')} ${terminal.errors.join()}`))
        }, TIMEOUT_MS)
        const finish = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    type: (text) => socket.send(Buffer.from(text)),
    resize: (cols, rows) =>
      socket.send(JSON.stringify({ id, type: 'TERMINAL_RESIZE', data: JSON.stringify({ cols, rows }) })),
    session: undefined,
    messages: [],
    say: (type, data = '') =>
      socket.send(JSON.stringify({ id, type, data: typeof data === 'string' ? data : JSON.stringify(data) })),
    errors: [],
    sizes: [],
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.close(),
    cut: () => socket.terminate(),
    closed,
  }
  let id = ''
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      chunks.push(data)
      text += decoder.write(data)
    } else {
      const message = JSON.parse(data.toString()) as { id: string; type: string; data: string }
      terminal.messages.push(message)
      if (message.type === 'CONNECT') {
        id = message.id
        socket.send(
          JSON.stringify({
            id,
            type: 'TERMINAL_INIT',
            data: JSON.stringify({ cols, rows: 24, ...(code === undefined ? {} : { code }) }),
          }),
        )
      } else if (message.type === 'TERMINAL_SESSION') terminal.session = JSON.parse(message.data).session
      else if (message.type === 'TERMINAL_ERROR') terminal.errors.push(message.data)
      else if (message.type === 'TERMINAL_RESIZE') terminal.sizes.push(JSON.parse(message.data))
    }
    for (const look of [...waiting]) look()
  })
  socket.on('close', () => onClosed())
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return terminal
}
