/**
 * Several nodes as a company runs them: real processes with data directories of their own, one
 * PostgreSQL, one S3 server, and the real HAProxy in front, for HTTP and for SSH, without
 * stickiness.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../apps/server/test/free-port.ts'
import { type ObjectStore, startObjectStore } from '../../apps/server/test/object-store.ts'
import { type Installation, startInstallation } from '../installation.ts'
import { type Network, openNetwork } from '../network.ts'
import { type DatabaseServer, startDatabaseServer } from './database-server.ts'
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts'

export interface Cluster {
  /** Port of the load balancer. */
  url: string
  /** Where plain SSH clients come in, through the load balancer. */
  sshPort: number
  balancer: LoadBalancer
  database: DatabaseServer
  /** Where recordings are kept. */
  store: ObjectStore
  nodes: Node[]
  stop(): Promise<void>
}

export interface Node extends Installation {
  name: string
  /** On which the other nodes reach it. */
  link: Network
  /** Where VNC viewers come in, past the load balancer. */
  viewerPort: number
  /** On which it reaches PostgreSQL; only where the cluster was asked for such lines. */
  database: Network | undefined
  /** Starts it once more where it was, after it has ended; another version by its main file. */
  startAgain(main?: string): Promise<void>
}

export interface ClusterOptions {
  nodes?: number
  /** Each node comes to PostgreSQL by a line that can be cut. */
  databaseLines?: boolean
  /** By how many hours the clock of each node is off. */
  clocks?: readonly number[]
  /** On top of what nodes of a cluster share. */
  settings?: Record<string, string>
}

export async function startCluster({
  nodes: count = 3,
  databaseLines = false,
  clocks = [],
  settings = {},
}: ClusterOptions = {}): Promise<Cluster> {
  const [database, store] = await Promise.all([startDatabaseServer(), startObjectStore()])
  const nodes: Node[] = []
  let balancer: LoadBalancer | undefined
  const stop = async () => {
    await balancer?.stop()
    await Promise.all(nodes.map((node) => node.stop()))
    for (const { link, database: line } of nodes) for (const one of [link, line]) one?.close()
    await Promise.all([database.stop(), store.close()])
  }
  try {
    const shared = {
      DATABASE_URL: database.url,
      SALLYPORT_SECRET_KEY: randomBytes(32).toString('hex'),
      SALLYPORT_TRUSTED_PROXIES: '127.0.0.1',
      // Longer than HAProxy takes to notice.
      SALLYPORT_DRAIN_SECONDS: '4',
      ...store.environment,
      ...settings,
    }
    const starting = Array.from({ length: count }, async (_, index) => {
      const line = databaseLines ? await openNetwork({ path: database.socket }) : undefined
      const own = { ...(line ? { DATABASE_URL: database.urlAt(line.port) } : {}), ...clockOff(clocks[index]) }
      nodes.push(await startNode(index + 1, { ...shared, ...own }, line))
    })
    for (const one of await Promise.allSettled(starting)) if (one.status === 'rejected') throw one.reason
    nodes.sort((a, b) => a.name.localeCompare(b.name))
    balancer = await startLoadBalancer(
      nodes.map(({ url, sshPort }) => ({ httpPort: Number(new URL(url).port), sshPort })),
    )
    return { url: balancer.url, sshPort: balancer.sshPort, balancer, database, store, nodes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const clockOff = (hours: number | undefined): Record<string, string> =>
  hours ? { CLOCK_OFF_HOURS: String(hours), NODE_OPTIONS: `--import ${new URL('clock-off.ts', import.meta.url)}` } : {}

/** Other nodes reach it at an address that leads through `link`. */
async function startNode(number: number, shared: Record<string, string>, database?: Network): Promise<Node> {
  const name = `node-${number}`
  const [linkPort, httpPort, sshPort] = [await freePort(), await freePort(), await freePort()]
  const viewerPort = await freePort()
  const at = { host: `127.0.0.${number + 1}`, port: linkPort }
  const link = await openNetwork(linkPort, at)
  const settings = {
    ...shared,
    SALLYPORT_NODE_NAME: name,
    SALLYPORT_LINK_PORT: String(linkPort),
    SALLYPORT_LINK_ADDRESS: at.host,
    SALLYPORT_HTTP_PORT: String(httpPort),
    SALLYPORT_SSH_PORT: String(sshPort),
    SALLYPORT_VNC_PORT: String(viewerPort),
  }
  const first = await startInstallation({ data: mkdtempSync(join(tmpdir(), 'sallyport-node-')), settings })
  const node: Node = {
    ...first,
    name,
    link,
    viewerPort,
    database,
    async startAgain(main) {
      Object.assign(node, await startInstallation({ data: first.data, settings, main }))
    },
  }
  return node
}
