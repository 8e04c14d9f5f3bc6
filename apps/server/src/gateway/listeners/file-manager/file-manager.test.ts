import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Caller, PASSWORD } from '../../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../web/terminal-fixture.ts'

let fixture: TerminalFixture
let worker: Caller
let stranger: Caller
let permission: string
let box: string
let top: string

beforeAll(async () => {
  fixture = await openTerminalFixture()
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  const { created, sshd, server } = fixture
  worker = await server.aPerson('worker')
  stranger = await server.aPerson('stranger')
  const protocols = [`ssh/${sshd.port}`]
  const asset = await created('/api/v1/assets/assets/', {
    hostname: 'vault',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols,
  })
  const keeper = await created('/api/v1/assets/system-users/', {
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
    system_users: [keeper],
  })
  const { body } = await worker.get('/koko/files/?path=/')
  top = `/${body.entries[0].name}/vault`
})
afterAll(async () => {
  await fixture.close()
  rmSync(box, { recursive: true, force: true })
})

const at = (path: string) => `path=${encodeURIComponent(`${top}${path}`)}`
const content = (
  path: string,
  {
    method = 'GET',
    caller = worker,
    query = '',
    headers = {},
    body,
  }: {
    method?: string
    caller?: Caller
    query?: string
    headers?: Record<string, string>
    body?: RequestInit['body']
  } = {},
) =>
  fetch(`${fixture.server.url}/koko/files/content/?${at(path)}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${caller.token}`,
      cookie: 'django_language=en',
      ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
const upload = (path: string, body: Buffer, query = '') =>
  content(path, { method: 'PUT', body: new Uint8Array(body), query })
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const withActions = (actions: string[]) =>
  fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { actions })

test('a large file goes up and comes down as it was, each with its row in the log', async () => {
  const bytes = randomBytes(20 * 1024 * 1024 + 7)
  expect((await upload('/large', bytes)).status).toBe(204)
  expect(hash(readFileSync(join(box, 'large')))).toBe(hash(bytes))
  const answer = await content('/large')
  expect(hash(new Uint8Array(await answer.arrayBuffer()))).toBe(hash(bytes))
  const rows = async () => {
    const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=20')
    return body.results
      .filter(({ filename }: { filename: string }) => filename === `${box}/large`)
      .map(({ operate, is_success }: { operate: string; is_success: boolean }) => [operate, is_success])
      .sort()
  }
  await expect.poll(rows).toEqual([
    ['Download', true],
    ['Upload', true],
  ])
})

test('an upload and a download are gone on with at the byte; another length is refused', async () => {
  const bytes = randomBytes(700_001)
  writeFileSync(join(box, 'part'), bytes.subarray(0, 300_000))
  expect((await upload('/part', bytes.subarray(200_000), '&offset=200000')).status).toBe(409)
  expect((await upload('/part', bytes.subarray(300_000), '&offset=300000')).status).toBe(204)
  expect(hash(readFileSync(join(box, 'part')))).toBe(hash(bytes))
  const rest = await content('/part', { headers: { range: 'bytes=300000-' } })
  expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 300000-700000/700001'])
  expect(hash(new Uint8Array(await rest.arrayBuffer()))).toBe(hash(bytes.subarray(300_000)))
  expect((await content('/part', { headers: { range: 'bytes=700001-' } })).status).toBe(416)
})

test('an existing file is replaced only when that is asked for', async () => {
  writeFileSync(join(box, 'kept'), 'old and longer')
  expect(await (await upload('/kept', Buffer.from('new'))).json()).toMatchObject({ code: 'file_exists' })
  expect(readFileSync(join(box, 'kept'), 'utf8')).toBe('old and longer')
  expect((await upload('/kept', Buffer.from('new'), '&replace=1')).status).toBe(204)
  expect(readFileSync(join(box, 'kept'), 'utf8')).toBe('new')
})

test('folders are made, listed, renamed and removed with everything in them', async () => {
  expect((await worker.post('/koko/files/folders/', { path: `${top}/new` })).status).toBe(201)
  expect((await worker.post('/koko/files/folders/', { path: `${top}/new` })).status).toBe(409)
  writeFileSync(join(box, 'new', 'inside'), '12345')
  expect((await worker.get(`/koko/files/?${at('/new')}`)).body).toEqual({
    is_machine: true,
    machine: expect.any(String),
    top,
    may_upload: true,
    may_download: true,
    entries: [{ name: 'inside', kind: 'file', size: 5, modified: expect.any(Number), mode: 0o644 }],
  })
  expect((await worker.post('/koko/files/rename/', { from: `${top}/new`, to: `${top}/other` })).status).toBe(200)
  expect((await worker.post('/koko/files/rename/', { from: `${top}/other`, to: `${top}/kept` })).status).toBe(409)
  expect((await worker.delete(`/koko/files/?${at('/other')}`)).status).toBe(204)
  expect(existsSync(join(box, 'other'))).toBe(false)
})

test('[A2.67] a path says which machine and system user it leads to, also before anybody is signed in there; strangers learn nothing', async () => {
  const { body: above } = await worker.get('/koko/files/place/?path=/')
  expect(above).toEqual({ asset: null, system_user: null })
  const { body } = await worker.get(`/koko/files/place/?${at('/folder/that/is/not/there')}`)
  expect((await worker.get(`/api/v1/perms/users/assets/${body.asset}/system-users/`)).body).toMatchObject([
    { id: body.system_user },
  ])
  expect((await stranger.get(`/koko/files/place/?${at('/')}`)).status).toBe(404)
})

