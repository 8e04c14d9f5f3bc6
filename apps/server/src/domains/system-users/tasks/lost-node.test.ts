import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AssetsFixture, openAssetsFixture } from '../../assets/assets-fixture.ts'
import { type Sshd, startSshd } from '../../assets/sshd-fixture.ts'

let fixture: AssetsFixture
let another: AssetsFixture | undefined
let sshd: Sshd

beforeAll(async () => {
  fixture = await openAssetsFixture({ worker: false })
  sshd = await startSshd()
  await fixture.kernel.jobs.start()
})
afterAll(async () => {
  await another?.close()
  await fixture?.close()
  await sshd?.close()
})

test('[A1.11] a run whose node is killed is carried on by another: hosts that were finished are not contacted again', async () => {
  // Silent to the first who comes, an open door to all others.
  const sockets = new Set<Socket>()
  const reached = Promise.withResolvers<void>()
  let isFirst = true
  const door = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    reached.resolve()
    if (isFirst) {
      isFirst = false
      return
    }
    const onward = connect(sshd.port, '127.0.0.1')
    sockets.add(onward.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const login = { name: 'boss', type: 'admin', username: sshd.username, private_key: sshd.privateKey }
  const boss = await fixture.make('system-users', login)
  const anAsset = async (hostname: string, port: number) => {
    const where = { hostname, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${port}`], admin_user: boss.id }
    const { id } = await fixture.make('assets', { ...where, is_active: false })
    await fixture.call('PATCH', `/api/v1/assets/assets/${id}/`, { is_active: true })
    return id
  }
  const assets = [await anAsset('finished', sshd.port), await anAsset('half', (door.address() as AddressInfo).port)]
  const node = spawn(
    process.execPath,
    [new URL('./worker-node-fixture.ts', import.meta.url).pathname, JSON.stringify(fixture.connection)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    await once(node.stdout, 'data')
    const { task } = (await fixture.call('POST', '/api/v1/assets/assets/tasks/', { action: 'test', assets })).body
    const run = async () => (await fixture.call('GET', `/api/v1/ops/adhoc-executions/${task}/`)).body
    await reached.promise
    await expect.poll(async () => (await run()).stat).toEqual({ total: 2, success: 1, failed: 0 })
    const killed = once(node, 'exit')
    node.kill('SIGKILL')
    await killed
    // Its last word was long ago.
    await fixture.pool.query(`UPDATE kernel_job SET date_heard = now() - interval '1 hour' WHERE id = $1`, [task])
    another = await openAssetsFixture({ given: fixture, lookSeconds: 1 })
    await another.kernel.jobs.start()
    await expect.poll(async () => (await run()).is_finished).toBe(true)
    expect(await run()).toMatchObject({ is_success: true, stat: { total: 2, success: 2, failed: 0 } })
    // One by each node, each on its machine.
    await expect.poll(() => sshd.logins()).toBe(2)
    const log = (await fixture.call('GET', `/api/v1/ops/ansible/task/${task}/log/`)).body.data as string
    expect([...log.matchAll(/^(\w+)\(.* SUCCESS/gm)].map(([, name]) => name)).toEqual(['finished', 'half'])
  } finally {
    node.kill('SIGKILL')
    for (const socket of sockets) socket.destroy()
    door.close()
  }
})
