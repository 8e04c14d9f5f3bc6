/** Sessions as a system user without a stored secret: the machine's own log names the person. */

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../../../domains/assets/sshd-fixture.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
let sshd: Sshd
let direct: string
let permission: string

beforeAll(async () => {
  fixture = await openSshFixture()
  const authority = join(fixture.folder, 'authority.pub')
  writeFileSync(authority, '')
  sshd = await startSshd({ config: `TrustedUserCAKeys ${authority}\n` })
  const machine = { hostname: 'by-certificate', port: sshd.port }
  const { target } = await fixture.target(machine, { username: sshd.username, by_certificate: true })
  const { admin } = fixture.server
  const [{ public_key }] = (await admin.get('/api/v1/assets/ssh-authorities/')).body
  writeFileSync(authority, `${public_key}\n`)
  const permissions = (await admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}`)).body
  permission = permissions[0].id
  direct = `${fixture.person.username}@${sshd.username}@by-certificate@127.0.0.1`
})
afterAll(async () => {
  await fixture?.close()
  await sshd?.close()
})

const accepted = () => sshd.log().match(/^Accepted publickey .*$/gm) ?? []
const lastSession = async () => (await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1')).body.results[0]

test('a command and a terminal work without a stored secret, and the log of the machine has the person and the session', async () => {
  const ran = await fixture.ssh(direct, 'echo here')
  expect([ran.code, ran.stdout.toString(), ran.stderr]).toEqual([0, 'here\n', ''])
  const keyId = `ID sallyport person=${fixture.person.username} session=`
  expect(accepted().at(-1)).toContain(`${keyId}${(await lastSession()).id} (serial `)
  const terminal = await fixture.ssh(direct, 'tty', { options: ['-tt'] })
  expect(terminal.stdout.toString()).toContain('/dev/pts/')
  expect(accepted().at(-1)).toContain(`${keyId}${(await lastSession()).id} (serial `)
  expect(new Set(accepted()).size).toBe(2)
})

test('so do files', async () => {
  const { options } = fixture.clientOptions()
  const file = join(fixture.folder, 'sent')
  writeFileSync(file, 'content')
  const sent = await fixture.run('scp', [...options, file, `${direct}:${file}.copy`])
  expect([sent.code, sent.stderr]).toEqual([0, ''])
  expect(accepted().at(-1)).toContain(`ID sallyport person=${fixture.person.username} `)
})

test('connections are forwarded with the right to it alone', async () => {
  const page = createServer((socket) => socket.end('the page'))
  await once(page.listen(0, '127.0.0.1'), 'listening')
  const { port } = page.address() as AddressInfo
  try {
    const through = () => fixture.run('ssh', [...fixture.clientOptions().options, '-W', `127.0.0.1:${port}`, direct])
    expect((await through()).stdout.toString()).toBe('')
    const url = `/api/v1/perms/asset-permissions/${permission}/`
    expect((await fixture.server.admin.patch(url, { forwarding: 'machine' })).status).toBe(200)
    expect((await through()).stdout.toString()).toBe('the page')
  } finally {
    page.close()
  }
})

test('where somebody confirmed the login, the log has the ticket as well', async () => {
  const { admin } = fixture.server
  const reviewer = await fixture.server.aPerson('reviewer')
  const rule = { name: 'four eyes', users: {}, system_users: {}, assets: {}, reviewers: [reviewer.id] }
  expect((await admin.post('/api/v1/acls/login-asset-acls/', rule)).status).toBe(201)
  const running = fixture.ssh(direct, 'echo confirmed', { options: ['-tt'] })
  const tickets = async () =>
    (await reviewer.get('/api/v1/tickets/tickets/?limit=10&type=login_asset_confirm')).body.results
  await expect.poll(async () => (await tickets()).length, { timeout: 15_000 }).toBe(1)
  const [{ id }] = await tickets()
  expect((await reviewer.put(`/api/v1/tickets/tickets/${id}/approve/`)).status).toBe(200)
  expect((await running).stdout.toString()).toContain('confirmed')
  expect(accepted().at(-1)).toMatch(new RegExp(`session=\\S+ ticket=${id} \\(serial`))
})
