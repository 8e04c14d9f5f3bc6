import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import type { Person } from '../session/person.ts'
import { openSftpServer, type SftpTestServer, sftp } from './sftp-fixture.ts'

let fixture: TerminalFixture
let sftpServer: SftpTestServer
let worker: Caller
let local: string
/** Folders that confine the system users `one` and `two`. */
let boxes: Record<'one' | 'two', string>
const nodes: Record<string, string> = {}

beforeAll(async () => {
  fixture = await openTerminalFixture()
  local = mkdtempSync(join(tmpdir(), 'sallyport-local-'))
  boxes = { one: mkdtempSync(join(tmpdir(), 'sallyport-one-')), two: mkdtempSync(join(tmpdir(), 'sallyport-two-')) }
  const { created, sshd, server } = fixture
  worker = await server.aPerson('worker')
  const { body: roots } = await server.admin.get('/api/v1/assets/nodes/children/')
  const root = roots[0].id as string
  const node = async (name: string, parent = root) => {
    nodes[name] = (await server.admin.post(`/api/v1/assets/nodes/${parent}/children/`, { value: name })).body.id
    return nodes[name]
  }
  const web = await node('web')
  await node('db')
  await node('blue', web)
  const asset = (hostname: string, more: Record<string, unknown> = {}) =>
    created('/api/v1/assets/assets/', {
      hostname,
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${sshd.port}`],
      nodes: [web],
      ...more,
    })
  const single = await asset('single')
  const double = await asset('double')
  const sameName = await asset('blue')
  const windows = await asset('windows', { protocols: ['rdp/3389'] })
  const off = await asset('off', { is_active: false })
  const account = (name: string, more: Record<string, unknown> = {}) =>
    created('/api/v1/assets/system-users/', {
      name,
      username: sshd.username,
      private_key: sshd.privateKey,
      protocol: 'ssh',
      auto_push: false,
      ...more,
    })
  const one = await account('one', { sftp_root: boxes.one })
  const two = await account('a/two', { sftp_root: boxes.two })
  const switched = await account('switched', { su_enabled: true, su_from: one })
  const grant = (name: string, body: unknown) =>
    created('/api/v1/perms/asset-permissions/', { name, users: [worker.id], ...(body as object) })
  await grant('node', { nodes: [web], system_users: [one] })
  await grant('two', { assets: [double], system_users: [two, switched] })
  for (const id of [single, sameName, windows, off]) expect(id).toBeDefined()
  const person: Person = {
    id: worker.id,
    name: 'worker',
    username: 'worker',
    language: 'en',
    remoteAddress: '::1',
    loginFrom: 'ST',
  }
  sftpServer = await openSftpServer(server.kernel, person, {
    tree: 'granted',
    switched: { assetId: double, systemUserId: switched },
  })
})
afterAll(async () => {
  await sftpServer.close()
  await fixture.close()
  for (const folder of [local, ...Object.values(boxes)]) rmSync(folder, { recursive: true, force: true })
})

const listing = async (path: string) => {
  const { code, stdout } = await sftp(sftpServer, 'tree', [`ls -1 ${path}`])
  expect(code).toBe(0)
  return stdout
    .split('\n')
    .filter((line) => line && !line.startsWith('sftp>'))
    .map((line) => line.slice(line.lastIndexOf('/') + 1))
}

test('the tree shows granted nodes, assets that serve files by host name, and their accounts where there are several', async () => {
  expect(await listing('/')).toEqual(['Default'])
  expect(await listing('/Default')).toEqual(['web'])
  // The node comes first; the asset of the same name gets an underscore. The Windows machine and
  // the one that is off are missing.
  expect(await listing('/Default/web')).toEqual(['blue', 'blue_', 'double', 'single'])
  expect(await listing('/Default/web/double')).toEqual(['a_two', 'one'])
})

test('below an account are its own files; an asset with one account shows them at once', async () => {
  writeFileSync(join(boxes.one, 'of-one'), '1')
  writeFileSync(join(boxes.two, 'of-two'), '2')
  expect(await listing('/Default/web/single')).toEqual(['of-one'])
  expect(await listing('/Default/web/double/one')).toEqual(['of-one'])
  expect(await listing('/Default/web/double/a_two')).toEqual(['of-two'])
})

test('names that begin with a dot are left out of lists, and can be reached', async () => {
  mkdirSync(join(boxes.one, '.ssh'))
  writeFileSync(join(boxes.one, '.ssh', 'config'), 'dotted')
  const { stdout } = await sftp(sftpServer, 'tree', ['ls -1a /Default/web/single'])
  expect(stdout).not.toContain('.ssh')
  expect(await sftp(sftpServer, 'tree', [`get /Default/web/single/.ssh/config ${local}/config`])).toMatchObject({
    code: 0,
  })
  expect(readFileSync(join(local, 'config'), 'utf8')).toBe('dotted')
})

test('above the machines nothing can be changed', async () => {
  writeFileSync(join(local, 'file'), 'x')
  for (const command of [
    'mkdir /Default/new',
    'mkdir /new',
    `put ${local}/file /Default/web/file`,
    'rmdir /Default/web',
    'rmdir /Default/web/double',
    'rm /Default/web',
    'rename /Default/web /Default/other',
    'rmdir /Default/web/single',
    'rename /Default/web/single /Default/web/other',
  ]) {
    expect([command, (await sftp(sftpServer, 'tree', [command])).code]).toEqual([command, 1])
  }
  expect(await listing('/Default/web')).toEqual(['blue', 'blue_', 'double', 'single'])
})

test('a file is renamed within its machine and account only', async () => {
  writeFileSync(join(boxes.one, 'moving'), 'm')
  for (const command of [
    'rename /Default/web/double/one/moving /Default/web/double/a_two/moving',
    'rename /Default/web/single/moving /Default/web/double/one/moved',
    'symlink /Default/web/double/a_two/of-two /Default/web/double/one/link',
  ]) {
    expect([command, (await sftp(sftpServer, 'tree', [command])).code]).toEqual([command, 1])
  }
  expect(await sftp(sftpServer, 'tree', ['rename /Default/web/single/moving /Default/web/single/moved'])).toMatchObject(
    {
      code: 0,
    },
  )
  expect(readdirSync(boxes.one)).toContain('moved')
  expect(readdirSync(boxes.one)).not.toContain('link')
  expect(readdirSync(boxes.two)).toEqual(['of-two'])
})

test('mode and times that a client sets are accepted and left', async () => {
  writeFileSync(join(boxes.one, 'plain'), 'x', { mode: 0o640 })
  expect(
    await sftp(sftpServer, 'tree', ['chmod 777 /Default/web/single/plain', 'ls -l /Default/web/single/plain']),
  ).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('-rw-r-----'),
  })
})

test('a system user that is reached by switching has no files, also when it is named', async () => {
  const { code, stderr } = await sftp(sftpServer, 'switched', ['ls'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('it has no file access')
})

test('with the setting for it names that begin with a dot are listed', async () => {
  fixture.server.kernel.config.sftpShowHidden = true
  const { stdout } = await sftp(sftpServer, 'tree', ['ls -1a /Default/web/single'])
  fixture.server.kernel.config.sftpShowHidden = false
  expect(stdout).toContain('.ssh')
})

test('an asset that is not granted any more is gone from the tree', async () => {
  const { admin } = fixture.server
  const { body } = await admin.get('/api/v1/perms/asset-permissions/?name=two')
  expect((await admin.patch(`/api/v1/perms/asset-permissions/${body[0].id}/`, { is_active: false })).status).toBe(200)
  expect(await listing('/Default/web/double')).toContain('of-one')
})

test('directly granted assets are under Ungrouped with the setting for it', async () => {
  const { admin } = fixture.server
  await settingsOf(fixture.server.kernel).set('PERM_SINGLE_ASSET_TO_UNGROUP_NODE', true)
  const { body } = await admin.get('/api/v1/perms/asset-permissions/?name=two')
  await admin.patch(`/api/v1/perms/asset-permissions/${body[0].id}/`, { is_active: true })
  expect(await listing('/')).toEqual(['Default', 'Ungrouped'])
  expect(await listing('/Ungrouped')).toEqual(['double'])
})
