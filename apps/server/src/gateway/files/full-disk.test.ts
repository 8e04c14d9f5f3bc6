/** Work that cannot be logged is not done: the disk of the server is full. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mountSmallDisk, type SmallDisk } from '../../../test/small-disk.ts'
import { openSshFixture, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'

const WORDS = 'This cannot be logged at the moment and is therefore not done'

// Only root can mount a small file system.
describe.skipIf(process.getuid?.() !== 0)('while the server cannot write', () => {
  let fixture: SshFixture
  let data: string
  let folder: string
  let disk: SmallDisk
  let box: string
  let local: string

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'sallyport-full-'))
    folder = join(data, 'files')
    disk = mountSmallDisk(folder)
    box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
    local = mkdtempSync(join(tmpdir(), 'sallyport-local-'))
    fixture = await openSshFixture({ SALLYPORT_DATA_DIR: data })
  })
  afterAll(async () => {
    await fixture?.close()
    disk?.unmount()
    for (const folder of [data, box, local]) rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    for (const folder of [box, local])
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    writeFileSync(join(local, 'new'), 'new')
    writeFileSync(join(box, 'there'), 'there')
    // Earlier rows have to be in the database, and forgotten here.
    await expect.poll(() => readFileSync(join(folder, 'file-log.journal')).length).toBe(0)
    disk.fill()
  })

  const sftp = (commands: string[]) =>
    fixture.run('sftp', [...fixture.clientOptions().options, '-b', '-', fixture.direct], {
      input: `${commands.join('\n')}\n`,
    })
  const rows = async () => (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1&offset=0')).body.count

  test.for([
    ['put', () => `put ${local}/new ${box}/new`],
    ['get', () => `get ${box}/there ${local}/taken`],
    ['rm', () => `rm ${box}/there`],
    ['rename', () => `rename ${box}/there ${box}/moved`],
    ['mkdir', () => `mkdir ${box}/folder`],
  ] as const)('sftp %s is refused in plain words and does nothing; with room again it goes on', async ([, command]) => {
    const earlier = await rows()
    const refused = await sftp([command()])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(WORDS)])
    expect(readdirSync(box)).toEqual(['there'])
    expect(readdirSync(local)).toEqual(['new'])
    expect(await rows()).toBe(earlier)
    disk.empty()
    expect(await sftp([command()])).toMatchObject({ code: 0, stderr: '' })
    await expect.poll(rows).toBe(earlier + 1)
  })

  test.for([
    ['over SFTP', []],
    ['by its old protocol', ['-O']],
  ] as const)('scp %s is refused in plain words, in both directions', async ([, options]) => {
    const { options: own } = fixture.clientOptions()
    const scp = (from: string, to: string) => fixture.run('scp', [...own, ...options, from, to])
    const up = await scp(join(local, 'new'), `${fixture.direct}:${box}/new`)
    const down = await scp(`${fixture.direct}:${box}/there`, join(local, 'taken'))
    for (const { code, stderr } of [up, down])
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(WORDS)])
    expect([up.code, down.code]).not.toContain(0)
    expect([existsSync(join(box, 'new')), existsSync(join(local, 'taken'))]).toEqual([false, false])
    disk.empty()
  })

  test('the file manager answers with the words', async () => {
    const { server, person, asset } = fixture
    const headers = {
      authorization: `Bearer ${person.token}`,
      cookie: 'django_language=en',
      'content-type': 'application/octet-stream',
    }
    const path = encodeURIComponent(`/@${asset}/`)
    const upload = await fetch(`${server.url}/koko/files/content/?path=${path}new&offset=0`, {
      method: 'PUT',
      headers,
      body: 'new',
    })
    expect([upload.status, JSON.stringify(await upload.json())]).toEqual([400, expect.stringContaining(WORDS)])
    disk.empty()
  })

  test.for([
    ['sz', () => `sz ${box}/there`],
    ['rz', () => `cd ${box}; rz`],
  ] as const)(
    '%s in a terminal is stopped in plain words and moves nothing; with room again it begins',
    async ([program, line], { skip }) => {
      if (spawnSync(program, ['--version']).error) skip('lrzsz is not installed')
      const earlier = await rows()
      const terminal = await fixture.open(fixture.person)
      await terminal.see(/[#$] /)
      terminal.type(`PS1=$'ready\\x24 '; clear\r`)
      await terminal.see('ready$ ')
      terminal.type(`${line()}\r`)
      await terminal.see(WORDS)
      await terminal.see('ready$ ')
      expect(terminal.messages.map(({ data }) => data)).not.toContain('ZMODEM_START')
      expect(readdirSync(box)).toEqual(['there'])
      expect(await rows()).toBe(earlier)
      disk.empty()
      terminal.type(`${line()}\r`)
      await expect.poll(() => terminal.messages.map(({ data }) => data)).toContain('ZMODEM_START')
      terminal.close()
      await terminal.closed
    },
  )
})
