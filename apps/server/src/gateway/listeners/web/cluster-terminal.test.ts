import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aPod } from '../../connectors/kubernetes/api-server-fixture.ts'
import { type KubernetesFixture, openKubernetesFixture } from '../kubernetes/kubernetes-fixture.ts'
import { openTerminal, type Terminal } from './terminal-fixture.ts'
import { openWorkbench, type WorkbenchPage } from './workbench-fixture.ts'

let fixture: KubernetesFixture
const terminals: Terminal[] = []
beforeAll(async () => {
  fixture = await openKubernetesFixture()
})
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.close()
  fixture.api.programs = undefined
  fixture.api.denied.clear()
  fixture.api.paging = undefined
})
afterAll(() => fixture?.close())

const TREE = '/api/v1/perms/users/applications/tree/'

interface Item {
  id: string
  name: string
  pId: string
  parentInfo: string
  isParent: boolean
  meta: { data: { identity?: string } }
}

/** Entries of a level of the tree, as the person sees it. */
async function below({ id, parentInfo }: Pick<Item, 'id' | 'parentInfo'>, explain = ''): Promise<Item[]> {
  const query = new URLSearchParams({ tree_id: id, parentInfo, ...(explain ? { explain } : {}) })
  const { status, body } = await fixture.person.get(`${TREE}?${query}`)
  if (status !== 200) throw new Error(`${status}: ${body.detail}`)
  return body
}
const named = (items: Item[], name: string) => items.find((item) => item.name === name) as Item
const cluster = async () =>
  (await fixture.person.get(TREE)).body.find(({ id }: Item) => id === fixture.target.id) as Item

async function opened(within?: { namespace: string; pod: string; container: string }): Promise<Terminal> {
  const { server, person, target, systemUsers } = fixture
  const terminal = await openTerminal(server.url, person, {
    type: 'k8s',
    target: target.id,
    systemUser: systemUsers.reader as string,
    ...(within ? { within } : {}),
  })
  terminals.push(terminal)
  return terminal
}
/** Prompt of root, or of anybody else. */
const PROMPT = /[$#] /
const APP = { namespace: 'shop', pod: 'web-1', container: 'app' }

test('a cluster opens level by level: system user, namespace, pod, container', async () => {
  const top = await cluster()
  expect(top).toMatchObject({ isParent: true, parentInfo: `app_id=${top.id}`, meta: { data: { identity: 'k8s' } } })
  const users = await below(top)
  expect(users.map(({ name }) => name)).toEqual(['reader(*)', 'wrong(*)'])
  const user = named(users, 'reader(*)')
  const id = `app_id=${top.id}&system_user_id=${fixture.systemUsers.reader}`
  expect(user).toMatchObject({ id, pId: top.id, parentInfo: id, meta: { data: { identity: 'system_user' } } })
  const namespaces = await below(user)
  expect(namespaces.map(({ name }) => name)).toEqual(['empty(0)', 'shop(2)'])
  const pods = await below(named(namespaces, 'shop(2)'))
  expect(pods.map(({ name }) => name)).toEqual(['web-1(2)', 'web-2(1)'])
  const containers = await below(named(pods, 'web-1(2)'))
  expect(containers.map(({ name, isParent }) => [name, isParent])).toEqual([
    ['app', false],
    ['sidecar', false],
  ])
  expect(containers[0]).toMatchObject({ parentInfo: `${id}&namespace=shop&pod=web-1&container=app` })
})

test('five thousand pods come in pages, and no level leads where nothing was granted', async () => {
  for (let at = 0; at < 5000; at++) fixture.api.put(aPod(`many-${at}`, 'empty'))
  await readsInPages()
  const user = named(await below(await cluster()), 'reader(*)')
  const empty = named(await below(user), 'empty(5000)')
  expect(await below(empty)).toHaveLength(5000)
  for (let at = 0; at < 5000; at++) fixture.api.objects.delete(`pods/empty/many-${at}`)
  const stranger = await fixture.server.aPerson('stranger')
  const of = ({ id, parentInfo }: Item) => `${TREE}?${new URLSearchParams({ tree_id: id, parentInfo })}`
  for (const item of [await cluster(), user, empty]) expect((await stranger.get(of(item))).status).toBe(404)
  const seen = fixture.api.seen.length
  expect(await below({ ...empty, parentInfo: `${user.parentInfo}&namespace=${encodeURIComponent('../x')}` })).toEqual(
    [],
  )
  expect(fixture.api.seen).toHaveLength(seen)
})

test('a cluster that refuses the account is empty to old clients, and says why to those that ask', async () => {
  const wrong = named(await below(await cluster()), 'wrong(*)')
  expect(await below(wrong)).toEqual([])
  await expect(below(wrong, '1')).rejects.toThrow('400: The cluster refused the token')
})

test('a container has a terminal, whose commands are rows and whose session says where it was', async () => {
  const terminal = await opened(APP)
  await terminal.see(PROMPT)
  terminal.type('echo $((6*7)) here\r')
  await terminal.see('42 here')
  const { id } = terminal.session as { id: string }
  terminal.resize(100, 30)
  await expect.poll(() => fixture.api.sizes.at(-1)).toEqual({ Width: 100, Height: 30 })
  terminal.type('exit\r')
  await terminal.closed
  const session = async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body
  await expect.poll(async () => (await session()).is_finished).toBe(true)
  expect(await session()).toMatchObject({ asset: 'gold(shop_web-1_app)', protocol: 'k8s', login_from: 'WT' })
  await expect.poll(() => fixture.commands()).toContain('echo $((6*7)) here')
})

test('where there is no bash the next shell is taken, and where there is none the person hears it', async () => {
  fixture.api.programs = ['sh']
  const terminal = await opened(APP)
  await terminal.see(PROMPT)
  terminal.type('echo $0\r')
  await terminal.see(/\r\nsh\r\n/)
  fixture.api.programs = []
  const before = fixture.api.seen.length
  const none = await opened(APP)
  await none.closed
  expect(none.errors.join()).toContain('There is no shell in this container')
  const tried = fixture.api.seen.slice(before).map(({ url }) => new URLSearchParams(url.split('?')[1]).get('command'))
  expect(tried.filter(Boolean)).toEqual(['bash', 'sh', 'powershell', 'cmd'])
})

test('[A2.52] a command that a rule denies reaches no container', async () => {
  const { created, person, server } = fixture
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'no frobnicating', users: [person.id] })
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'command',
    content: 'frobnicate',
    action: 0,
  })
  const terminal = await opened(APP)
  await terminal.see(PROMPT)
  // Rules are obeyed within a second.
  await expect
    .poll(() => {
      terminal.type('echo no && frobnicate\r')
      return terminal.text()
    })
    .toContain('is forbidden')
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a pod that is gone, and a name that is none, are said in words', async () => {
  const gone = await opened({ ...APP, pod: 'gone' })
  await gone.closed
  expect(gone.errors.join()).toContain('pods "gone" not found')
  const none = await opened({ ...APP, pod: '../secrets' })
  await none.closed
  expect(none.errors.join()).toContain('incomplete')
})

