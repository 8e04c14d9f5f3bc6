/**
 * What more nodes bring: requests and new sessions a second through HAProxy with one, two and three
 * nodes, in turn, against one node without HAProxy, in the same run. Nodes, PostgreSQL, S3 server,
 * sshd, HAProxy and the load share this machine's processors: with as few as two, more nodes have
 * no more to work with, and what is measured is what the nodes cost each other.
 *
 *   node_modules/.bin/node bench/nodes.ts            # BENCH_ROUNDS=3 BENCH_SECONDS=4 BENCH_SESSIONS=30
 */
import { availableParallelism } from 'node:os'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { openTerminal } from '../apps/server/src/gateway/listeners/web/terminal-fixture.ts'
import { signInAsAdministrator } from '../e2e/cluster/administrator.ts'
import { type Cluster, startCluster } from '../e2e/cluster/cluster.ts'
import { startLoadBalancer } from '../e2e/cluster/load-balancer.ts'
import { describeMachine } from '../e2e/machine.ts'
import { keepRatio, median } from './figures.ts'
import { PASSWORD } from './installation.ts'
import { load } from './load.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 30)
const CONNECTIONS = 12
/** So many people open a session at the same time. */
const AT_A_TIME = 6
const PATH = '/api/v1/assets/assets/?limit=15&offset=0'

/** A way in, and what came through it in each round. */
interface Way {
  name: string
  url: string
  requests: number[]
  sessions: number[]
}

async function waysInto(cluster: Cluster): Promise<{ ways: Way[]; close(): Promise<void> }> {
  const addresses = cluster.nodes.map(({ url, sshPort }) => ({ httpPort: Number(new URL(url).port), sshPort }))
  const [first, second] = [
    await startLoadBalancer(addresses.slice(0, 1)),
    await startLoadBalancer(addresses.slice(0, 2)),
  ]
  const way = (name: string, url = ''): Way => ({ name, url, requests: [], sessions: [] })
  return {
    ways: [
      way('1 node, no HAProxy', cluster.nodes[0]?.url),
      way('1 node', first.url),
      way('2 nodes', second.url),
      way('3 nodes', cluster.url),
    ],
    async close() {
      await Promise.all([first.stop(), second.stop()])
    },
  }
}

/** New sessions a second: each is opened up to its prompt, and closed. */
async function sessionsThrough(url: string, token: string, machine: { asset: string; systemUser: string }) {
  let left = SESSIONS
  const person = async () => {
    while (left-- > 0) {
      const terminal = await openTerminal(
        url,
        { token },
        { type: 'ssh', target: machine.asset, systemUser: machine.systemUser },
      )
      await terminal.see(/[#$] /)
      terminal.close()
      await terminal.closed
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: AT_A_TIME }, person))
  return SESSIONS / ((performance.now() - start) / 1000)
}

const sshd = await startSshd()
// The one who sends everything here has no share to keep to.
const cluster = await startCluster({
  settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, SALLYPORT_REQUESTS_PER_PERSON: '100000000' },
})
const { ways, close } = await waysInto(cluster)
try {
  const machine = await describeMachine(cluster, sshd, PASSWORD)
  const { token } = await signInAsAdministrator(cluster.url, PASSWORD)
  const request = { path: PATH, headers: { authorization: `Bearer ${token}` }, connections: CONNECTIONS }
  // Every node has compiled what it runs, before anything counts.
  for (const { url } of ways) {
    await load({ ...request, port: Number(new URL(url).port), seconds: 1 })
    await sessionsThrough(url, token, machine)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      way.requests.push((await load({ ...request, port: Number(new URL(way.url).port), seconds: SECONDS })).perSecond)
      way.sessions.push(await sessionsThrough(way.url, token, machine))
    }
  }
  const [baseline] = ways
  if (!baseline) throw new Error('no baseline')
  console.log(`${availableParallelism()} processors for everything, median of ${ROUNDS}`)
  for (const { name, requests, sessions } of ways) {
    const [perSecond, opened] = [median(requests), median(sessions)]
    keepRatio(`${name}: requests`, perSecond / median(baseline.requests), 'more')
    keepRatio(`${name}: new sessions`, opened / median(baseline.sessions), 'more')
    console.log(
      `${name.padEnd(20)} ${perSecond.toFixed(0).padStart(6)} requests/s, ratio ${(perSecond / median(baseline.requests)).toFixed(2)}` +
        `   ${opened.toFixed(1).padStart(5)} sessions/s, ratio ${(opened / median(baseline.sessions)).toFixed(2)}`,
    )
  }
} finally {
  await close()
  await cluster.stop()
  await sshd.close()
}