test('a page that lies on a machine is never shown as one of ours', async () => {
  const name = `<img src=x>'"é.html`
  writeFileSync(join(box, name), '<script>alert(1)</script>')
  const { headers } = await content(`/${name}`)
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain('sandbox')
  expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''_img%20src%3Dx_%27_%C3%A9.html`)
})

test('paths that lead out, links, nonsense and folders of no machine are refused', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'sallyport-outside-'))
  writeFileSync(join(outside, 'secret'), 's')
  symlinkSync(outside, join(box, 'way-out'))
  mkdirSync(join(box, 'folder'))
  expect((await content('/way-out/secret')).status).toBe(403)
  expect((await content(`/../../../..${outside}/secret`)).status).toBe(404)
  expect((await upload('/way-out/mine', Buffer.from('x'))).status).toBe(403)
  expect(existsSync(join(outside, 'mine'))).toBe(false)
  expect((await content('/folder')).status).toBe(400)
  expect((await content('/no\0thing')).status).toBe(404)
  expect((await worker.get('/koko/files/?path=relative')).status).toBe(400)
  expect((await worker.get('/koko/files/')).status).toBe(400)
  expect((await worker.post('/koko/files/folders/', { path: '/mine' })).status).toBe(404)
  expect((await worker.delete(`/koko/files/?path=${encodeURIComponent(top)}`)).status).toBe(403)
  rmSync(outside, { recursive: true })
})

/** Waits until so many downloads of `endless` are written down as broken off. */
const brokenOff = (count: number) =>
  vi.waitFor(
    async () => {
      const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=50')
      const rows = body.results.filter(
        (row: { filename: string; is_success: boolean }) => row.filename.endsWith('/endless') && !row.is_success,
      )
      expect(rows.length).toBe(count)
    },
    { timeout: 120_000, interval: 100 },
  )
/** A download whose content is not taken yet. */
const heldDownload = (caller: Caller) =>
  new Promise<IncomingMessage>((resolve, reject) =>
    get(
      `${fixture.server.url}/koko/files/content/?${at('/endless')}`,
      { agent: false, headers: { authorization: `Bearer ${caller.token}` } },
      resolve,
    ).on('error', reject),
  )
const isCut = async (answer: IncomingMessage) => {
  try {
    for await (const _ of answer);
    return false
  } catch {
    return true
  }
}

test('a right that is withdrawn, or a sign-in that ends, stops a download that the browser has not taken yet', async () => {
  writeFileSync(join(box, 'endless'), Buffer.alloc(100 * 1024 * 1024))
  const first = await heldDownload(worker)
  await withActions(['connect', 'upload_file'])
  await brokenOff(1)
  expect(await isCut(first)).toBe(true)
  await withActions(['all'])
  const leaver = await fixture.server.signIn('worker', PASSWORD)
  const second = await heldDownload(leaver)
  expect(second.statusCode).toBe(200)
  await fixture.server.kernel.pool.query('DELETE FROM authentication_bearer_token WHERE user_id = $1', [worker.id])
  await brokenOff(2)
  expect(await isCut(second)).toBe(true)
  worker = await fixture.server.signIn('worker', PASSWORD)
})

test('upload and download are granted apart, and others see nothing', async () => {
  writeFileSync(join(box, 'file'), 'x')
  expect((await withActions(['connect', 'download_file'])).status).toBe(200)
  expect((await content('/file')).status).toBe(200)
  expect(await (await upload('/mine', Buffer.from('x'))).json()).toMatchObject({
    detail: 'You have no permission to change files on this asset',
  })
  expect((await worker.delete(`/koko/files/?${at('/file')}`)).status).toBe(403)
  await withActions(['connect', 'upload_file'])
  expect((await content('/file')).status).toBe(403)
  expect((await upload('/mine', Buffer.from('x'))).status).toBe(204)
  await withActions(['all'])
  expect((await content('/file', { caller: stranger })).status).toBe(404)
  expect((await stranger.get(`/koko/files/?${at('')}`)).status).toBe(404)
})

test('a file whose name is not UTF-8 is listed, brought, taken, renamed and removed by its own bytes', async () => {
  const bytes = (name: string) => Buffer.from(`${box}/latin/${name}`, 'latin1')
  mkdirSync(join(box, 'latin'))
  writeFileSync(bytes('café'), 'there')
  const listed = async () =>
    (await worker.get(`/koko/files/?${at('/latin')}`)).body.entries.map(({ name }: { name: string }) => name)
  const [name = ''] = await listed()
  // Text that addresses and JSON keep.
  expect(decodeURIComponent(encodeURIComponent(name))).toBe(name)
  expect(await (await content(`/latin/${name}`)).text()).toBe('there')
  expect((await upload(`/latin/${name}`, Buffer.from('brought'), '&replace=1')).status).toBe(204)
  expect(readFileSync(bytes('café'), 'utf8')).toBe('brought')
  const to = name.replace('caf', 'th')
  const renamed = await worker.post('/koko/files/rename/', { from: `${top}/latin/${name}`, to: `${top}/latin/${to}` })
  expect([renamed.status, readFileSync(bytes('thé'), 'utf8'), await listed()]).toEqual([200, 'brought', [to]])
  expect((await worker.delete(`/koko/files/?${at(`/latin/${to}`)}`)).status).toBe(204)
  expect(await listed()).toEqual([])
  const rows = async () => {
    const { body } = await fixture.server.admin.get(`/api/v1/audits/ftp-logs/?search=latin&limit=20&offset=0`)
    return body.results
      .map(({ operate, filename }: { operate: string; filename: string }) => [operate, filename])
      .sort()
  }
  const [cafe, the] = [`$'${box}/latin/caf\\xe9'`, `$'${box}/latin/th\\xe9'`]
  await expect.poll(rows).toEqual(
    [
      ['Download', cafe],
      ['Upload', cafe],
      ['Rename', `${cafe}=>${the}`],
      ['Delete', the],
    ].sort(),
  )
})
