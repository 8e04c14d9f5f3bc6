/** The real HAProxy with the configuration that we ship, in front of nodes of this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../apps/server/test/free-port.ts'

const SHIPPED = new URL('../../deploy/haproxy/haproxy.cfg', import.meta.url)
const WAIT_LIMIT_MS = 60_000
const POLL_MS = 50

/** Where HAProxy finds a node. */
export interface NodeAddress {
  httpPort: number
  sshPort: number
}

export interface LoadBalancer {
  url: string
  sshPort: number
  /** Numbers of the nodes, from 1, that it sends people to now. */
  inUse(): Promise<number[]>
  /** Waits until it is so. */
  until(holds: (inUse: number[]) => boolean): Promise<void>
  stop(): Promise<void>
}

/** Starts it, and waits until it sends people to every node. */
export async function startLoadBalancer(nodes: readonly NodeAddress[]): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-haproxy-'))
  const [httpPort, sshPort] = [await freePort(), await freePort()]
  const socket = join(folder, 'admin.sock')
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(nodes, { httpPort, sshPort, socket }))
  // When this process is killed, it goes as well.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '/usr/sbin/haproxy', '-db', '-f', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output = (output + bytes).slice(-10_000)
    })
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const until = async (holds: (inUse: number[]) => boolean) => {
    const deadline = Date.now() + WAIT_LIMIT_MS
    for (let up: number[] | undefined; !up || !holds(up); up = await nodesInUse(socket).catch(() => undefined)) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`HAProxy has the nodes ${up} in use, and said:\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  try {
    await until((inUse) => inUse.length === nodes.length)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://127.0.0.1:${httpPort}`, sshPort, inUse: () => nodesInUse(socket), until, stop }
}

/** The shipped configuration, on ports of this machine: its three nodes are an example for any number. */
function configuration(
  nodes: readonly NodeAddress[],
  { httpPort, sshPort, socket }: { httpPort: number; sshPort: number; socket: string },
): string {
  const lines = readFileSync(SHIPPED, 'utf8').split('\n')
  return lines
    .filter((line) => !/^ {4}server node-(\d+)/.test(line) || Number(/node-(\d+)/.exec(line)?.[1]) <= nodes.length)
    .join('\n')
    .replace(/^global$/m, `global\n    stats socket ${socket}`)
    .replace('bind :8080', `bind 127.0.0.1:${httpPort}`)
    .replace('bind :2222', `bind 127.0.0.1:${sshPort}`)
    .replace(/node-(\d+):8080/g, (_, number) => `127.0.0.1:${nodes[number - 1]?.httpPort}`)
    .replace(/node-(\d+):2222 port 8080/g, (_, number) => {
      const node = nodes[number - 1]
      return `127.0.0.1:${node?.sshPort} port ${node?.httpPort}`
    })
}

/** Nodes that are in use for HTTP and for SSH, as HAProxy's own admin socket tells. */
async function nodesInUse(path: string): Promise<number[]> {
  const socket = connect(path)
  socket.end('show stat\n')
  let text = ''
  for await (const bytes of socket) text += bytes
  const [head = '', ...rows] = text.replace(/^# /, '').split('\n')
  const status = head.split(',').indexOf('status')
  const up = rows
    .map((row) => row.split(','))
    .filter((row) => row[status]?.startsWith('UP'))
    .map(([backend, server = '']) => ({ backend, number: Number(/^node-(\d+)$/.exec(server)?.[1]) }))
    .filter(({ number }) => number > 0)
  const ofSsh = up.filter(({ backend }) => backend === 'ssh_nodes').map(({ number }) => number)
  return up.flatMap(({ backend, number }) => (backend === 'nodes' && ofSsh.includes(number) ? [number] : [])).sort()
}
