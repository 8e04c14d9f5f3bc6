/** One connection of a person, made by `ssh -M`, with many channels on it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSshFixture, type Ran, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'

let fixture: SshFixture
/** Logins at the machine before the test. */
let before: number

beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture.close())
beforeEach(() => {
  before = fixture.sshd.logins()
})

let masters = 0

interface Master {
  run(command: string): Promise<Ran>
  /** Options by which other programs use it. */
  options: string[]
  leave(): Promise<void>
}

async function openMaster(): Promise<Master> {
  const { options } = fixture.clientOptions()
  const path = join(fixture.folder, `master-${++masters}`)
  const on = ['-o', `ControlPath=${path}`]
  const child = spawn('ssh', [...options, ...on, '-M', '-N', fixture.direct], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const control = (order: string) => fixture.run('ssh', [...options, ...on, '-O', order, fixture.direct])
  await expect.poll(async () => (await control('check')).code).toBe(0)
  return {
    run: (command) => fixture.run('ssh', [...options, ...on, fixture.direct, command]),
    options: [...options, ...on],
    async leave() {
      await control('exit')
      await ended
    },
  }
}

const logins = () => fixture.sshd.logins() - before

test('commands and files of one connection share one login at the machine, each with a session of its own', async () => {
  const master = await openMaster()
  const sessions = async () =>
    (await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1&offset=0')).body.count
  const earlier = await sessions()
  for (const word of ['one', 'two', 'three'])
    expect(await master.run(`echo ${word}`)).toMatchObject({ code: 0, stdout: Buffer.from(`${word}\n`) })
  const listed = await fixture.run('sftp', [...master.options, '-b', '-', fixture.direct], { input: 'pwd\n' })
  expect(listed.code).toBe(0)
  expect(logins()).toBe(1)
  expect((await sessions()) - earlier).toBe(3)
  await master.leave()
})

test('many commands at the same time share a login, as many as a machine takes on one', async () => {
  const master = await openMaster()
  const all = await Promise.all(Array.from({ length: 12 }, (_, n) => master.run(`sleep 1; echo ${n}`)))
  expect(all.map(({ stdout }) => Number(stdout.toString()))).toEqual(Array.from({ length: 12 }, (_, n) => n))
  expect(logins()).toBe(2)
  await master.leave()
})

test('a command ends alone, and what it says and its exit code are its own', async () => {
  const master = await openMaster()
  const long = master.run('sleep 2; echo still here; exit 7')
  expect(await master.run('echo short; exit 3')).toMatchObject({ code: 3, stdout: Buffer.from('short\n') })
  expect(await long).toMatchObject({ code: 7, stdout: Buffer.from('still here\n') })
  expect(logins()).toBe(1)
  await master.leave()
})

test('a dead connection to the machine is not used again', async () => {
  const master = await openMaster()
  expect((await master.run('true')).code).toBe(0)
  // The process that serves this login.
  await master.run('kill -9 $PPID')
  expect(await master.run('echo again')).toMatchObject({ code: 0, stdout: Buffer.from('again\n') })
  expect(logins()).toBe(2)
  await master.leave()
})

test('another connection of the same person logs in by itself', async () => {
  const [one, another] = [await openMaster(), await openMaster()]
  await one.run('true')
  await another.run('true')
  expect(logins()).toBe(2)
  await Promise.all([one.leave(), another.leave()])
})

test('a permission that is withdrawn ends everything on the connection, and lets nothing more begin', async () => {
  const { admin } = fixture.server
  const path = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  const master = await openMaster()
  const running = [master.run('echo begun; sleep 60'), master.run('echo begun; sleep 60')]
  const live = async () =>
    (await admin.get('/api/v1/terminal/sessions/?is_finished=false&limit=1&offset=0')).body.count as number
  await expect.poll(live).toBe(2)
  expect((await admin.patch(path, { is_active: false })).status).toBe(200)
  for (const { stderr } of await Promise.all(running))
    expect(stderr).toContain('Your permission for this asset has ended')
  const refused = await master.run('echo more')
  expect([refused.code, refused.stdout.toString()]).toEqual([255, ''])
  expect(logins()).toBe(1)
  expect((await admin.patch(path, { is_active: true })).status).toBe(200)
  await master.leave()
})
