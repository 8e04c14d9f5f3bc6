import { createHash, randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ANN,
  type AssetsFixture,
  admin,
  as,
  BOB,
  component,
  openAssetsFixture,
  ordinary,
  otherAdmin,
} from '../../assets/assets-fixture.ts'
import { type Sshd, startSshd } from '../../assets/sshd-fixture.ts'
import { closeLostTasks } from '../../ops/index.ts'

let fixture: AssetsFixture
let sshd: Sshd
let boss: { id: string }

beforeAll(async () => {
  fixture = await openAssetsFixture()
  sshd = await startSshd()
  await fixture.kernel.jobs.start()
  boss = await fixture.make('system-users', {
    name: 'boss',
    username: sshd.username,
    private_key: sshd.privateKey,
    type: 'admin',
  })
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
})

async function finished(
  task: string,
  headers = admin,
): Promise<{ state: string; log: string; result: Record<string, unknown> }> {
  for (;;) {
    const { body } = await fixture.call('GET', `/api/v1/ops/celery/task/${task}/result/`, undefined, headers)
    if (body.state === 'SUCCESS' || body.state === 'FAILURE')
      return { state: body.state, result: body.result, log: await wholeLog(task, headers) }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function wholeLog(task: string, headers = admin): Promise<string> {
  let text = ''
  let mark = ''
  for (;;) {
    const { body } = await fixture.call('GET', `/api/v1/ops/celery/task/${task}/log/?mark=${mark}`, undefined, headers)
    text += body.data
    if (body.end) return text
    mark = body.mark
  }
}

const anAsset = (hostname: string, more: Record<string, unknown> = {}) =>
  // Inactive at first: a new active asset with an admin user is contacted by itself, which only one
  // test is about.
  fixture.make('assets', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
    is_active: false,
    ...more,
  })
const activate = (id: string) => fixture.call('PATCH', `/api/v1/assets/assets/${id}/`, { is_active: true })

test('[A3.47 A3.16] connectivity and hardware of a real machine are read over ssh and can be followed in the log', async () => {
  const asset = await anAsset('real', { admin_user: boss.id })
  await activate(asset.id)
  const { status, body } = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })
  expect(status).toBe(201)
  const tested = await finished(body.task)
  expect(tested.log).toContain(`real(127.0.0.1) | ${sshd.username} | SUCCESS`)
  expect(tested.log).toContain('\r\n')
  expect(tested.result).toEqual({ success: 1, failed: 0, skipped: 0 })
  const refreshed = await fixture.call('POST', '/api/v1/assets/assets/tasks/', {
    action: 'refresh',
    assets: [asset.id],
  })
  expect((await finished(refreshed.body.task)).log).toContain('os_arch')
  const row = (await fixture.call('GET', `/api/v1/assets/assets/${asset.id}/`)).body
  expect(row.connectivity).toBe('ok')
  expect(row.date_verified).toMatch(/^\d{4}\//)
  expect(row.cpu_vcpus).toBeGreaterThan(0)
  expect(row.memory).toMatch(/^[\d.]+ [GMT]B$/)
  expect(row.hardware_info).toContain('Core')
  expect(row.hostname_raw).not.toBe('')
  const accounts = (await fixture.call('GET', `/api/v1/assets/system-users-assets-relations/?asset=${asset.id}`)).body
  expect(accounts[0].connectivity).toBe('ok')
  const identity = await fixture.call('POST', `/api/v1/assets/system-users/${boss.id}/tasks/`, {
    action: 'test',
    asset: asset.id,
  })
  expect((await finished(identity.body.task)).result).toEqual({ success: 1, failed: 0, skipped: 0 })
})

test('[A2.06] the log is for who started the task and for those who administer or audit its organization', async () => {
  const asset = await anAsset('secret')
  const { body } = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })
  const url = `/api/v1/ops/celery/task/${body.task}/log/`
  expect((await fixture.call('GET', url, undefined, ordinary)).status).toBe(404)
  expect((await fixture.call('GET', url, undefined, as({ user: BOB, orgRoles: ['Auditor'] }))).status).toBe(200)
  expect(
    (
      await fixture.call(
        'GET',
        url,
        undefined,
        as({ user: BOB, orgRoles: ['Admin'], org: '11111111-1111-4111-8111-111111111111' }),
      )
    ).status,
  ).toBe(404)
  expect((await fixture.call('GET', '/api/v1/ops/celery/task/22222222-2222-4222-8222-222222222222/log/')).status).toBe(
    404,
  )
})

