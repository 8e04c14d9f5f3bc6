import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from './create-app.ts'

let app: FastifyInstance
const seen: string[] = []
beforeAll(async () => {
  app = await createApp({ logLevel: 'silent', trustedProxies: [], uploadLimit: () => 1000 })
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) seen.push(`${one} ${url}`)
  })
  app.route({ method: 'GET', url: '/text/', handler: async () => ({ name: 'ä' }) })
  app.route({ method: 'GET', url: '/nothing/', handler: (_request, reply) => reply.status(204).send() })
  app.route({
    method: 'GET',
    url: '/stream/',
    handler: (_request, reply) => reply.send(Readable.from(['much ', 'text'])),
  })
  app.route({ method: 'GET', url: '/once/', exposeHeadRoute: false, handler: async () => 'taken' })
  app.route({ method: 'GET', url: '/of/:one/:two/', handler: async ({ params }) => params })
  app.route({ method: 'GET', url: '/also/:one/:two/', handler: async ({ params }) => params })
  app.route({ method: 'POST', url: '/also/:two/:one/', handler: async ({ params }) => params })
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => void reply.header('of-scope', 'yes'))
    scope.route({ method: 'GET', url: '/scope/', handler: async () => 'inside' })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

/** As it comes over the wire: what is sent below a head would be read as the next answer. */
async function ask(method: string, path: string) {
  const { port } = app.server.address() as AddressInfo
  const asked = request({ host: '127.0.0.1', port, method, path }).end()
  const [answer] = await once(asked, 'response')
  let body = ''
  for await (const piece of answer) body += piece
  return { status: answer.statusCode, headers: answer.headers, body }
}

test('HEAD has the head that GET has, and no body', async () => {
  const [get, head] = [await ask('GET', '/text/'), await ask('HEAD', '/text/')]
  expect(get.body).toBe('{"name":"ä"}')
  expect(head.body).toBe('')
  const without = ({ date, ...headers }: Record<string, unknown>) => headers
  expect(without(head.headers)).toEqual(without(get.headers))
  expect(head.headers['content-length']).toBe('13')
  expect(await ask('HEAD', '/stream/')).toMatchObject({ status: 200, body: '' })
  expect(await ask('HEAD', '/nothing/')).toMatchObject({ status: 204, body: '' })
  expect(await ask('HEAD', '/scope/')).toMatchObject({
    status: 200,
    headers: { 'of-scope': 'yes', 'content-length': '6' },
  })
})

test('what may happen once is not to be asked with HEAD', async () => {
  expect(await ask('HEAD', '/once/')).toMatchObject({ status: 404 })
  expect(await ask('GET', '/once/')).toMatchObject({ status: 200, body: 'taken' })
})

test('a plugin that looks at routes as they are added sees both methods', () => {
  expect(seen).toEqual(
    expect.arrayContaining(['GET /text/', 'HEAD /text/', 'GET /scope/', 'HEAD /scope/', 'GET /once/']),
  )
  expect(seen).not.toContain('HEAD /once/')
})

test('parameters of an address have the names of its own route', async () => {
  expect((await ask('GET', '/of/a/b/')).body).toBe('{"one":"a","two":"b"}')
  expect((await ask('GET', '/also/a/b/')).body).toBe('{"one":"a","two":"b"}')
  expect((await ask('POST', '/also/a/b/')).body).toBe('{"two":"a","one":"b"}')
})
