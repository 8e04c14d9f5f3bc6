/**
 * Events that hold, lock or move a session of a client of Kubernetes, the cluster's proof, and
 * signing in to it.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startSshd } from '../../../domains/assets/sshd-fixture.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'
import { type ApiServer, startApiServer, TOKEN } from '../../connectors/kubernetes/api-server-fixture.ts'
import { CHANNEL, frame, SUBPROTOCOLS } from '../../protocols/kubernetes/channels.ts'
import { type KubernetesFixture, openKubernetesFixture } from './kubernetes-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const PODS = '/api/v1/namespaces/shop/pods'

let fixture: KubernetesFixture
const others: { close(): unknown }[] = []
beforeAll(async () => {
  fixture = await openKubernetesFixture()
})
afterEach(async () => {
  for (const one of others.splice(0)) await one.close()
})
afterAll(() => fixture?.close())

/** Another cluster that the person may use, and how to ask it; the account's secret is `token`. */
async function aCluster(name: string, api: ApiServer, token = TOKEN) {
  const { created, person } = fixture
  const draft = { name, category: 'cloud', type: 'k8s', attrs: { cluster: `https://127.0.0.1:${api.port}` } }
  const application = await created('/api/v1/applications/applications/?type=k8s', draft)
  const account = { name, token, protocol: 'k8s', login_mode: 'auto', auto_push: false }
  const systemUser = await created('/api/v1/assets/system-users/', account)
  await created('/api/v1/perms/application-permissions/', {
    name,
    category: 'cloud',
    type: 'k8s',
    users: [person.id],
    applications: [application],
    system_users: [systemUser],
  })
  return {
    application: `/api/v1/applications/applications/${application}/`,
    /** With a token of its own, so that it begins a session. */
    async asked() {
      const body = { application, system_user: systemUser }
      const { body: issued } = await person.post('/api/v1/authentication/connection-token/', body)
      const { status, text } = await fixture.request(PODS, { token: issued.token })
      return [status, JSON.parse(text).message ?? JSON.parse(text).kind]
    },
  }
}

test('an account that proves itself by a certificate is signed in with it, and sends no token', async () => {
  const { certificate, privateKey } = makeServerCertificate('reader')
  const api = await startApiServer({ client: certificate })
  others.push(api)
  const cluster = await aCluster('by certificate', api, `${certificate}\n${privateKey}`)
  expect(await cluster.asked()).toEqual([200, 'PodList'])
  expect(api.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  const other = makeServerCertificate('reader')
  const stranger = await aCluster('by another', api, `${other.certificate}\n${other.privateKey}`)
  expect(await stranger.asked()).toEqual([403, 'The cluster refused the token or certificate of the system user'])
  const without = await aCluster('without a key', api, certificate)
  expect(await without.asked()).toEqual([
    403,
    expect.stringContaining('neither a token nor a certificate with its key'),
  ])
})

test('a cluster that shows another key gets no token', async () => {
  const first = await startApiServer()
  const cluster = await aCluster('changed', first)
  expect(await cluster.asked()).toEqual([200, 'PodList'])
  const { port } = first
  await first.close()
  const second = await startApiServer({ port })
  others.push(second)
  expect(await cluster.asked()).toEqual([expect.any(Number), expect.stringContaining('HAS CHANGED')])
  expect(second.seen).toEqual([])
})

test('a cluster that was moved behind a gateway is reached through it, once a system administrator has confirmed that', async () => {
  const { created, server } = fixture
  const [api, sshd] = await Promise.all([startApiServer(), startSshd()])
  others.push(api, sshd)
  const cluster = await aCluster('far away', api)
  const domain = await created('/api/v1/assets/domains/', { name: 'far away' })
  await created('/api/v1/assets/gateways/', {
    name: 'the way there',
    ip: '127.0.0.1',
    port: sshd.port,
    domain,
    username: sshd.username,
    private_key: sshd.privateKey,
  })
  expect((await server.admin.patch(cluster.application, { domain })).status).toBe(200)
  expect(await cluster.asked()).toEqual([403, expect.stringContaining('system administrator')])
  expect(sshd.logins()).toBe(0)
  const destinations = `${cluster.application}destinations/`
  const { unconfirmed } = (await server.admin.get(destinations)).body
  expect((await server.admin.post(`${destinations}confirm/`, { destinations: unconfirmed })).status).toBe(200)
  expect(await cluster.asked()).toEqual([200, 'PodList'])
  expect(sshd.logins()).toBeGreaterThan(0)
})

test('[A2.52] a request that must be confirmed waits: approved it goes out, rejected it fails, and others pass it by', async () => {
  const { created, person, server, api } = fixture
  const reviewer = await server.aPerson('decider')
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'asked', users: [person.id] })
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'get pods web-2',
    action: 2,
    reviewers: [reviewer.id],
  })
  // Rules are obeyed within a second: these are, once this one is.
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: '/version',
    action: 0,
  })
  const token = await fixture.token('reader')
  await expect.poll(async () => (await fixture.request('/version', { token })).status).toBe(403)
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  for (const [verdict, status] of [
    ['approve', 200],
    ['reject', 403],
  ] as const) {
    const seen = api.seen.length
    const answer = fixture.request(`${PODS}/web-2`, { token })
    await expect.poll(open).toHaveLength(1)
    expect((await fixture.request(`${PODS}/web-1`, { token })).status).toBe(200)
    expect(api.seen.slice(seen).filter(({ url }) => url.endsWith('/web-2'))).toEqual([])
    expect((await reviewer.put(`${TICKETS}${(await open())[0]?.id}/${verdict}/`)).status).toBe(200)
    expect((await answer).status).toBe(status)
  }
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('requests of a locked session are refused one by one, and go out again once it is unlocked', async () => {
  const token = await fixture.token('reader')
  expect((await fixture.request(PODS, { token })).status).toBe(200)
  const session = await fixture.newestSession()
  const locker = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const order = async (word: string) =>
    expect((await locker.post(`/api/v1/terminal/sessions/${session}/${word}/`, {})).status).toBe(200)
  await order('lock')
  await expect.poll(async () => (await fixture.request(PODS, { token })).text).toContain('locked')
  await order('unlock')
  await expect.poll(async () => (await fixture.request(PODS, { token })).status).toBe(200)
})

test('a client attaches to what runs in a container: both ways, with the end of its input', async () => {
  const token = await fixture.token('reader')
  const query = 'stdin=true&stdout=true&stderr=true&container=app'
  const client = new WebSocket(`wss://127.0.0.1:${fixture.port}${PODS}/web-1/attach?${query}`, [...SUBPROTOCOLS], {
    headers: { authorization: `Bearer ${token}` },
    rejectUnauthorized: false,
  })
  others.push({ close: () => client.terminate() })
  const frames: string[] = []
  client.on('message', (data) => frames.push((data as Buffer).toString('latin1')))
  const closed = new Promise((resolve, reject) => client.once('close', resolve).once('error', reject))
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject))
  client.send(frame(CHANNEL.stdin, 'there and back\n'))
  await expect.poll(() => frames).toContain('\x01there and back\n')
  client.send(Buffer.of(CHANNEL.close, CHANNEL.stdin))
  await closed
  expect(frames.at(-1)).toContain('"status":"Success"')
  await expect.poll(() => fixture.commands()).toContain('attach pods web-1 -n shop -c app | 101')
})