test('[A1.25] an asset with a domain is reached through its gateway, and a gateway that fails is passed over', async () => {
  const domain = await fixture.make('domains', { name: 'inner' })
  const dead = await fixture.make('gateways', {
    name: 'dead',
    ip: '127.0.0.1',
    port: 1,
    domain: domain.id,
    username: sshd.username,
    private_key: sshd.privateKey,
  })
  const asset = await anAsset('inside', { admin_user: boss.id, domain: domain.id })
  await activate(asset.id)
  const first = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })
  expect((await finished(first.body.task)).result).toMatchObject({ success: 0, failed: 1 })
  expect((await fixture.call('GET', `/api/v1/assets/assets/${asset.id}/`)).body.connectivity).toBe('failed')
  expect((await fixture.call('GET', `/api/v1/assets/gateways/${dead.id}/`)).body.is_connective).toBe(false)
  const live = await fixture.make('gateways', {
    name: 'live',
    ip: '127.0.0.1',
    port: sshd.port,
    domain: domain.id,
    username: sshd.username,
    private_key: sshd.privateKey,
  })
  const second = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })
  expect((await finished(second.body.task)).result).toMatchObject({ success: 1, failed: 0 })
  expect((await fixture.call('POST', `/api/v1/assets/gateways/${live.id}/test-connective/`, {})).body).toBe('ok')
  const refused = await fixture.call('POST', `/api/v1/assets/gateways/${dead.id}/test-connective/`, {})
  expect(refused.status).toBe(400)
  expect(refused.body).toEqual({ error: 'The server could not be reached' })
  const shown = (await fixture.call('GET', `/api/v1/assets/assets/${asset.id}/gateways/`)).body
  expect(JSON.stringify(shown)).not.toContain('PRIVATE KEY')
  const opened = (await fixture.call('GET', `/api/v1/assets/assets/${asset.id}/gateways/`, undefined, component)).body
  expect(opened[0].private_key).toContain('PRIVATE KEY')
})

test('[A3.47] a changed host key is refused until an administrator accepts it, which is audited', async () => {
  const asset = await anAsset('pinned', { admin_user: boss.id })
  await activate(asset.id)
  const run = async () =>
    finished((await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })).body.task)
  expect((await run()).result).toMatchObject({ success: 1 })
  await sshd.changeHostKey()
  const refused = await run()
  expect(refused.result).toMatchObject({ success: 0, failed: 1 })
  expect(refused.log).toContain('The host key has changed')
  const keysUrl = `/api/v1/assets/assets/${asset.id}/host-keys/`
  const keys = (await fixture.call('GET', keysUrl)).body as { id: string; state: string; fingerprint: string }[]
  expect(keys.map((key) => key.state)).toEqual(['pinned', 'refused'])
  const [old, changed] = keys as unknown as [(typeof keys)[0], (typeof keys)[0]]
  expect((await fixture.call('POST', `${keysUrl}accept/`, { id: old.id })).status).toBe(404)
  expect((await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id }, otherAdmin)).status).toBe(404)
  expect((await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id }, ordinary)).status).toBe(403)
  const accepted = await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id })
  expect(accepted.body).toMatchObject([{ fingerprint: changed.fingerprint, state: 'pinned', accepted_by: 'Ann(ann)' }])
  expect(fixture.operations.at(-1)?.resource).toContain(changed.fingerprint)
  expect((await run()).result).toMatchObject({ success: 1 })
})

