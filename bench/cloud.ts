/**
 * A cloud of 50,000 machines synced by one task: the first time, when each becomes an asset, and once
 * more, when nothing is new. The cloud is the one of the tests, in a thread of its own, whose memory
 * does not count. Fails where what the server holds on to grows by more than so many megabytes: it
 * must not depend on how many machines there are. Every few seconds its garbage is collected to see
 * that, which is part of the time.
 *
 *   node_modules/.bin/node bench/cloud.ts              # BENCH_MACHINES=50000
 */
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { administratorToken, openInstallation } from './installation.ts'

const MACHINES = Number(process.env.BENCH_MACHINES ?? 50_000)
const MOST_MEGABYTES = 200
const REGION = 'ap-shanghai'
const MEGABYTE = 1024 * 1024
const LOOK_MS = 5000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function serveCloud(): Promise<void> {
  const { machinesFrom, startClouds } = await import(
    '../apps/server/src/domains/cloud/providers/cloud-server-fixture.ts'
  )
  const { publicCloud } = await import('../apps/server/src/domains/cloud/providers/public-clouds-fixture.ts')
  const clouds = await startClouds(publicCloud)
  // It keeps every call for tests to look at.
  clouds.asked.push = () => 0
  clouds.machines.set(REGION, machinesFrom(MACHINES))
  parentPort?.postMessage(clouds.url)
}

async function measure(): Promise<void> {
  const { KEYS } = await import('../apps/server/src/domains/cloud/providers/public-clouds-fixture.ts')
  const { licenseSettings } = await import('../apps/server/test/license.ts')
  const worker = new Worker(new URL(import.meta.url))
  const [url] = (await once(worker, 'message')) as [string]
  const { server, close } = await openInstallation({ SALLYPORT_CLOUD_RELAY: url, ...licenseSettings(30) })
  try {
    const { pool } = server.kernel
    const token = await administratorToken(pool)
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${server.url}/api/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-jms-org': '00000000-0000-0000-0000-000000000002',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    }
    const account = await call('POST', 'xpack/cloud/accounts/', { name: 'Tencent', provider: 'qcloud', attrs: KEYS })
    const node = await call('POST', 'assets/nodes/', { value: 'cloud' })
    const task = await call('POST', 'xpack/cloud/sync-instance-tasks/', {
      ...{ name: 'all', account: account.id, regions: [REGION], node: node.id, is_periodic: false, interval: null },
    })
    for (const name of ['first', 'again']) {
      collectGarbage()
      const before = process.memoryUsage()
      let most = before
      const timer = setInterval(() => {
        collectGarbage()
        const now = process.memoryUsage()
        most = { ...now, rss: Math.max(most.rss, now.rss), heapUsed: Math.max(most.heapUsed, now.heapUsed) }
      }, LOOK_MS)
      const begin = performance.now()
      const { task: run } = await call('GET', `xpack/cloud/sync-instance-tasks/${task.id}/run/`)
      let state = ''
      while (!['SUCCESS', 'FAILURE'].includes(state)) {
        await new Promise((resolve) => setTimeout(resolve, 250))
        state = (await call('GET', `ops/celery/task/${run}/result/`)).state
      }
      clearInterval(timer)
      const seconds = (performance.now() - begin) / 1000
      const history = await call('GET', `xpack/cloud/sync-instance-tasks/${task.id}/history/?limit=1`)
      const grown = (most.heapUsed - before.heapUsed) / MEGABYTE
      console.log(
        `${name}: ${state} ${JSON.stringify(history.results[0].summary)} in ${seconds.toFixed(1)} s, ${(MACHINES / seconds).toFixed(0)} machines/s; holds +${grown.toFixed(0)} MB at most, memory ${(most.rss / MEGABYTE).toFixed(0)} MB (${(before.rss / MEGABYTE).toFixed(0)} before)`,
      )
      if (state !== 'SUCCESS' || grown > MOST_MEGABYTES) process.exitCode = 1
    }
  } finally {
    await close()
    await worker.terminate()
  }
}

await (isMainThread ? measure() : serveCloud())
