import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import type { Person } from '../session/person.ts'
import { closeFileConnections } from './file-connections.ts'
import { FileRights } from './file-rights.ts'
import { SftpClient } from './sftp/sftp-client.ts'
import { OPEN } from './sftp/sftp-wire.ts'
import { openSftpServer, type SftpTestServer, sftp, startSftp } from './sftp-fixture.ts'

let fixture: TerminalFixture
let sftpServer: SftpTestServer
let worker: Caller
let asset: string
let systemUser: string
let permission: string
let box: string
let local: string

beforeAll(async () => {
  fixture = await openTerminalFixture()
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  local = mkdtempSync(join(tmpdir(), 'sallyport-local-'))
  const { created, sshd, server } = fixture
  worker = await server.aPerson('worker')
  asset = await created('/api/v1/assets/assets/', {
    hostname: 'vault',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  systemUser = await created('/api/v1/assets/system-users/', {
    name: 'keeper',
    username: sshd.username,
    private_key: sshd.privateKey,
    protocol: 'ssh',
    auto_push: false,
    sftp_root: box,
  })
  permission = await created('/api/v1/perms/asset-permissions/', {
    name: 'vault',
    users: [worker.id],
    assets: [asset],
    system_users: [systemUser],
  })
  const person: Person = {
    id: worker.id,
    name: 'worker',
    username: 'worker',
    language: 'en',
    remoteAddress: '::1',
    loginFrom: 'ST',
  }
  sftpServer = await openSftpServer(server.kernel, person, {
    machine: { assetId: asset, systemUserId: systemUser },
    foreign: { assetId: fixture.asset, systemUserId: fixture.systemUser },
  })
})
afterAll(async () => {
  await sftpServer.close()
  await fixture.close()
  for (const folder of [box, local]) rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  for (const folder of [box, local])
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  await patched(`/api/v1/perms/asset-permissions/${permission}/`, { actions: ['all'], is_active: true })
  await newRows()
})

async function patched(path: string, body: unknown): Promise<void> {
  expect((await fixture.server.admin.patch(path, body)).status).toBe(200)
}

let seen = 0
async function newRows(): Promise<unknown[][]> {
  await sftpServer.idle()
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1000&offset=0')
  const rows = (body.results as Record<string, unknown>[]).reverse()
  const fresh = rows.slice(seen)
  seen = rows.length
  return fresh.map(({ operate, filename, is_success }) => [operate, filename, is_success])
}

const granted = (actions: string[]) => patched(`/api/v1/perms/asset-permissions/${permission}/`, { actions })

test('without the right to download one may look and bring files, but not take any', async () => {
  await granted(['connect', 'upload_file'])
  writeFileSync(join(box, 'secret'), 'kept')
  writeFileSync(join(local, 'new'), 'new')
  expect(await sftp(sftpServer, 'machine', [`ls ${box}`, `put ${local}/new ${box}/new`])).toMatchObject({ code: 0 })
  const refused = await sftp(sftpServer, 'machine', [`get ${box}/secret ${local}/taken`])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('Permission denied')
  expect(existsSync(join(local, 'taken'))).toBe(false)
  expect(readFileSync(join(box, 'new'), 'utf8')).toBe('new')
  expect(await newRows()).toEqual([
    ['Upload', `${box}/new`, true],
    ['Download', `${box}/secret`, false],
  ])
})

test('without the right to upload nothing on the machine can be changed, in whatever way', async () => {
  await granted(['connect', 'download_file'])
  writeFileSync(join(box, 'file'), 'as it was')
  mkdirSync(join(box, 'folder'))
  writeFileSync(join(local, 'new'), 'new')
  const before = statSync(join(box, 'file')).mode
  expect(await sftp(sftpServer, 'machine', [`get ${box}/file ${local}/file`])).toMatchObject({ code: 0 })
  for (const command of [
    `put ${local}/new ${box}/file`,
    `put ${local}/new ${box}/new`,
    `mkdir ${box}/more`,
    `rm ${box}/file`,
    `rmdir ${box}/folder`,
    `rename ${box}/file ${box}/other`,
    `symlink file ${box}/link`,
    `chmod 777 ${box}/file`,
  ]) {
    const { code, stderr } = await sftp(sftpServer, 'machine', [command])
    expect([command, code, /permission denied/i.test(stderr)]).toEqual([command, 1, true])
  }
  expect(readdirSync(box).sort()).toEqual(['file', 'folder'])
  expect(readFileSync(join(box, 'file'), 'utf8')).toBe('as it was')
  expect(statSync(join(box, 'file')).mode).toBe(before)
  expect(await newRows()).toEqual([
    ['Download', `${box}/file`, true],
    ['Upload', `${box}/file`, false],
    ['Upload', `${box}/new`, false],
    ['Mkdir', `${box}/more`, false],
    ['Delete', `${box}/file`, false],
    ['Rmdir', `${box}/folder`, false],
    ['Rename', `${box}/file=>${box}/other`, false],
    ['Symlink', `file=>${box}/link`, false],
  ])
})

test('somebody without permission, or whose permission has ended, is refused in words and reaches nothing', async () => {
  const foreign = await sftp(sftpServer, 'foreign', ['ls'])
  expect(foreign.code).not.toBe(0)
  expect(foreign.stderr).toContain('You have no permission to connect to this asset')
  await patched(`/api/v1/perms/asset-permissions/${permission}/`, { is_active: false })
  const ended = await sftp(sftpServer, 'machine', ['ls'])
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toContain('You have no permission to connect to this asset: yours is switched off')
})

/** Polls until it is so; the test's own time limit is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** One megabyte a second, in small steps. */
const SLOWLY = ['-l', '8000', '-B', '32768', '-R', '4']

const ENDINGS: [string, (now: boolean) => Promise<void>][] = [
  ['the right to move files is withdrawn', (now) => granted(now ? ['connect'] : ['all'])],
  [
    'the permission is switched off',
    (now) => patched(`/api/v1/perms/asset-permissions/${permission}/`, { is_active: !now }),
  ],
  [
    'the permission ends',
    (now) =>
      patched(
        `/api/v1/perms/asset-permissions/${permission}/`,
        now ? { date_expired: '2020/01/01 00:00:00 +0000' } : { date_expired: '2099/01/01 00:00:00 +0000' },
      ),
  ],
  ['the person is disabled', (now) => patched(`/api/v1/users/users/${worker.id}/`, { is_active: !now })],
  ['the asset is disabled', (now) => patched(`/api/v1/assets/assets/${asset}/`, { is_active: !now })],
]

test.for(ENDINGS)('a running transfer stops when %s, and counts as broken off', async ([, end]) => {
  writeFileSync(join(box, 'long'), '')
  truncateSync(join(box, 'long'), 2 ** 31)
  writeFileSync(join(local, 'long'), '')
  truncateSync(join(local, 'long'), 2 ** 31)
  // Left alone both would take half an hour.
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const down = startSftp(sftpServer, 'machine', [`get ${box}/long ${local}/down`], SLOWLY)
  const up = startSftp(sftpServer, 'machine', [`put ${local}/long ${box}/up`], SLOWLY)
  const started = (path: string) => existsSync(path) && statSync(path).size > 0
  await until(() => started(join(local, 'down')) && started(join(box, 'up')))
  await end(true)
  // Their rights are looked at every two seconds.
  vi.advanceTimersByTime(2000)
  const ended = await Promise.all([down.ended, up.ended])
  expect(ended.map(({ code }) => code)).toEqual([1, 1])
  await end(false)
  expect((await newRows()).sort()).toEqual([
    ['Download', `${box}/long`, false],
    ['Upload', `${box}/up`, false],
  ])
})

test('a person whose right is withdrawn while they are connected opens no further file, within seconds', async () => {
  writeFileSync(join(box, 'file'), 'content')
  const { channel, close } = await sftpServer.raw('machine')
  const client = await SftpClient.start(channel, { close })
  const opened = async () => {
    await client.closeHandle(await client.open(`${box}/file`, OPEN.READ))
    return 'opened'
  }
  expect(await opened()).toBe('opened')
  await granted(['connect', 'upload_file'])
  const outcome = () => opened().catch((error: Error) => error.message)
  await expect.poll(outcome).toBe('You have no permission to download from this asset')
  client.close()
  await newRows()
})

test('without an answer about rights the last one holds, but not beyond its end', async () => {
  const answer = { allowed: true, mask: 255, actions: [] }
  let expireAt = Date.now() / 1000 + 60
  let answers = true
  const rights = new FileRights(async () => {
    if (!answers) throw new Error('the database is away')
    return { ...answer, expireAt }
  })
  expect((await rights.current())('download_file')).toBe(true)
  answers = false
  expect((await rights.current())('download_file')).toBe(true)
  await expect(rights.demand('download_file')).rejects.toThrow('the database is away')
  answers = true
  expireAt = Date.now() / 1000 - 1
  await rights.current()
  answers = false
  expect((await rights.current())('download_file')).toBe(false)
})

test('where one answer serves several questions, each is asked again once the permission has ended', async () => {
  for (const inBulk of [false, true]) {
    let asked = 0
    const expireAt = Date.now() / 1000 - 1
    const rights = new FileRights(async () => ({ allowed: ++asked === 1, mask: 255, actions: [], expireAt }), {
      inBulk,
    })
    await rights.demand('connect')
    await expect(rights.demand('connect')).rejects.toThrow('You have no permission to connect')
  }
})

test('a client that goes away in the middle leaves transfers that count as broken off', async () => {
  writeFileSync(join(box, 'long'), '')
  truncateSync(join(box, 'long'), 2 ** 31)
  const down = startSftp(sftpServer, 'machine', [`get ${box}/long ${local}/down`], SLOWLY)
  await until(() => existsSync(join(local, 'down')) && statSync(join(local, 'down')).size > 0)
  down.child.kill('SIGKILL')
  await down.ended
  expect(await newRows()).toEqual([['Download', `${box}/long`, false]])
})

test('a node that is stopped in the middle writes down what it breaks off', async () => {
  writeFileSync(join(box, 'long'), '')
  truncateSync(join(box, 'long'), 2 ** 31)
  const down = startSftp(sftpServer, 'machine', [`get ${box}/long ${local}/down`], SLOWLY)
  await until(() => existsSync(join(local, 'down')) && statSync(join(local, 'down')).size > 0)
  await closeFileConnections(fixture.server.kernel)
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1&offset=0')
  expect(body.results[0]).toMatchObject({ operate: 'Download', filename: `${box}/long`, is_success: false })
  expect((await down.ended).code).toBe(1)
  await newRows()
})

test('a machine whose host key has changed gets no secret, and the person sees why', async () => {
  expect(await sftp(sftpServer, 'machine', ['ls'])).toMatchObject({ code: 0 })
  await fixture.sshd.changeHostKey()
  const { code, stderr } = await sftp(sftpServer, 'machine', ['ls'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('The host key has changed')
})

test('a system user that is signed in by hand is refused in plain words', async () => {
  await patched(`/api/v1/assets/system-users/${systemUser}/`, { login_mode: 'manual' })
  const { code, stderr } = await sftp(sftpServer, 'machine', ['ls'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('enter it in the console first')
})
