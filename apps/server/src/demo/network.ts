import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import { ALGORITHMS } from '../kernel/ssh/algorithms.ts'
import { Server, utils } from '../kernel/ssh/ssh2/index.ts'
import { answerToScript } from './shell/scripts.ts'
import { answersTo, DemoShell } from './shell/shell.ts'

export const LOOPBACK = '127.0.0.1'
const KEY_FILE = 'demo-host.key'
const SSH_PORT = 22
/** More connections at once than anybody tries the demo with. */
const MAX_CONNECTIONS = 200

/** The machines of the demo. */
export interface DemoNetwork {
  /** On the loopback interface, where its gateway listens. */
  port: number
  close(): void
}

/**
 * Opens a network inside this process: an SSH gateway on the loopback interface, and behind it
 * machines that any password opens, since they run nothing (`shell.ts`). Tries `wanted` first, and
 * takes any port when that is in use. `hostnames` by address: nothing else can be reached.
 */
export async function openDemoNetwork(
  dataDirectory: string,
  wanted: number,
  hostnames: ReadonlyMap<string, string>,
): Promise<DemoNetwork> {
  const hostKeys = [hostKeyIn(dataDirectory)]
  const connections = new Set<ssh2.Connection>()
  const gateway = new Server({ hostKeys, algorithms: ALGORITHMS }, (connection) => {
    if (connections.size >= MAX_CONNECTIONS) return connection.end()
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    letIn(connection, () => {
      connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
        const hostname = destPort === SSH_PORT ? hostnames.get(destIP) : undefined
        if (hostname === undefined) return reject()
        machine(hostKeys, hostname).injectSocket(accept() as unknown as Socket)
      })
    })
  })
  await listen(gateway, wanted).catch(() => listen(gateway, 0))
  return {
    port: (gateway.address() as AddressInfo).port,
    close() {
      gateway.close()
      for (const connection of connections) connection.end()
    },
  }
}

async function listen(server: ssh2.Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK)
  await once(server, 'listening')
}

/** The same at every start: a key that changes is refused, on the demo's machines as on others. */
function hostKeyIn(dataDirectory: string): string {
  const file = join(dataDirectory, KEY_FILE)
  if (!existsSync(file)) writeFileSync(file, utils.generateKeyPairSync('ed25519').private, { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

function letIn(connection: ssh2.Connection, whenReady: (username: string) => void): void {
  let username = ''
  connection.on('error', () => {})
  connection.on('authentication', (attempt) => {
    username = attempt.username
    if (attempt.method === 'password') attempt.accept()
    else attempt.reject(['password'])
  })
  connection.on('ready', () => whenReady(username))
}

/** One machine, for one connection. */
function machine(hostKeys: string[], hostname: string): ssh2.Server {
  return new Server({ hostKeys, algorithms: ALGORITHMS }, (connection) => {
    letIn(connection, (username) => {
      connection.on('session', (accept) => serve(accept(), { hostname, username }))
    })
  })
}

function serve(session: ssh2.Session, place: { hostname: string; username: string }): void {
  session.on('pty', (accept) => accept?.())
  session.on('window-change', (accept) => accept?.())
  session.on('env', (accept) => accept?.())
  session.on('shell', (accept) => {
    const channel = accept()
    const end = () => {
      channel.exit(0)
      channel.end()
    }
    const shell = new DemoShell(place, (text) => channel.write(text), end)
    channel.on('data', (bytes: Buffer) => shell.input(bytes))
    channel.on('end', end)
    channel.on('close', () => shell.close())
    channel.on('error', () => {})
  })
  session.on('exec', (accept, _reject, { command }) => {
    const channel = accept()
    // Bytes, by a patch that the library's types don't know (ssh2/command-bytes.ts).
    const text = String(command).trim()
    const [, first, rest] = SCRIPT_MARK.exec(text) ?? []
    if (first && rest) return takeScript(channel, `${first}${rest}`, place)
    const answer = answersTo(text, place)
    if (answer) channel.write(`${answer}\n`)
    channel.exit(answer.includes('command not found') ? 127 : 0)
    channel.end()
  })
}

/** How a background job begins a script, which then comes by its input (kernel/ssh/script.ts). */
const SCRIPT_MARK = /echo (@@)""(\w+@@)/

/** Answers a script once it has come whole (`scripts.ts`). */
function takeScript(channel: ssh2.ServerChannel, mark: string, place: { hostname: string }): void {
  let script = ''
  channel.on('error', () => {})
  channel.on('data', (bytes: Buffer) => {
    script += bytes.toString()
  })
  channel.on('end', () => {
    const answer = answerToScript(script, place.hostname)
    if (answer === undefined) channel.stderr.write('The machines of the demo do not change\n')
    else channel.write(answer)
    channel.exit(answer === undefined ? 1 : 0)
    channel.end()
  })
  channel.write(`${mark}\n`)
  channel.stderr.write(`${mark}\n`)
}
