import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Caller } from '../../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../web/terminal-fixture.ts'

let fixture: TerminalFixture
let worker: Caller
let stranger: Caller
let permission: string
let asset: string
/** Files of each of the two machines, and their path. */
let box: string
let otherBox: string
let top: string
let otherTop: string

beforeAll(async () => {
  fixture = await openTerminalFixture({ SALLYPORT_HTTP_STALL_SECONDS: '1' })
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  otherBox = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  const { server } = fixture
  worker = await server.aPerson('worker')
  stranger = await server.aPerson('stranger')
  const [here, there] = [await machine('vault', box), await machine('cellar', otherBox)]
  asset = here.asset
  permission = here.permission
  top = `/@${here.asset}`
  otherTop = `/@${there.asset}`
})
afterAll(async () => {
  await fixture.close()
  for (const folder of [box, otherBox]) rmSync(folder, { recursive: true, force: true })
})

async function machine(hostname: string, root: string) {
  const { created, sshd } = fixture
  const asset = await created('/api/v1/assets/assets/', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const keeper = await created('/api/v1/assets/system-users/', {
    name: `keeper of ${hostname}`,
    username: sshd.username,
    private_key: sshd.privateKey,
    protocol: 'ssh',
    auto_push: false,
    sftp_root: root,
  })
  const permission = await created('/api/v1/perms/asset-permissions/', {
    name: hostname,
    users: [worker.id],
    assets: [asset],
    system_users: [keeper],
  })
  return { asset, permission }
}

const q = encodeURIComponent
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const get = (address: string, caller = worker) =>
  fetch(`${fixture.server.url}/koko/files/${address}`, {
    headers: { authorization: `Bearer ${caller.token}`, cookie: 'django_language=en' },
  })
const part = (path: string, bytes: Buffer, query: string) =>
  fetch(`${fixture.server.url}/koko/files/content/?path=${q(top + path)}${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${worker.token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
const withActions = (actions: string[]) =>
  fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { actions })
/** Entries of the log about a file, newest first. */
const logged = async (filename: string): Promise<[string, boolean][]> => {
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=100')
  return body.results
    .filter((row: { filename: string }) => row.filename === filename)
    .map((row: { operate: string; is_success: boolean }) => [row.operate, row.is_success])
}
/** The lines that a copy says. */
const copied = async (body: object, caller = worker) => {
  const answer = await fetch(`${fixture.server.url}/koko/files/copy/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      cookie: 'django_language=en',
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    lines: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

test('[A2.67] a machine is found by its id for whom it is granted, with what may be done there; for others there is none', async () => {
  const { body } = await worker.get(`/koko/files/?path=${top}`)
  expect(body).toMatchObject({ is_machine: true, top, may_upload: true, may_download: true, entries: [] })
  await withActions(['connect', 'download_file'])
  expect((await worker.get(`/koko/files/?path=${top}`)).body).toMatchObject({ may_upload: false, may_download: true })
  await withActions(['all'])
  expect((await stranger.get(`/koko/files/?path=${top}`)).status).toBe(404)
  expect((await worker.get(`/koko/files/?path=/@${worker.id}`)).status).toBe(404)
  expect((await worker.get('/koko/files/?path=/@nonsense')).status).toBe(404)
})

test('an upload in parts is one file and one row in the log; a part that does not fit is refused', async () => {
  const bytes = randomBytes(3_000_000)
  expect((await part('/parts', bytes.subarray(0, 1_000_000), '&more=1')).status).toBe(204)
  expect((await part('/parts', bytes.subarray(1_000_000, 2_000_000), '&offset=1000000&more=1')).status).toBe(204)
  expect(await logged(`${box}/parts`)).toEqual([])
  expect((await part('/parts', bytes.subarray(2_000_000), '&offset=2000000')).status).toBe(204)
  expect(hash(readFileSync(join(box, 'parts')))).toBe(hash(bytes))
  expect(await logged(`${box}/parts`)).toEqual([['Upload', true]])
  expect((await part('/parts', bytes, '&offset=5')).status).toBe(409)
})

/** A request by a caller, or by nobody, whose body is sent bit by bit; settles with all that was answered. */
async function sending(line: string, type: string, length: string, caller?: Caller) {
  const { hostname: host, port } = new URL(fixture.server.url)
  const socket = connect({ host, port: Number(port) })
  await once(socket, 'connect')
  const credential = caller ? [`Authorization: Bearer ${caller.token}`] : []
  socket.write(
    [
      `${line} HTTP/1.1`,
      'Host: sallyport',
      'Connection: close',
      ...credential,
      `Content-Type: ${type}`,
      length,
      '',
      '',
    ].join('\r\n'),
  )
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  const answered = once(socket, 'close').then(() => heard)
  return { socket, answered }
}
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

test('an upload and an import go on for as long as something comes; what stops coming is answered with 408', async () => {
  const { admin } = fixture.server
  const content = (name: string) => `PUT /koko/files/content/?path=${q(`${top}/${name}`)}`
  const render = 'POST /api/v1/assets/labels/render-to-json/'
  const chunked = 'Transfer-Encoding: chunked'
  const file = await sending(content('slow'), 'application/octet-stream', chunked, worker)
  const table = await sending(render, 'text/csv', chunked, admin)
  const row = `name,value,${'x'.repeat(200)}\n`.repeat(10)
  let sent = ''
  table.socket.write(chunk('name,value,comment\n'))
  const going = setInterval(() => {
    sent += row
    for (const { socket } of [file, table]) socket.write(chunk(row))
  }, 50)
  // One after the other, so that those have gone on for four times as long as one may say nothing.
  const announced = 'Content-Length: 5000'
  for (const [line, type, caller] of [
    [content('stopped'), 'application/octet-stream', worker],
    [render, 'text/csv', admin],
    ['POST /api/v1/assets/labels/', 'application/json', admin],
    // From an unknown client all must have come by then.
    ['POST /api/v1/authentication/auth/', 'application/json', undefined],
  ] as const) {
    const { socket, answered } = await sending(line, type, announced, caller)
    socket.write('{"name": ')
    const trickle = setInterval(() => !caller && socket.write(' '), 50)
    expect(await answered).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s)
    clearInterval(trickle)
  }
  clearInterval(going)
  for (const { socket } of [file, table]) socket.write('0\r\n\r\n')
  expect(await file.answered).toContain('204 No Content')
  expect(await table.answered).toContain('200 OK')
  expect(readFileSync(join(box, 'slow'), 'latin1')).toBe(sent)
  expect(await logged(`${box}/slow`)).toEqual([['Upload', true]])
  expect(await logged(`${box}/stopped`)).toEqual([['Upload', false]])
})

test('an upload whose next part begins elsewhere is given up, and goes on from what the machine has', async () => {
  const bytes = randomBytes(900_000)
  expect((await part('/odd', bytes.subarray(0, 300_000), '&more=1')).status).toBe(204)
  expect((await part('/odd', bytes.subarray(400_000), '&offset=400000')).status).toBe(409)
  const { size } = (await (await get(`details/?path=${q(`${top}/odd`)}`)).json()) as { size: number }
  expect(size).toBe(300_000)
  expect((await part('/odd', bytes.subarray(300_000), '&offset=300000')).status).toBe(204)
  expect(hash(readFileSync(join(box, 'odd')))).toBe(hash(bytes))
  expect(await logged(`${box}/odd`)).toEqual(
    expect.arrayContaining([
      ['Upload', false],
      ['Upload', true],
    ]),
  )
})

test('a right that is withdrawn between two parts ends the upload', async () => {
  expect((await part('/cut', Buffer.from('some'), '&more=1')).status).toBe(204)
  await withActions(['connect', 'download_file'])
  await vi.waitFor(async () => expect(await logged(`${box}/cut`)).toEqual([['Upload', false]]), {
    timeout: 120_000,
    interval: 100,
  })
  expect((await part('/cut', Buffer.from('more'), '&offset=4')).status).toBe(403)
  expect(readFileSync(join(box, 'cut'), 'utf8')).toBe('some')
  await withActions(['all'])
})

test('names that begin with a dot are listed when that is asked for; details tell where a link leads', async () => {
  writeFileSync(join(box, '.hidden'), 'x')
  symlinkSync('.hidden', join(box, 'link'))
  const names = async (query: string) =>
    (await worker.get(`/koko/files/?path=${top}${query}`)).body.entries.map(({ name }: { name: string }) => name)
  expect(await names('')).not.toContain('.hidden')
  expect(await names('&hidden=1')).toContain('.hidden')
  expect(await (await get(`details/?path=${q(`${top}/link`)}`)).json()).toMatchObject({
    kind: 'link',
    target: '.hidden',
    target_kind: 'file',
  })
  expect((await get(`details/?path=${q(`${top}/nothing`)}`)).status).toBe(404)
  expect((await get('details/?path=/')).status).toBe(403)
})

/** A folder with a file of 3 bytes, a folder with one of 4, and a link out of it. */
function aFolder(name: string): void {
  mkdirSync(join(box, name, 'deep'), { recursive: true })
  writeFileSync(join(box, name, 'a'), '123')
  writeFileSync(join(box, name, 'deep/b'), '4567')
  symlinkSync('/', join(box, name, 'out'))
}

test('files below some paths are counted before they are removed', async () => {
  aFolder('many')
  const { body } = await worker.post('/koko/files/measure/', { paths: [`${top}/many`] })
  expect(body).toEqual({ files: 3, folders: 2, bytes: 7, is_more: false, max_archive_bytes: 1024 ** 3 })
  expect((await worker.post('/koko/files/measure/', { paths: [] })).status).toBe(400)
  expect((await stranger.post('/koko/files/measure/', { paths: [`${top}/many`] })).status).toBe(404)
})

test('the start of a file is a look at it: never a page of ours, one row in the log, refused without the right', async () => {
  aFolder('folder')
  writeFileSync(join(box, 'long'), '<script>alert(1)</script>'.repeat(100_000))
  const answer = await get(`preview/?path=${q(`${top}/long`)}&limit=1000`)
  expect((await answer.text()).length).toBe(1000)
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  expect(await logged(`${box}/long`)).toEqual([['Download', true]])
  expect((await get(`preview/?path=${q(`${top}/long`)}&limit=100000000`)).status).toBe(400)
  expect((await get(`preview/?path=${q(`${top}/folder`)}&limit=10`)).status).toBe(400)
  await withActions(['connect', 'upload_file'])
  expect((await get(`preview/?path=${q(`${top}/long`)}&limit=1000`)).status).toBe(403)
  await withActions(['all'])
})

test('several files and folders come as one zip that unzip opens, each file with its row; links are left out', async () => {
  const bytes = randomBytes(2_000_000)
  aFolder('packed')
  rmSync(join(box, 'packed/deep/b'))
  writeFileSync(join(box, 'packed/deep/大文件'), bytes)
  writeFileSync(join(box, 'packed/empty'), '')
  writeFileSync(join(box, 'beside'), 'beside it'.repeat(1000))
  const answer = await get(`archive/?folder=${q(top)}&name=packed&name=beside`)
  expect(answer.headers.get('content-type')).toBe('application/zip')
  const file = join(otherBox, 'all.zip')
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  execFileSync('python3', ['-m', 'zipfile', '-e', file, join(otherBox, 'out')])
  expect(hash(readFileSync(join(otherBox, 'out/packed/deep/大文件')))).toBe(hash(bytes))
  expect(readdirSync(join(otherBox, 'out/packed')).sort()).toEqual(['a', 'deep', 'empty'])
  expect(hash(readFileSync(join(otherBox, 'out/beside')))).toBe(hash(readFileSync(join(box, 'beside'))))
  expect(await logged(`${box}/packed/deep/大文件`)).toEqual([['Download', true]])
  rmSync(join(otherBox, 'out'), { recursive: true })
})

test('names in an archive, of a download and in the log are no path, device or order on any system, and none takes the place of another', async () => {
  const hostile = [
    'C:evil.txt',
    'C_evil.txt',
    'CON',
    'com1.txt',
    'a\\b',
    'up\u202etxt.exe',
    'red\u001b[2J',
    'two\nlines',
    'end. .',
    '表格.txt',
  ]
  mkdirSync(join(box, 'hostile'))
  mkdirSync(join(box, 'hostile/D:'))
  for (const name of [...hostile, 'D:/x']) writeFileSync(join(box, 'hostile', name), name)
  const answer = await get(`archive/?folder=${q(top)}&name=hostile`)
  const file = join(otherBox, 'hostile.zip')
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  const listed =
    'import sys, zipfile, json; z = zipfile.ZipFile(sys.argv[1]); print(json.dumps([[i.orig_filename, z.read(i).decode()] for i in z.infolist()]))'
  const entries: [string, string][] = JSON.parse(execFileSync('python3', ['-c', listed, file]).toString())
  const names = entries.map(([name]) => name.replace(/^hostile\//, '')).filter((name) => name && !name.endsWith('/'))
  expect(names.filter((name) => /[\p{Cc}\u202e:\\]|[. ]$|^(?:con|com1)(?:\.|$)/iu.test(name))).toEqual([])
  expect(names).toContain('表格.txt')
  expect(names).toContain('D_/x')
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(entries.map(([, content]) => content).filter(Boolean))).toEqual(new Set([...hostile, 'D:/x']))
  const saved = await get(`content/?path=${q(`${top}/hostile/up\u202etxt.exe`)}`)
  expect(saved.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''up_txt.exe")
  await saved.arrayBuffer()
  expect(await logged(`$'${box}/hostile/up\\u202etxt.exe'`)).toEqual([
    ['Download', true],
    ['Download', true],
  ])
})

test('an archive is refused without the right, for names that lead elsewhere, and when it would be too large', async () => {
  aFolder('closed')
  for (const name of ['../closed', '.', '..'])
    expect((await get(`archive/?folder=${q(top)}&name=${q(name)}`)).status).toBe(400)
  expect((await get(`archive/?folder=${q(top)}`)).status).toBe(400)
  expect((await get(`archive/?folder=${q(top)}&name=nothing`)).status).toBe(404)
  expect((await get(`archive/?folder=${q(top)}&name=closed`, stranger)).status).toBe(404)
  execFileSync('truncate', ['-s', '2G', join(box, 'huge')])
  const large = await get(`archive/?folder=${q(top)}&name=huge`)
  expect([large.status, await large.json()]).toMatchObject([
    413,
    { code: 'archive_too_large', detail: expect.stringContaining('at most 1.0 GB and 20000 files') },
  ])
  rmSync(join(box, 'huge'))
  await withActions(['connect', 'upload_file'])
  expect((await get(`archive/?folder=${q(top)}&name=closed`)).status).toBe(403)
  await withActions(['all'])
})

test('a file is copied from one machine to the other, as a download and an upload; half of one is gone on with', async () => {
  const bytes = randomBytes(5_000_000)
  writeFileSync(join(box, 'wine'), bytes)
  const from = `${top}/wine`
  const whole = await copied({ from, to: `${otherTop}/wine` })
  expect(whole.lines.at(-1)).toEqual({ done: true, bytes: bytes.length })
  expect(hash(readFileSync(join(otherBox, 'wine')))).toBe(hash(bytes))
  expect(await logged(`${box}/wine`)).toEqual([['Download', true]])
  expect(await logged(`${otherBox}/wine`)).toEqual([['Upload', true]])
  expect(await copied({ from, to: `${otherTop}/wine` })).toMatchObject({
    status: 409,
    lines: [{ code: 'file_exists' }],
  })
  writeFileSync(join(otherBox, 'half'), bytes.subarray(0, 2_000_000))
  await copied({ from, to: `${otherTop}/half`, offset: 2_000_000 })
  expect(hash(readFileSync(join(otherBox, 'half')))).toBe(hash(bytes))
})

test('a copy onto itself, of a folder, or without the rights is refused, and nothing is harmed', async () => {
  aFolder('cask')
  writeFileSync(join(box, 'juice'), randomBytes(5000))
  const from = `${top}/juice`
  expect((await copied({ from, to: from, replace: true })).status).toBe(409)
  expect(readFileSync(join(box, 'juice')).length).toBe(5000)
  expect((await copied({ from: `${top}/cask`, to: `${otherTop}/cask` })).status).toBe(400)
  expect((await copied({ from, to: `${otherTop}/mine` }, stranger)).status).toBe(404)
  await withActions(['connect', 'upload_file'])
  expect((await copied({ from, to: `${otherTop}/mine` })).status).toBe(403)
  expect(readdirSync(otherBox)).not.toContain('mine')
  await withActions(['all'])
  expect((await worker.get(`/koko/files/?path=/@${asset}`)).status).toBe(200)
})
