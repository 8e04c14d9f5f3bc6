import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startSshd } from '../../domains/assets/sshd-fixture.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import type { Person } from '../session/person.ts'
import { FileConnections } from './file-connections.ts'
import { openSftpServer, type Ran, run, type SftpTestServer, sftp } from './sftp-fixture.ts'

let fixture: TerminalFixture
let sftpServer: SftpTestServer
let person: Person
/**
 * The folder that the system user `boxed` is kept in; `plain` sees the whole machine and begins at
 * home.
 */
let box: string
let local: string
let boxed: { target: string; systemUser: string }
let plain: { target: string; systemUser: string }

beforeAll(async () => {
  fixture = await openTerminalFixture()
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  local = mkdtempSync(join(tmpdir(), 'sallyport-local-'))
  const { port, username, privateKey } = fixture.sshd
  boxed = await fixture.target({ port }, { username, private_key: privateKey, sftp_root: box })
  plain = await fixture.target({ port }, { username, private_key: privateKey, sftp_root: 'home' })
  const { id } = fixture.person
  person = {
    id,
    name: 'walker of test',
    username: 'walker',
    language: 'en',
    remoteAddress: '127.0.0.1',
    loginFrom: 'ST',
  }
  sftpServer = await openSftpServer(fixture.server.kernel, person, {
    boxed: { assetId: boxed.target, systemUserId: boxed.systemUser },
    plain: { assetId: plain.target, systemUserId: plain.systemUser },
    tree: 'granted',
  })
})
afterAll(async () => {
  await sftpServer.close()
  await fixture.close()
  for (const folder of [box, local]) rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  for (const folder of [box, local])
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
})

const succeeds = async (ran: Promise<Ran>) => expect(await ran).toMatchObject({ code: 0, stderr: '' })

const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Rows of the FTP log since the last look, oldest first: operate, file, success. */
let seen = 0
async function newRows(): Promise<unknown[][]> {
  await sftpServer.idle()
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1000&offset=0')
  const rows = (body.results as Record<string, unknown>[]).reverse()
  const fresh = rows.slice(seen)
  seen = rows.length
  return fresh.map(({ operate, filename, is_success }) => [operate, filename, is_success])
}

test('50 MB go up and come down whole, straight to the machine and through the tree', async () => {
  await newRows()
  writeFileSync(join(local, 'big'), randomBytes(50 * 1024 * 1024))
  await succeeds(sftp(sftpServer, 'boxed', [`put ${local}/big ${box}/big`, `get ${box}/big ${local}/back`]))
  expect(sum(join(local, 'back'))).toBe(sum(join(local, 'big')))
  expect(await newRows()).toEqual([
    ['Upload', `${box}/big`, true],
    ['Download', `${box}/big`, true],
  ])
  await succeeds(
    sftp(sftpServer, 'tree', ['cd Default/target-1', `put ${local}/big again`, `get again ${local}/again`]),
  )
  expect(sum(join(box, 'again'))).toBe(sum(join(local, 'big')))
  expect(sum(join(local, 'again'))).toBe(sum(join(local, 'big')))
  expect(await newRows()).toEqual([
    ['Upload', `${box}/again`, true],
    ['Download', `${box}/again`, true],
  ])
})

test('twenty clients at once each get what is theirs', async () => {
  await newRows()
  const clients = Array.from({ length: 20 }, (_, n) => n)
  for (const n of clients) writeFileSync(join(local, `up-${n}`), randomBytes(1_000_000 + n))
  const ran = clients.map((n) =>
    sftp(sftpServer, 'boxed', [`put ${local}/up-${n} ${box}/at-${n}`, `get ${box}/at-${n} ${local}/down-${n}`]),
  )
  expect((await Promise.all(ran)).map(({ code }) => code)).toEqual(clients.map(() => 0))
  expect(clients.filter((n) => sum(join(local, `up-${n}`)) !== sum(join(local, `down-${n}`)))).toEqual([])
  expect((await newRows()).length).toBe(40)
})

