/** The example of deploy/nginx, as a real nginx takes it, in front of a server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../../../test/free-port.ts'
import { ADMIN_PASSWORD, openTestServer, type TestServer } from '../../../test/server.ts'

const EXAMPLE = readFileSync(new URL('../../../../../deploy/nginx/sallyport.conf', import.meta.url), 'utf8')

let server: TestServer
let nginx: ChildProcess
let folder: string
let url: string
beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_TRUSTED_PROXIES: '127.0.0.1' })
  folder = mkdtempSync(join(tmpdir(), 'sallyport-nginx-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  // On ports of the test, without a certificate.
  const site = EXAMPLE.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace('server 127.0.0.1:8080;', `server ${new URL(server.url).host};`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n${folders.join('\n')}\n${site}\n}`,
  )
  nginx = spawn('/usr/sbin/nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'inherit',
  })
  await vi.waitFor(() => fetch(`${url}/api/health/`), { timeout: 120_000 })
})
afterAll(async () => {
  if (nginx && nginx.exitCode === null) {
    nginx.kill('SIGQUIT')
    await once(nginx, 'exit')
  }
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('three megabytes of a table are read by Sallyport, which says itself what is wrong with them', async () => {
  const answer = await fetch(`${url}/api/v1/users/groups/render-to-json/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'text/csv' },
    body: `"name"\n"${'x'.repeat(3 * 1024 * 1024)}"\n`,
  })
  expect(answer.status).not.toBe(413)
  expect(answer.headers.get('content-type')).toContain('application/json')
})

test('people come from where they come from, whatever they claim, and WebSockets pass', async () => {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.9' }
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
  expect((await fetch(`${url}/api/v1/authentication/tokens/`, { method: 'POST', headers, body })).status).toBe(201)
  const { rows } = await server.kernel.pool.query('SELECT ip FROM audits_login_log ORDER BY datetime DESC LIMIT 1')
  expect(rows).toEqual([{ ip: '127.0.0.1' }])

  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/notifications/site-msg/`, {
    headers: { authorization: `Bearer ${server.admin.token}` },
  })
  await once(socket, 'open')
  socket.terminate()
})

test('metrics are closed, as nothing tells a call of the proxy from one of the machine', async () => {
  expect((await fetch(`${url}/metrics`)).status).toBe(403)
})