test('[A1.25] a gateway’s changed host key is refused, and accepted by an administrator of its organization alone', async () => {
  const domain = await fixture.make('domains', { name: 'rekeyed' })
  const way = await fixture.make('gateways', {
    name: 'rekeyed',
    ip: '127.0.0.1',
    port: sshd.port,
    domain: domain.id,
    username: sshd.username,
    private_key: sshd.privateKey,
  })
  const test = async () => (await fixture.call('POST', `/api/v1/assets/gateways/${way.id}/test-connective/`, {})).body
  const keysUrl = `/api/v1/assets/gateways/${way.id}/host-keys/`
  expect(await test()).toBe('ok')
  await sshd.changeHostKey()
  expect(await test()).toEqual({ error: 'The host key has changed: an administrator must trust the new one first' })
  const changed = (await fixture.call('GET', keysUrl)).body.find((key: { state: string }) => key.state === 'refused')
  expect((await fixture.call('GET', keysUrl, undefined, otherAdmin)).status).toBe(404)
  expect((await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id }, otherAdmin)).status).toBe(404)
  expect((await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id }, ordinary)).status).toBe(403)
  const asset = await anAsset('bystander')
  expect(
    (await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/host-keys/accept/`, { id: changed.id })).status,
  ).toBe(404)
  const accepted = (await fixture.call('POST', `${keysUrl}accept/`, { id: changed.id })).body
  expect(accepted).toContainEqual(expect.objectContaining({ id: changed.id, state: 'pinned', accepted_by: 'Ann(ann)' }))
  expect(fixture.operations.at(-1)?.resource).toBe(`rekeyed(127.0.0.1) 127.0.0.1:${sshd.port} ${changed.fingerprint}`)
})

/** The headers of a socket: it lives as long as the sign-in behind it. */
async function signedIn(user: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const token = randomUUID()
  await fixture.pool.query(
    `INSERT INTO authentication_bearer_token (token_hash, token_sealed, user_id, remote_addr, date_expired)
     VALUES ($1, '', $2, $3, now() + interval '1 hour')`,
    [createHash('sha256').update(token).digest(), user, token],
  )
  return { ...headers, authorization: `Bearer ${token}` }
}

test('[A2.06] the socket streams a running log and stays open for the next task', async () => {
  const asset = await anAsset('stream', { admin_user: boss.id })
  await activate(asset.id)
  const { body } = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'refresh' })
  const socket = await fixture.app.injectWS('/ws/ops/tasks/log/', {
    socket: new Socket(),
    headers: await signedIn(ANN, admin),
  })
  let text = ''
  const whole = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const { message, task } = JSON.parse(data.toString())
      expect(task).toBe(body.task)
      text += message
      if (text.includes('skipped=')) resolve()
    })
  })
  socket.send(JSON.stringify({ task: body.task, type: 'celery' }))
  await whole
  expect(text).toContain('Update asset hardware info\r\n')
  socket.terminate()
})

test('[A3.16 A3.47] a new active asset with an admin user is tested and asked for its hardware by itself', async () => {
  const asset = await anAsset('fresh', { admin_user: boss.id, is_active: true })
  const { rows } = await fixture.pool.query<{ id: string }>(
    `SELECT t.id FROM ops_background_task t JOIN kernel_job j ON j.id = t.id
     JOIN ops_adhoc_host h ON h.adhoc = (j.data->>'adhoc')::uuid WHERE h.asset = $1 ORDER BY t.date_created`,
    [asset.id],
  )
  expect(rows).toHaveLength(2)
  for (const { id } of rows) expect((await finished(id)).result).toMatchObject({ success: 1 })
  expect((await fixture.call('GET', `/api/v1/assets/assets/${asset.id}/`)).body).toMatchObject({
    connectivity: 'ok',
    os_arch: expect.any(String),
  })
})

test('[A2.06] the socket is for people who are signed in, and tells no stranger anything of a task', async () => {
  await expect(fixture.app.injectWS('/ws/ops/tasks/log/', { socket: new Socket() })).rejects.toThrow('401')
  const asset = await anAsset('hidden')
  const { body } = await fixture.call('POST', `/api/v1/assets/assets/${asset.id}/tasks/`, { action: 'test' })
  await finished(body.task)
  const socket = await fixture.app.injectWS('/ws/ops/tasks/log/', {
    socket: new Socket(),
    headers: await signedIn(BOB, ordinary),
  })
  const answered = new Promise<{ message: string }>((resolve) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString())))
  })
  socket.send(JSON.stringify({ task: body.task }))
  expect((await answered).message).toBe('Not found.\r\n')
  socket.terminate()
})

test('[A2.06] a task whose worker died ends as failed, one that is still queued does not', async () => {
  const lost = '99999999-9999-4999-8999-999999999999'
  const queued = await fixture.kernel.jobs.send(
    'ops.run_task',
    { task: lost, adhoc: lost },
    { startAfterSeconds: 3600 },
  )
  for (const id of [lost, queued]) {
    await fixture.pool.query(
      "INSERT INTO ops_background_task (id, org_id, user_id, name, state, date_created) VALUES ($1, $2, $3, 'Test', 'STARTED', now() - interval '2 hours')",
      [id, fixture.root.org_id, ANN],
    )
  }
  await closeLostTasks(fixture.kernel)
  const state = async (id: string) => (await fixture.call('GET', `/api/v1/ops/celery/task/${id}/result/`)).body.state
  expect([await state(lost), await state(queued)]).toEqual(['FAILURE', 'STARTED'])
  expect((await fixture.call('GET', `/api/v1/ops/celery/task/${lost}/log/`)).body).toMatchObject({
    data: '',
    end: true,
  })
})

test('[A2.26] an account is tested with its own login, one by one or as the filters select, and says whether it works', async () => {
  const asset = await anAsset('accounts', { is_active: true })
  const good = await fixture.make('accounts', {
    username: sshd.username,
    asset: asset.id,
    private_key: sshd.privateKey,
  })
  const bad = await fixture.make('accounts', { username: 'nobody-here', asset: asset.id, password: 'wrong' })
  const url = '/api/v1/assets/accounts/'
  const one = await fixture.call('POST', `${url}${good.id}/verify/`, { action: 'test' })
  expect((await finished(one.body.task)).log).toContain(`accounts(127.0.0.1) | ${sshd.username} | SUCCESS`)
  const all = await fixture.call('POST', `${url}tasks/?asset=${asset.id}`, { action: 'test' })
  expect(all.status).toBe(201)
  expect((await finished(all.body.task)).result).toEqual({ success: 1, failed: 1, skipped: 0 })
  const state = async (id: string) => (await fixture.call('GET', `${url}${id}/`)).body.connectivity
  expect([await state(good.id), await state(bad.id)]).toEqual(['ok', 'failed'])
  expect((await fixture.call('POST', `${url}${good.id}/verify/`, { action: 'test' }, otherAdmin)).status).toBe(404)
  expect((await fixture.call('POST', `${url}${good.id}/verify/`, { action: 'push' })).status).toBe(400)
})