test('a row of the FTP log names person, machine, account and address', async () => {
  await newRows()
  await succeeds(sftp(sftpServer, 'boxed', [`mkdir ${box}/new`]))
  await sftpServer.idle()
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1&offset=0')
  expect(body.results[0]).toMatchObject({
    user: 'walker of test(walker)',
    asset: 'target-1(127.0.0.1)',
    system_user: `target-1(${fixture.sshd.username})`,
    remote_addr: '127.0.0.1',
    operate: 'Mkdir',
    filename: `${box}/new`,
    is_success: true,
  })
})

test('files of a machine in another network go through its gateway, whose host key is pinned too', async () => {
  const { created, sshd, server } = fixture
  const jump = await startSshd()
  try {
    const domain = await created('/api/v1/assets/domains/', { name: 'behind' })
    const gateway = {
      name: 'jump',
      ip: '127.0.0.1',
      port: jump.port,
      protocol: 'ssh',
      domain,
      username: jump.username,
      private_key: jump.privateKey,
    }
    await created('/api/v1/assets/gateways/', gateway)
    const { username, privateKey, port } = sshd
    const behind = await fixture.target({ port, domain }, { username, private_key: privateKey, sftp_root: box })
    const files = new FileConnections(server.kernel, { person, view: 'folder', showHidden: false })
    await (await files.to(behind.target, behind.systemUser)).mkdir('/through')
    expect(readdirSync(box)).toEqual(['through'])
    await files.close()
    await jump.changeHostKey()
    const again = new FileConnections(server.kernel, { person, view: 'folder', showHidden: false })
    await expect(again.to(behind.target, behind.systemUser)).rejects.toThrow('The host key has changed')
    await again.close()
  } finally {
    await jump.close()
  }
})

test('many small files go up and come down with their folders, by sftp -r and by scp -rp with mode and time', async () => {
  const source = join(local, 'many')
  for (const folder of ['a', 'b/c']) {
    mkdirSync(join(source, folder), { recursive: true })
    for (let n = 0; n < 40; n++) writeFileSync(join(source, folder, `file ${n}`), randomBytes(n * 37))
  }
  utimesSync(join(source, 'a', 'file 7'), 1_600_000_000, 1_600_000_000)
  const hostOf = (path: string) => `scp://boxed@127.0.0.1:${sftpServer.port}/${path}`
  await succeeds(run('scp', [...sftpServer.options, '-rp', source, hostOf(`${box}/by-scp`)]))
  expect(
    await sftp(sftpServer, 'tree', ['cd Default/target-1', `put -r ${source} by-sftp`, `get -r by-sftp ${local}/down`]),
  ).toMatchObject({
    code: 0,
  })
  for (const copy of [join(box, 'by-scp'), join(box, 'by-sftp'), join(local, 'down')]) {
    expect(await run('diff', ['-r', source, copy])).toMatchObject({ code: 0, stdout: '' })
  }
  expect(statSync(join(box, 'by-scp', 'a', 'file 7')).mtimeMs).toBe(1_600_000_000_000)
})

test('a transfer that was broken off goes on where it stopped, in both directions', async () => {
  writeFileSync(join(local, 'whole'), randomBytes(3_000_000))
  writeFileSync(join(box, 'part'), readFileSync(join(local, 'whole')).subarray(0, 1_234_567))
  await succeeds(sftp(sftpServer, 'boxed', [`reput ${local}/whole ${box}/part`]))
  expect(sum(join(box, 'part'))).toBe(sum(join(local, 'whole')))
  writeFileSync(join(local, 'part'), readFileSync(join(local, 'whole')))
  truncateSync(join(local, 'part'), 1_000_001)
  await succeeds(sftp(sftpServer, 'boxed', [`reget ${box}/part ${local}/part`]))
  expect(sum(join(local, 'part'))).toBe(sum(join(local, 'whole')))
})

