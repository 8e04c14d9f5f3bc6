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

test('the log of an upload, however detailed, has nothing that the caller signed in with', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', UPLOAD], {
    cwd: import.meta.dirname,
  })
  expect(stdout).toContain('answered 200')
  expect(stdout).toContain('busboy')
  expect(stdout.match(/secret-of-\w+/g)).toBeNull()
})