/** The page that shows the objects of the cluster. */
async function resources(): Promise<WorkbenchPage> {
  const page = await openWorkbench(fixture, 'k8s')
  terminals.push(page.terminal)
  return page
}
const commandsOf = async ({ terminal }: WorkbenchPage) => {
  const path = `/api/v1/terminal/commands/?session_id=${terminal.session?.id}&limit=100`
  return (await fixture.server.admin.get(path)).body.results.map(({ input }: { input: string }) => input) as string[]
}
const LIST = { about: 'list', kind: 'pods', namespace: 'shop', selector: '', next: '' }

/** Reads the 5,000 pods of a namespace. */
async function readsInPages(): Promise<void> {
  const page = await resources()
  const seen = fixture.api.seen.length
  const names: string[] = []
  let next = ''
  do {
    const { rows, ...answer } = await page.ask({ ...LIST, namespace: 'empty', next })
    expect(rows).toHaveLength(500)
    names.push(...(rows as unknown as { name: string }[]).map(({ name }) => name))
    next = String(answer.next)
    expect(answer.remaining).toBe(next ? 5000 - names.length : undefined)
  } while (next)
  expect(new Set(names).size).toBe(5000)
  expect(fixture.api.seen.slice(seen).map(({ url }) => new URL(url, 'https://c').searchParams.get('limit'))).toEqual(
    Array(10).fill('500'),
  )
  await expect.poll(() => commandsOf(page)).toEqual(Array(10).fill('list pods -n empty'))
}

