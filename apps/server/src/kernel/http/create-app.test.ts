import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** A server that logs everything takes one upload; it runs by itself, as logs go to stdout. */
const UPLOAD = `
  import multipart from '@fastify/multipart'
  const { createApp } = await import(${JSON.stringify(new URL('create-app.ts', import.meta.url).href)})
  const app = await createApp({ logLevel: 'trace', trustedProxies: [], uploadLimit: () => 1000 })
  await app.register(multipart)
  app.post('/upload', async (request) => {
    for await (const part of request.parts()) await part.toBuffer()
    return {}
  })
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/upload?token=secret-of-address',
    headers: {
      authorization: 'Bearer secret-of-caller',
      cookie: 'session=secret-of-browser',
      'content-type': 'multipart/form-data; boundary=x',
    },
    payload: '--x\\r\\nContent-Disposition: form-data; name="file"; filename="a"\\r\\n\\r\\nb\\r\\n--x--\\r\\n',
  })
  console.log('answered', statusCode)
`

/** A server whose statement fails, as one does whose row breaks a rule of the table. */
const FAILED_STATEMENT = `
  import pg from 'pg'
  import { DrizzleQueryError } from 'drizzle-orm'
  const { createApp } = await import(${JSON.stringify(new URL('create-app.ts', import.meta.url).href)})
  const app = await createApp({ logLevel: 'trace', trustedProxies: [], uploadLimit: () => 1000 })
  app.get('/fails', () => {
    const refused = Object.assign(new pg.DatabaseError('violates check constraint', 0, 'error'), {
      code: '23999',
      detail: 'Failing row contains (secret-of-row).',
    })
    throw new DrizzleQueryError('INSERT INTO rows VALUES ($1)', ['secret-of-value'], refused)
  })
  const { statusCode } = await app.inject({ url: '/fails' })
  console.log('answered', statusCode)
`

/**
 * A websocket that receives a message beyond the limit, from a client that waits for the close
 * code.
 */
const LARGE_MESSAGE = `
  import { WebSocket } from 'ws'
  const { createApp } = await import(${JSON.stringify(new URL('create-app.ts', import.meta.url).href)})
  const app = await createApp({ logLevel: 'trace', trustedProxies: [], uploadLimit: () => 1000 })
  app.route({ method: 'GET', url: '/socket', handler: () => '', wsHandler: () => {} })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = new WebSocket('ws://127.0.0.1:' + app.server.address().port + '/socket')
  socket.on('open', () => socket.send('x'.repeat(2 * 1024 * 1024)))
  const code = await new Promise((resolve) => socket.on('close', resolve))
  console.log('closed with', code)
  await app.close()
`

/** A server that gets what is no request, and an address beyond all limits. */
const UNREADABLE = `
  import { connect } from 'node:net'
  import { text } from 'node:stream/consumers'
  const { createApp } = await import(${JSON.stringify(new URL('create-app.ts', import.meta.url).href)})
  const app = await createApp({ logLevel: 'silent', trustedProxies: [], uploadLimit: () => 1000, language: 'en' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const sent of ['NOTHING', 'GET /' + 'a'.repeat(20_000)]) {
    const socket = connect(app.server.address().port, '127.0.0.1')
    socket.write(sent + ' HTTP/1.1\\r\\n\\r\\n')
    const [head, body] = (await text(socket)).split('\\r\\n\\r\\n')
    console.log(head.split('\\r\\n')[0], body)
  }
  await app.close()
`

const logOf = async (program: string) =>
  (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname }))
    .stdout

test('the log of a failed statement says which and why, without its values', async () => {
  const log = await logOf(FAILED_STATEMENT)
  expect(log).toContain('answered 500')
  expect(log).toContain('INSERT INTO rows VALUES ($1)')
  expect(log).toContain('violates check constraint')
  expect(log.match(/secret-of-\w+/g)).toBeNull()
})

test('the log of an upload, however detailed, has nothing that the caller signed in with', async () => {
  const log = await logOf(UPLOAD)
  expect(log).toContain('answered 200')
  expect(log).toContain('busboy')
  expect(log.match(/secret-of-\w+/g)).toBeNull()
})

test('a message that is too large ends its websocket with the code that says so, and is no fault', async () => {
  const log = await logOf(LARGE_MESSAGE)
  expect(log).toContain('closed with 1009')
  expect(log).toContain('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
  const levels = [...log.matchAll(/"level":(\d+)/g)].map(([, level]) => Number(level))
  expect(Math.max(...levels)).toBeLessThan(40)
})

test('what cannot be read as a request is refused in the shape of every other refusal', async () => {
  expect((await logOf(UNREADABLE)).trim().split('\n')).toEqual([
    'HTTP/1.1 400 Bad Request {"detail":"This request cannot be read","code":"bad_request"}',
    'HTTP/1.1 431 Request Header Fields Too Large {"detail":"The address or the headers are too long","code":"too_large"}',
  ])
})