test('every change is written down, whether it came about or not', async () => {
  await newRows()
  writeFileSync(join(local, 'f'), 'x')
  const done = await sftp(sftpServer, 'boxed', [
    `cd ${box}`,
    'mkdir folder',
    `put ${local}/f folder/one`,
    'rename folder/one folder/two',
    'symlink two folder/link',
    '-rmdir folder',
    'rm folder/link',
    'rm folder/two',
    'rmdir folder',
    '-get missing',
  ])
  expect(done.code).toBe(0)
  expect(await newRows()).toEqual([
    ['Mkdir', `${box}/folder`, true],
    ['Upload', `${box}/folder/one`, true],
    ['Rename', `${box}/folder/one=>${box}/folder/two`, true],
    ['Symlink', `two=>${box}/folder/link`, true],
    ['Rmdir', `${box}/folder`, false],
    ['Delete', `${box}/folder/link`, true],
    ['Delete', `${box}/folder/two`, true],
    ['Rmdir', `${box}/folder`, true],
  ])
})

test('in the tree a folder goes with everything in it, links in it are not followed', async () => {
  await newRows()
  mkdirSync(join(box, 'folder/deep/er'), { recursive: true })
  mkdirSync(join(local, 'kept'))
  writeFileSync(join(local, 'kept', 'file'), 'kept')
  for (let n = 0; n < 150; n++) writeFileSync(join(box, 'folder/deep', `${n}`), '')
  symlinkSync(join(local, 'kept'), join(box, 'folder/deep/link'))
  await succeeds(sftp(sftpServer, 'tree', ['rmdir Default/target-1/folder']))
  expect(existsSync(join(box, 'folder'))).toBe(false)
  expect(readFileSync(join(local, 'kept', 'file'), 'utf8')).toBe('kept')
  expect(await newRows()).toEqual([['Rmdir', `${box}/folder`, true]])
})

test.for([
  ['spaces', 'a  b '],
  ['Chinese', '报告 最终版.txt'],
  ['a newline', 'two\nlines'],
  ['a leading dash', '-rf'],
  ['quotes and a backslash', `it's "q" \\n`],
  ['a star', '*'],
])('a name with %s comes through as it is', async ([, name]) => {
  writeFileSync(join(local, 'source'), name as string)
  const remote = `${box}/${name}`
  const scp = (...words: string[]) => run('scp', [...sftpServer.options, '-P', String(sftpServer.port), '--', ...words])
  // scp reads a star in a remote name as a pattern, with backslashes before what is none.
  const pattern = remote.replaceAll(/[\\*?[\]]/g, '\\$&')
  await succeeds(scp(join(local, 'source'), `boxed@127.0.0.1:${remote}`))
  expect(readdirSync(box)).toEqual([name])
  await succeeds(scp(`boxed@127.0.0.1:${pattern}`, join(local, 'back')))
  expect(readFileSync(join(local, 'back'), 'utf8')).toBe(name)
})

