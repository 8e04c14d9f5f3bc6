import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { aPod, TOKEN } from '../../connectors/kubernetes/api-server-fixture.ts'
import { type KubernetesFixture, openKubernetesFixture } from './kubernetes-fixture.ts'

let fixture: KubernetesFixture
beforeAll(async () => {
  fixture = await openKubernetesFixture()
})
afterAll(() => fixture?.close())

test('kubectl enters a cluster by the file that the console gives, and each request is a row', async () => {
  const listed = await fixture.kubectl(['get', 'pods', '-n', 'shop'])
  expect(listed).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/NAME +READY +STATUS\nweb-1 +2\/2 +Running\n/),
  })
  const described = await fixture.kubectl(['describe', 'pod', 'web-1', '-n', 'shop'])
  expect(described).toMatchObject({ code: 0, stdout: expect.stringContaining('sidecar:') })
  const missing = await fixture.kubectl(['get', 'pod', 'nothing', '-n', 'shop'])
  expect(missing).toMatchObject({ code: 1, stderr: 'Error from server (NotFound): pods "nothing" not found\n' })
  await expect
    .poll(() => fixture.commands())
    .toEqual(
      expect.arrayContaining(['list pods -n shop | 200', 'get pods nothing -n shop | 404 | pods "nothing" not found']),
    )
  expect(fixture.api.seen.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true)
})

/** The newest session, which is that of the file. */
const session = async () =>
  (await fixture.server.admin.get('/api/v1/terminal/sessions/?ordering=-date_start&limit=1')).body.results[0]

test('all requests of a file are one session of its person', async () => {
  await fixture.kubectl(['get', 'namespaces'])
  const { id } = await session()
  await fixture.kubectl(['get', 'configmaps', '-n', 'shop'])
  expect(await session()).toMatchObject({
    id,
    asset: 'gold',
    user: expect.stringContaining('(walker)'),
    protocol: 'k8s',
    login_from: 'DT',
    is_finished: false,
  })
})

test('kubectl applies, follows logs and watches, each line as it comes, and leaves nothing open behind it', async () => {
  const file = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {color: green}\n'
  const applied = await fixture.kubectl(['apply', '--validate=false', '-f', '-'], file)
  expect(applied).toMatchObject({ code: 0, stdout: 'configmap/settings created\n' })
  const again = await fixture.kubectl(['apply', '--validate=false', '-f', '-'], file.replace('green', 'blue'))
  expect(again).toMatchObject({ code: 0, stdout: 'configmap/settings configured\n' })
  expect(fixture.api.objects.get('configmaps/shop/settings')).toMatchObject({ data: { color: 'blue' } })

  const watch = await fixture.follow(['get', 'configmaps', '-n', 'shop', '--watch'])
  await expect.poll(watch.received).toContain('settings')
  const log = await fixture.follow(['logs', '-f', 'web-2', '-n', 'shop'])
  await expect.poll(log.received).toContain('second line')
  await expect.poll(() => fixture.api.open).toBe(2)
  const metadata = { name: 'later', namespace: 'shop' }
  fixture.api.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  fixture.api.log('a third')
  await expect.poll(watch.received).toContain('later')
  await expect.poll(log.received).toContain('a third')
  await Promise.all([watch.end(), log.end()])
  await expect.poll(() => fixture.api.open).toBe(0)
})

test('five thousand pods come through as they are', async () => {
  for (let at = 0; at < 5000; at++) fixture.api.put(aPod(`many-${at}`, 'empty'))
  const { stdout } = await fixture.kubectl(['get', 'pods', '-n', 'empty', '--no-headers'])
  expect(stdout.trim().split('\n')).toHaveLength(5000)
})