test('the objects of a cluster are shown as a table, whole with their YAML, and with what has happened to them', async () => {
  const event = (name: string, at: string, of = 'web-1') =>
    fixture.api.put({
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: 'shop' },
        involvedObject: { kind: 'Pod', name: of },
      },
      ...{ type: 'Normal', reason: name, message: `${of} ${name}`, count: 3, lastTimestamp: at },
    })
  event('Pulled', '2026-01-02T03:04:05Z')
  event('Started', '2026-01-02T03:04:09Z')
  event('Killed', '2026-01-02T03:05:00Z', 'web-2')
  const managedFields = [{ manager: 'somebody' }]
  fixture.api.put({ ...aPod('web-3'), metadata: { ...aPod('web-3').metadata, managedFields } })
  const page = await resources()
  expect(page.start()).toMatchObject({ dialect: 'kubernetes', mayNodes: true, locked: false })
  expect(await page.ask({ about: 'namespaces' })).toMatchObject({ names: ['shop', 'empty'], isCut: false })
  expect(await page.ask(LIST)).toMatchObject({
    columns: [{ name: 'Name', isWide: false }, { name: 'Ready' }, { name: 'Status' }],
    rows: expect.arrayContaining([{ name: 'web-1', namespace: 'shop', cells: ['web-1', '2/2', 'Running'] }]),
    next: '',
  })
  const everywhere = await page.ask({ ...LIST, namespace: '' })
  expect(everywhere.rows).toContainEqual({ name: 'web-1', namespace: 'shop', cells: ['web-1', '2/2', 'Running'] })
  const one = { kind: 'pods', namespace: 'shop', name: 'web-3' }
  const { object, yaml } = await page.ask({ about: 'object', ...one })
  expect(object).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-3' } })
  expect(yaml).toContain('\n  containers:\n  - name: app\n    image: busybox\n')
  expect(JSON.stringify({ object, yaml })).not.toContain('somebody')
  const { events } = await page.ask({ about: 'events', ...one, name: 'web-1' })
  expect(events).toEqual([
    { type: 'Normal', reason: 'Started', message: 'web-1 Started', count: 3, at: '2026-01-02T03:04:09Z', from: '' },
    { type: 'Normal', reason: 'Pulled', message: 'web-1 Pulled', count: 3, at: '2026-01-02T03:04:05Z', from: '' },
  ])
  const gone = { about: 'object', ...one, name: 'gone' }
  expect((await page.ask(gone)).error).toBe('The cluster answered 404: pods "gone" not found')
  await expect.poll(() => fixture.commands()).toContain('get pods gone -n shop | 404 | pods "gone" not found')
  const session = page.terminal.session?.id as string
  await fixture.terminate(session)
  await page.terminal.closed
  await expect.poll(() => fixture.isFinished(session)).toBe(true)
})

test('a list that is shown stays as the cluster has it, by one request, until the page shows another or is left', async () => {
  const { api } = fixture
  const page = await resources()
  const { since } = await page.ask(LIST)
  const list = { kind: 'pods', namespace: 'shop', selector: '', since }
  const messagesOf = (number: number) =>
    page.terminal.messages
      .filter(({ type }) => type === 'WORKBENCH_CHANGES')
      .map(({ data }) => JSON.parse(data))
      .filter((one) => one.number === number)
  const changes = (number: number) => messagesOf(number).flatMap((one) => one.changes ?? [])
  page.terminal.say('WORKBENCH_FOLLOW', { number: 1, list })
  await expect.poll(() => api.open).toBe(1)
  api.put(aPod('late', 'shop'))
  await expect.poll(() => changes(1)).toEqual([{ name: 'late', namespace: 'shop', cells: ['late', '1/1', 'Running'] }])
  // Events of other namespaces are not reported.
  api.put(aPod('elsewhere', 'empty'))
  api.put({ ...aPod('late', 'shop'), status: { phase: 'Failed' } })
  api.remove('pods/shop/late')
  await expect.poll(() => changes(1).at(-1)).toEqual({ name: 'late', namespace: 'shop' })
  expect(changes(1).map(({ name }) => name)).not.toContain('elsewhere')

  page.terminal.say('WORKBENCH_FOLLOW', { number: 2, list: { ...list, namespace: '' } })
  await expect.poll(() => api.seen.at(-1)?.url).toContain('/api/v1/pods?watch=1&resourceVersion=')
  await expect.poll(() => api.open).toBe(1)
  api.remove('pods/empty/elsewhere')
  await expect.poll(() => changes(2)).toEqual([{ name: 'elsewhere', namespace: 'empty' }])
  api.endWatches()
  await expect
    .poll(() => messagesOf(2).at(-1))
    .toEqual({ number: 2, ended: 'over', since: expect.stringMatching(/^\d+$/) })
  page.terminal.say('WORKBENCH_FOLLOW', { number: 8, list })
  await expect.poll(() => api.open).toBe(1)
  api.endWatches({ code: 410, reason: 'Expired' })
  await expect.poll(() => messagesOf(8)).toEqual([{ number: 8, ended: 'expired' }])
  api.denied.add('pods')
  page.terminal.say('WORKBENCH_FOLLOW', { number: 3, list })
  await expect.poll(() => messagesOf(3)).toEqual([{ number: 3, ended: 'refused' }])
  api.denied.clear()

  page.terminal.say('WORKBENCH_FOLLOW', { number: 4, list })
  await expect.poll(() => api.open).toBe(1)
  for (const not of [{ kind: 'pods' }, { ...list, namespace: '../x' }, { ...list, since: 'x' }, { ...list, kind: 'x' }])
    page.terminal.say('WORKBENCH_FOLLOW', { number: 5, list: not })
  page.terminal.say('WORKBENCH_FOLLOW', { number: 6 })
  await expect.poll(() => api.open).toBe(0)
  page.terminal.say('WORKBENCH_FOLLOW', { number: 7, list })
  await expect.poll(() => api.open).toBe(1)
  page.terminal.close()
  await expect.poll(() => api.open).toBe(0)
  expect(messagesOf(4)).toEqual([])
  await expect
    .poll(() => commandsOf(page).then((rows) => rows.toSorted()))
    .toEqual(['list pods -n shop', ...Array(5).fill('watch pods -n shop'), 'watch pods'].toSorted())
})

