import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

const PATH = '/api/v1/xpack/interface/setting'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

/** A grey picture of this size, whole enough for a browser. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    const body = Buffer.concat([Buffer.from(type), content])
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((width + 1) * height))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

async function put(values: Record<string, string | Buffer>, token = server.admin.token) {
  const parts = Object.entries(values).flatMap(([name, value]) => [
    Buffer.from(
      `--x\r\nContent-Disposition: form-data; name="${name}"${typeof value === 'string' ? '' : '; filename="picture"\r\nContent-Type: image/png'}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  const answer = await server.kernel.app.inject({
    method: 'PUT',
    url: PATH,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=x',
      cookie: 'django_language=en',
    },
    payload: Buffer.concat([...parts, Buffer.from('--x--\r\n')]),
  })
  return { status: answer.statusCode, body: answer.json() }
}

const publicSettings = async () => (await server.call('GET', '/api/v1/settings/public/')).body.data

test('[A3.27] title and pictures take the place of the built-in ones for everybody, and restore brings those back', async () => {
  const logo = png(185, 55)
  const { status, body } = await put({ login_title: ' 港口堡垒机 ', logo_index: logo, favicon: png(32, 32) })
  expect([status, body.login_title, body.login_image]).toEqual([200, '港口堡垒机', '/static/img/login-image.svg'])
  const shown = await publicSettings()
  expect(shown).toMatchObject({
    LOGIN_TITLE: '港口堡垒机',
    LOGO_URLS: { logo_index: body.logo_index, favicon: body.favicon, logo_logout: '/static/img/logo.svg' },
  })
  const picture = await server.kernel.app.inject(body.logo_index)
  expect([picture.statusCode, picture.headers['content-type'], picture.headers['x-content-type-options']]).toEqual([
    200,
    'image/png',
    'nosniff',
  ])
  expect(picture.rawPayload.equals(logo)).toBe(true)
  expect((await server.kernel.app.inject(body.logo_index.replace(/[0-9a-f]{8}\/$/, '00000000/'))).statusCode).toBe(404)

  const restored = await server.admin.get('/api/v1/xpack/interface/restore')
  expect([restored.status, restored.body]).toEqual([200, { success: 'The defaults are restored' }])
  const { LOGIN_TITLE, LOGO_URLS } = await publicSettings()
  expect(LOGIN_TITLE).toBe('Sallyport')
  // Clients show these as they are, so there is a picture behind each; and behind the one of a
  // person.
  for (const url of [
    ...Object.values(LOGO_URLS as Record<string, string>),
    (await server.admin.get('/api/v1/users/profile/')).body.avatar_url,
  ]) {
    const builtIn = await server.kernel.app.inject(url)
    expect([url, builtIn.statusCode, builtIn.headers['content-type']]).toEqual([url, 200, 'image/svg+xml'])
  }
  expect((await server.admin.get('/api/v1/xpack/interface/restore')).body).toEqual({
    success: 'These are already the defaults',
  })

  // Each at the size that its place is drawn for.
  const whole = { favicon: png(16, 16), login_image: png(492, 472), logo_index: png(185, 55), logo_logout: png(82, 82) }
  const all = await put({ login_title: 'Harbour', ...whole })
  expect(all.status).toBe(200)
  for (const [name, given] of Object.entries(whole))
    expect((await server.kernel.app.inject(all.body[name])).rawPayload.equals(given)).toBe(true)
  await server.admin.get('/api/v1/xpack/interface/restore')
  const { body: log } = await server.admin
    .in('00000000-0000-0000-0000-000000000000')
    .get('/api/v1/audits/operate-logs/?resource_type=Interface%20setting')
  expect(log[1].changes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ label: 'Name of the site', before: null, after: 'Harbour' }),
      expect.objectContaining({
        label: 'Icon of the site',
        before: null,
        after: expect.stringMatching(/^image\/png, \d+ bytes, [0-9a-f]{8}$/),
      }),
    ]),
  )
  expect(log[0].changes).toContainEqual(
    expect.objectContaining({ label: 'Name of the site', before: 'Harbour', after: null }),
  )
})

test('a file that is no picture, too large or not for this person is refused by field, and nothing of the call is kept', async () => {
  const refusals: [Record<string, string | Buffer>, Record<string, string[]>][] = [
    [
      { favicon: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>') },
      { favicon: ['Choose a picture: PNG, JPEG, GIF, WebP or ICO'] },
    ],
    [{ logo_logout: Buffer.from('GIF89a') }, { logo_logout: ['Choose a picture: PNG, JPEG, GIF, WebP or ICO'] }],
    [{ favicon: png(2000, 16) }, { favicon: ['This picture is too large for its place'] }],
    [
      { login_image: Buffer.concat([png(10, 10), Buffer.alloc(2 * 1024 * 1024)]) },
      { login_image: ['A picture has 1 MB at most'] },
    ],
    [{ login_title: 'x'.repeat(1025) }, { login_title: ['A title has 1024 characters at most'] }],
  ]
  for (const [values, fields] of refusals) {
    const { status, body } = await put({ logo_index: png(20, 20), ...values })
    expect([status, body]).toMatchObject([400, fields])
  }
  expect(await publicSettings()).toMatchObject({
    LOGIN_TITLE: 'Sallyport',
    LOGO_URLS: { logo_index: '/static/img/logo-text.svg' },
  })
  const person = await server.aPerson('painter')
  expect((await put({ login_title: 'mine' }, person.token)).status).toBe(403)
  expect((await server.admin.put(PATH, { login_title: 'as JSON' })).status).toBe(400)
})

test('a form that was cut, or does not say where its parts end, is refused', async () => {
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
    const { statusCode } = await server.kernel.app.inject({
      method: 'PUT',
      url: PATH,
      headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': type },
      payload: '--x\r\nContent-Disposition: form-data; name="login_title"\r\n\r\ncut',
    })
    expect([type, statusCode]).toEqual([type, 400])
  }
})

test('what cannot be written into the operate log is not changed: neither title nor pictures', async () => {
  const { pool } = server.kernel
  const stored = async () =>
    (
      await pool.query(
        "SELECT name, sha256 FROM xpack_image UNION ALL SELECT name, value::text FROM settings_setting WHERE name = 'LOGIN_TITLE' ORDER BY 1",
      )
    ).rows
  const before = [await stored(), await publicSettings()]
  await pool.query(`
    CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the log takes nothing'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audits_operate_log EXECUTE FUNCTION refuse_row();`)
  expect((await put({ login_title: 'Unlogged', favicon: png(16, 16) })).status).toBe(500)
  await pool.query('DROP TRIGGER refuse ON audits_operate_log')
  expect([await stored(), await publicSettings()]).toEqual(before)
})