test('[A2.52] a rule denies a request in its words before the cluster sees it', async () => {
  const { created, person } = fixture
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'no deletes', users: [person.id] })
  const rule = { filter, type: 'command', content: 'delete', action: 0 }
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, rule)
  const deleted = async (pod: string) =>
    (await fixture.kubectl(['delete', 'pod', pod, '-n', 'shop', '--wait=false'])).stderr
  // A session that goes on knows the rule a moment later.
  await expect.poll(() => deleted('nobody')).toContain('Command `delete` is forbidden')
  expect(await deleted('web-2')).toContain('Command `delete` is forbidden')
  const token = await fixture.token('reader')
  const every = await fixture.request('/api/v1/namespaces/shop/pods', { token, method: 'DELETE' })
  expect(every).toMatchObject({ status: 403, text: expect.stringContaining('Command `delete` is forbidden') })
  expect(fixture.api.seen.filter(({ method, url }) => method === 'DELETE' && url.includes('web-2'))).toEqual([])
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('nobody becomes somebody else, forwards ports, or goes through proxies of the cluster', async () => {
  const forbidden = await fixture.kubectl(['get', 'pods', '-n', 'shop', '--as', 'admin'])
  expect(forbidden).toMatchObject({ code: 1, stderr: expect.stringContaining('Acting as somebody else') })
  const forward = await fixture.kubectl(['port-forward', 'pod/web-1', ':80', '-n', 'shop'])
  expect(forward.code).toBe(1)
  const token = await fixture.token('reader')
  const path = '/api/v1/namespaces/shop/services/web/proxy/'
  const answer = await fixture.request(path, { token, headers: { 'x-remote-user': 'system:admin' } })
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('not permitted through Sallyport') })
  const pods = '/api/v1/namespaces/shop/pods'
  for (const name of ['impersonate_user', 'Impersonate-Uid', 'x_remote_user'])
    expect([name, await fixture.request(pods, { token, headers: { [name]: 'admin' } })]).toMatchObject([
      name,
      { status: 403, text: expect.stringContaining('Acting as somebody else') },
    ])
  for (const name of ['X-HTTP-Method-Override', 'x_http_method_override', 'X-HTTP-Method', 'X-Method-Override'])
    expect([name, await fixture.request(pods, { token, headers: { [name]: 'DELETE' } })]).toMatchObject([
      name,
      { status: 403, text: expect.stringContaining('another method in a header') },
    ])
  expect(fixture.api.seen.some(({ url }) => /proxy|portforward/.test(url))).toBe(false)
  const passed = fixture.api.seen.flatMap(({ headers }) => Object.keys(headers))
  expect(passed.filter((name) => /impersonate|remote.user|method/.test(name))).toEqual([])
  expect(fixture.api.seen.some(({ headers }) => 'impersonate-user' in headers || 'x-remote-user' in headers)).toBe(
    false,
  )
})

test('the body of a request ends for the cluster where it ends here, and is no further request', async () => {
  const token = await fixture.token('reader')
  const hidden = `DELETE /api/v1/namespaces/shop/pods/web-2 HTTP/1.1\r\nHost: y\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  const ways = [
    ...['GET', 'DELETE', 'HEAD'].map((method) => [method, chunked]),
    // Hop-by-hop headers of a client are meant for its neighbor alone.
    ['GET', `Connection: keep-alive, content-length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    // Nobody here knows the end of such a body.
    ['POST', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ]
  const answered: string[] = []
  for (const [method, rest] of ways) {
    const socket = connectTls({ host: '127.0.0.1', port: fixture.port, rejectUnauthorized: false })
    const end = `GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
    socket.write(
      `${method} /api/v1/namespaces/shop/secrets/none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${rest}${end}`,
    )
    let received = ''
    for await (const bytes of socket) received += bytes
    answered.push(`${method} ${received.match(/(?<=HTTP\/1.1 )\d+/g)}`)
  }
  expect(answered).toEqual(['GET 404,200', 'DELETE 404,200', 'HEAD 404,200', 'GET 404,200', 'POST 400'])
  expect(fixture.api.seen.filter(({ method, url }) => method === 'DELETE' && url.includes('web-2'))).toEqual([])
})

test('without a token, with an unknown one, or with one that the cluster does not know nothing is sent, in words', async () => {
  const code = async (options: Parameters<KubernetesFixture['request']>[1]) => {
    const { status, text } = await fixture.request('/api/v1/pods', options)
    return [status, JSON.parse(text).kind, JSON.parse(text).message]
  }
  expect(await code({})).toEqual([401, 'Status', expect.stringContaining('connection token')])
  expect(await code({ token: 'x'.repeat(36) })).toEqual([403, 'Status', expect.stringContaining('unknown')])
  expect(await code({ token: 'nonsense' })).toEqual([403, 'Status', expect.any(String)])
  expect(await code({ token: await fixture.token('wrong') })).toEqual([
    403,
    'Status',
    expect.stringContaining('refused'),
  ])
  const basic = `Basic ${Buffer.from(`walker#gold#reader:${PASSWORD}`).toString('base64')}`
  expect((await fixture.request('/api/v1/pods', { headers: { authorization: basic } })).status).toBe(200)
})

test('a terminated session ends what runs, and its token opens no other', async () => {
  const { server, api } = fixture
  const token = await fixture.token('reader')
  const watch = fixture.request('/api/v1/pods?watch=true', { token })
  watch.catch(() => {})
  await expect.poll(() => api.open).toBe(1)
  const { id } = await session()
  expect((await server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])).status).toBe(200)
  await expect(watch).rejects.toThrow()
  await expect.poll(() => api.open).toBe(0)
  await expect
    .poll(async () => (await server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished)
    .toBe(true)
  await expect.poll(async () => (await fixture.request('/version', { token })).status).toBe(403)
})

test('a permission that is withdrawn ends it within seconds', async () => {
  const token = await fixture.token('reader')
  expect((await fixture.request('/version', { token })).status).toBe(200)
  const permission = `/api/v1/perms/application-permissions/${fixture.permission}/`
  expect((await fixture.server.admin.patch(permission, { is_active: false })).status).toBe(200)
  await expect.poll(async () => (await fixture.request('/version', { token })).status).toBe(403)
  expect((await fixture.server.admin.patch(permission, { is_active: true })).status).toBe(200)
})