test('neither the values of a secret nor the copies that tools keep of them reach the page', async () => {
  const value = Buffer.from('Under-the-mat-9').toString('base64')
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: { key: value } }) }
  fixture.api.put({
    ...{
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      data: { key: value },
      stringData: { key: 'Under-the-mat-9' },
    },
    metadata: { name: 'door', namespace: 'shop', annotations },
  })
  const page = await resources()
  expect((await page.ask({ ...LIST, kind: 'secrets' })).rows).toMatchObject([{ name: 'door' }])
  expect((await page.ask({ ...LIST, kind: 'secrets', namespace: '' })).rows).toMatchObject([{ name: 'door' }])
  const { object, yaml } = await page.ask({ about: 'object', kind: 'secrets', namespace: 'shop', name: 'door' })
  expect(object).toMatchObject({ type: 'Opaque', data: { key: '15 bytes' } })
  expect(yaml).toContain('key: "15 bytes"')
  const sent = JSON.stringify(page.terminal.messages)
  for (const text of ['Under-the-mat', value]) expect(sent).not.toContain(text)
})

test('[A2.52] an action without permission of the account or of a rule is refused where it was asked; a malformed question reaches no cluster', async () => {
  const { api, created, person, server } = fixture
  api.denied.add('nodes')
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'not web-2', users: [person.id] })
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    ...{ filter, type: 'regex', content: 'get pods web-2', action: 0 },
  })
  const page = await resources()
  expect(page.start()).toMatchObject({ mayNodes: false })
  const nodes = await page.ask({ ...LIST, kind: 'nodes', namespace: '' })
  expect(nodes.error).toBe('The cluster answered 403: nodes is forbidden: cannot list resource')
  const one = { about: 'object', kind: 'pods', namespace: 'shop' }
  // Rules are obeyed within a second.
  await expect.poll(async () => (await page.ask({ ...one, name: 'web-2' })).error).toContain('forbidden')
  const seen = api.seen.length
  for (const ask of [
    { ...one, name: '../secrets/door' },
    { ...one, name: 'web-1', namespace: '../x' },
    { ...one, name: 'web-1', kind: 'serviceaccounts' },
    { ...LIST, selector: 'x'.repeat(5000) },
    'all',
  ])
    page.terminal.say('WORKBENCH_ASK', { question: 999, ask })
  page.terminal.say('WORKBENCH_ASK', { ask: one })
  expect((await page.ask({ ...one, name: 'web-1' })).object).toMatchObject({ kind: 'Pod' })
  expect(api.seen.slice(seen).map(({ url }) => url)).toEqual(['/api/v1/namespaces/shop/pods/web-1'])
  const replies = page.terminal.messages.filter(({ type }) => type === 'WORKBENCH_REPLY')
  const refused = replies.map(({ data }) => JSON.parse(data)).filter(({ question }) => !(question < 999))
  expect(refused).toEqual(Array(5).fill({ question: 999, error: 'This can not be asked' }))
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a cluster that says of every page that there is another one is not asked for ever', async () => {
  const { api } = fixture
  const page = await resources()
  api.paging = { continue: '0', remainingItemCount: 'many' }
  const seen = api.seen.length
  const namespaces = await page.ask({ about: 'namespaces' })
  expect(namespaces).toMatchObject({ isCut: true })
  expect(api.seen.length - seen).toBe(40)
  const first = await page.ask(LIST)
  expect(first.next).toBe('0')
  expect(first).not.toHaveProperty('remaining')
  api.paging = { continue: { a: 1 } }
  expect(await page.ask({ about: 'namespaces' })).toMatchObject({ isCut: false })
  expect((await page.ask(LIST)).next).toBe('')
})