test('a name that is not UTF-8 keeps its bytes everywhere, and the log tells them', async () => {
  const latin = (text: string) => Buffer.from(text, 'latin1')
  const names = () => readdirSync(box, { encoding: 'buffer' }).map((name) => name.toString('latin1'))
  writeFileSync(latin(`${local}/café`), 'latin')
  await newRows()
  const commands = [
    `put ${local}/café ${box}/café`,
    `rename ${box}/café ${box}/thé`,
    `get ${box}/thé ${local}/back-é`,
    `mkdir ${box}/étage`,
    `rmdir ${box}/étage`,
  ]
  await succeeds(sftp(sftpServer, 'plain', commands, [], 'latin1'))
  expect(names()).toEqual(['thé'])
  expect(readFileSync(latin(`${local}/back-é`), 'utf8')).toBe('latin')
  const scp = (from: string, to: string) =>
    run('bash', ['-c', `scp ${sftpServer.options.join(' ')} -P ${sftpServer.port} ${from} ${to}`])
  await succeeds(scp(`${local}/$'caf\\xe9'`, `plain@127.0.0.1:${box}/$'caf\\xe9'`))
  expect(names().sort()).toEqual(['café', 'thé'])
  await succeeds(scp(`plain@127.0.0.1:${box}/$'caf\\xe9'`, `${local}/copy`))
  expect(readFileSync(join(local, 'copy'), 'utf8')).toBe('latin')
  await succeeds(sftp(sftpServer, 'plain', [`rm ${box}/*`]))
  expect(names()).toEqual([])
  const [cafe, the] = [`$'${box}/caf\\xe9'`, `$'${box}/th\\xe9'`]
  const [uploaded, renamed, fetched, made, unmade, sent, taken, ...removed] = await newRows()
  expect([uploaded, renamed, fetched, sent, taken]).toEqual([
    ['Upload', cafe, true],
    ['Rename', `${cafe}=>${the}`, true],
    ['Download', the, true],
    ['Upload', cafe, true],
    ['Download', cafe, true],
  ])
  expect([made, unmade]).toEqual(['Mkdir', 'Rmdir'].map((operate) => [operate, `$'${box}/\\xe9tage'`, true]))
  expect(removed.sort()).toEqual([cafe, the].map((name) => ['Delete', name, true]))
})

test('a name that looks like a quoted one in the log is quoted itself', async () => {
  writeFileSync(join(box, "$'x'"), '')
  await newRows()
  await succeeds(sftp(sftpServer, 'boxed', [`cd ${box}`, `rm *`]))
  expect(await newRows()).toEqual([['Delete', `${box}/$'x'`, true]])
})

test('cp copies on the machine itself, ln makes a second name, each with its rows', async () => {
  writeFileSync(join(box, 'file'), 'content'.repeat(100_000))
  await newRows()
  await succeeds(sftp(sftpServer, 'boxed', [`cp ${box}/file ${box}/copy`, `ln ${box}/file ${box}/second`]))
  expect(sum(join(box, 'copy'))).toBe(sum(join(box, 'file')))
  expect(statSync(join(box, 'second')).ino).toBe(statSync(join(box, 'file')).ino)
  expect((await newRows()).sort()).toEqual([
    ['Download', `${box}/file`, true],
    ['Symlink', `${box}/file=>${box}/second`, true],
    ['Upload', `${box}/copy`, true],
  ])
})

test('a link out of the folder is neither copied nor linked', async () => {
  writeFileSync(join(local, 'outside'), 'outside')
  for (const command of [`cp ${local}/outside ${box}/copy`, `ln ${local}/outside ${box}/second`]) {
    const { code, stderr } = await sftp(sftpServer, 'boxed', [command])
    expect([code, /permission denied/i.test(stderr)]).toEqual([1, true])
  }
  expect(readdirSync(box)).toEqual([])
})

test('in the tree, files of two machines are not copied or linked to each other', async () => {
  writeFileSync(join(box, 'file'), 'file')
  for (const word of ['cp', 'ln'])
    expect(await sftp(sftpServer, 'tree', [`${word} Default/target-1/file Default/target-2/tmp/never`])).toMatchObject({
      code: 1,
    })
})

test('~ is the home of the account for scp, and the folder for who is kept in one', async () => {
  const scp = (from: string, to: string) => run('scp', [...sftpServer.options, '-P', String(sftpServer.port), from, to])
  writeFileSync(join(local, 'file'), 'file')
  await succeeds(scp(join(local, 'file'), 'boxed@127.0.0.1:~/arrived'))
  expect(readdirSync(box)).toEqual(['arrived'])
  expect((await scp('boxed@127.0.0.1:~root/.bashrc', join(local, 'taken'))).code).not.toBe(0)
})

test('the owner of a file is shown by name', async () => {
  writeFileSync(join(box, 'file'), 'file')
  const { stdout } = await sftp(sftpServer, 'boxed', [`ls -ln ${box}`, `ls -l ${box}`])
  expect(stdout).toContain(fixture.sshd.username)
})
