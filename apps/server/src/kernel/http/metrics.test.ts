import { readFileSync } from 'node:fs'
import { NODE_FIGURES, SHARED_FIGURES } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

const TOKEN = 'token-of-the-prometheus'
let server: TestServer
beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_METRICS_TOKEN: TOKEN })
})
afterAll(() => server?.close())

const ask = async (remoteAddress: string, headers: Record<string, string> = {}) =>
  (await server.kernel.app.inject({ method: 'GET', url: '/metrics', remoteAddress, headers })).statusCode

test('from the same machine metrics are as closed as from elsewhere: it may be a proxy that says nothing of its client', async () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.7']) expect(await ask(address)).toBe(403)
  const nginx = { host: '127.0.0.1:8080', connection: 'close' }
  expect(await ask('127.0.0.1', nginx)).toBe(403)
  const components = await server.kernel.app.inject({ url: '/api/v1/prometheus/metrics/', remoteAddress: '127.0.0.1' })
  expect(components.body).toContain('sallyport_components')
  expect(components.body).not.toContain('component=')
})

test('a token reads them from anywhere, any other does not', async () => {
  expect(await ask('10.0.0.7', { authorization: `Bearer ${TOKEN}` })).toBe(200)
  expect(await ask('127.0.0.1', { authorization: `bearer ${TOKEN}` })).toBe(200)
  for (const wrong of ['', 'Bearer', 'Bearer ', `Bearer ${TOKEN}x`, `Token ${TOKEN}`, TOKEN])
    expect(await ask('10.0.0.7', { authorization: wrong })).toBe(403)
})

test('without a token in the configuration nobody reads them from another machine', async () => {
  const plain = await openTestServer()
  const headers = { authorization: 'Bearer undefined' }
  const answer = await plain.kernel.app.inject({ method: 'GET', url: '/metrics', remoteAddress: '10.0.0.7', headers })
  await plain.close()
  expect(answer.statusCode).toBe(403)
})

test('the dashboard for Grafana asks for nothing that is not measured', async () => {
  const read = async (url: string) =>
    (await server.kernel.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${TOKEN}` } })).body
  // Asked once more, as requests are counted when they were answered.
  await read('/metrics')
  // As one minute leaves them, with an alarm, which the server's own minute must not end meanwhile.
  const figures = (names: object) => JSON.stringify(Object.fromEntries(Object.keys(names).map((name) => [name, 1])))
  await server.kernel.pool.query(
    `INSERT INTO monitor_sample (node, at, minutes, figures) VALUES ($1, now(), 1, $2), (NULL, now(), 1, $3) ON CONFLICT DO NOTHING`,
    [server.kernel.nodes.id, figures(NODE_FIGURES), figures(SHARED_FIGURES)],
  )
  await server.kernel.pool.query(
    `INSERT INTO monitor_alarm (kind, date_opened, date_seen) VALUES ('jobs_failed', now(), now() + interval '1 hour')`,
  )
  const measured = (await read('/metrics')) + (await read('/api/v1/prometheus/metrics/'))
  const dashboard = readFileSync(new URL('../../../../../deploy/grafana/sallyport.json', import.meta.url), 'utf8')
  const asked = new Set(dashboard.match(/sallyport_[a-z0-9_]+/g))
  expect(asked.size).toBeGreaterThan(8)
  for (const name of asked) expect([name, RegExp(`^${name}[{ ]`, 'm').test(measured)]).toEqual([name, true])
})
