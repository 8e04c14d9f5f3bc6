import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type KubernetesFixture, openKubernetesFixture } from '../../../listeners/kubernetes/kubernetes-fixture.ts'
import type { Terminal } from '../../../listeners/web/terminal-fixture.ts'
import { openTerminal } from '../../../listeners/web/terminal-fixture.ts'
import { type ReplFixture, replFixture } from '../../../repl/repl-fixture.ts'
import { grantedList } from '../../../targets/session-families.ts'
import { aPod } from '../api-server-fixture.ts'

let fixture: KubernetesFixture
let repl: ReplFixture
const PROMPT = 'k8s[default]> '
beforeAll(async () => {
  fixture = await openKubernetesFixture()
  repl = replFixture(fixture, { type: 'k8s', prompt: PROMPT })
  fixture.api.put({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'web-1.pulled', namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'web-1' },
  })
})
afterEach(() => repl.closeTerminals())
afterAll(() => fixture?.close())

/** Output of a line, up to the next prompt. */
async function shown(terminal: Terminal, line: string, prompt = PROMPT): Promise<string> {
  terminal.type(`${line}\r`)
  await terminal.see('\r\n')
  return terminal.see(prompt)
}

test('the cluster shell shows objects as tables, YAML, JSON and names, in any namespace', async () => {
  const terminal = await repl.opened({ cols: 120 })
  expect(await shown(terminal, 'get pods')).toContain('No resources found in default namespace.')
  expect(await shown(terminal, 'kubectl get po -n shop')).toMatch(
    /NAME {4}READY {3}STATUS\r\nweb-1 {3}2\/2 {5}Running\r\nweb-2 {3}1\/1 {5}Running\r\n/,
  )
  expect(await shown(terminal, 'k get pods -A --no-headers')).toMatch(/shop {3}web-1 {3}2\/2/)
  expect(await shown(terminal, 'get pod web-2 -nshop -oname')).toContain('pod/web-2\r\n')
  const yaml = await shown(terminal, 'get pod/web-2 -n shop -o yaml')
  expect(yaml).toMatch(/apiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n {2}name: web-2\r\n/)
  expect(yaml).toMatch(/spec:\r\n {2}containers:\r\n {2}- name: app\r\n {4}image: busybox\r\n/)
  expect(await shown(terminal, 'get deploy -n shop')).toContain('No resources found in shop namespace.')
  expect(await shown(terminal, 'ns shop', 'k8s[shop]> ')).toContain('k8s[shop]> ')
  expect(await shown(terminal, 'get configmaps,pods', 'k8s[shop]> ')).toContain('web-1')
})

test('a refusal of a cluster, and an unknown command, read as in kubectl, and have a row', async () => {
  const terminal = await repl.opened({ cols: 120 })
  expect(await shown(terminal, 'get pod nothing')).toContain('Error from server (404): pods "nothing" not found')
  expect(await shown(terminal, 'get unicorns')).toContain('error: the server doesn\'t have a resource type "unicorns"')
  expect(await shown(terminal, 'apply -f x')).toContain('error: unknown command "apply"')
  expect(await shown(terminal, 'get pods --as admin')).toContain('error: unknown flag "as"')
  const seen = fixture.api.seen.length
  expect(await shown(terminal, 'get pods ../../nodes')).toContain('is not')
  expect(await shown(terminal, 'get pods -n ../x')).toContain('is not the name of a namespace')
  expect(fixture.api.seen).toHaveLength(seen)
  await expect
    .poll(() => fixture.commands())
    .toEqual(expect.arrayContaining(['get pod nothing | 404 | Error from server (404): pods "nothing" not found']))
})

test('describe shows an object with its events, logs go on until they are broken off, and programs end with their code', async () => {
  const terminal = await repl.opened({ cols: 120 })
  terminal.type('describe pod web-1 -n shop\r')
  expect(await terminal.see('-- more --')).toMatch(/Name: {9}web-1\r\nNamespace: {4}shop\r\n/)
  terminal.type('a')
  expect(await terminal.see(PROMPT)).toContain('web-1.pulled')
  expect(await shown(terminal, 'logs web-2 -n shop')).toMatch(/first line\r\nsecond line\r\n/)
  terminal.type('logs -f web-2 -n shop\r')
  await terminal.see('second line')
  await expect.poll(() => fixture.api.open).toBe(1)
  fixture.api.log('a third')
  await terminal.see('a third')
  terminal.type('\x03')
  await terminal.see(PROMPT)
  await expect.poll(() => fixture.api.open).toBe(0)
  const ran = await shown(terminal, `exec web-2 -n shop -- sh -c 'echo out; echo err >&2; exit 7'`)
  expect(ran).toContain('out\r\n')
  expect(ran).toContain('err\r\n')
  expect(ran).toContain('error: command terminated with exit code 7')
  expect(await shown(terminal, 'exec -it web-2 -n shop -- sh')).toContain('opened from the tree')
})

test('five thousand pods are shown page by page, and what nobody wants to see is not read', async () => {
  for (let at = 0; at < 5000; at++) fixture.api.put(aPod(`many-${at}`, 'empty'))
  const terminal = await repl.opened()
  const seen = fixture.api.seen.length
  terminal.type('get pods -n empty\r')
  await terminal.see('-- more --')
  terminal.type('q')
  await terminal.see(PROMPT)
  expect(fixture.api.seen.slice(seen).filter(({ url }) => url.includes('/pods')).length).toBeLessThan(3)
  terminal.type('get pods -n empty --no-headers\r')
  await terminal.see('-- more --')
  terminal.type('a')
  await terminal.see('many-4999')
  await terminal.see(PROMPT)
  for (let at = 0; at < 5000; at++) fixture.api.objects.delete(`pods/empty/many-${at}`)
})

test('Tab completes commands, kinds, and names that the cluster has', async () => {
  const terminal = await repl.opened()
  terminal.type('des\t')
  await terminal.see('describe')
  terminal.type('name\t')
  await terminal.see('namespaces')
  terminal.type('sh\t')
  await terminal.see('shop')
  terminal.type('\r')
  await terminal.see('Kind:         Namespace')
})

test('[A2.52] a rule denies what a line asks for, however it is written, and what it runs in a container', async () => {
  const { created, person, server, api } = fixture
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'careful', users: [person.id] })
  const rule = (content: string) =>
    created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', content, action: 0 })
  await rule('^delete pods')
  await rule('frobnicate')
  const terminal = await repl.opened({ cols: 120 })
  // Rules are obeyed within a second.
  await expect.poll(() => shown(terminal, 'exec web-2 -n shop -- frobnicate')).toContain('is forbidden')
  const seen = api.seen.length
  expect(await shown(terminal, 'k delete po web-2 -n shop')).toContain('is forbidden')
  expect(await shown(terminal, 'exec web-2 -n shop -- sh -c \'fro""bnicate\'')).toContain('is forbidden')
  expect(api.seen).toHaveLength(seen)
  await server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
  await expect.poll(() => shown(terminal, 'delete pod web-2 -n shop')).toContain('pod "web-2" deleted')
  api.put(aPod('web-2'))
})

test('an account that the cluster does not know opens no shell; the menu of SSH lists clusters', async () => {
  const { server, person, target, systemUsers } = fixture
  const refused = await openTerminal(server.url, person, {
    type: 'k8s',
    target: target.id,
    systemUser: systemUsers.wrong as string,
  })
  await refused.closed
  expect(refused.errors.join()).toContain('The cluster refused the token')
  const listed = await grantedList('kubernetes')?.find(server.kernel, { userId: person.id, limit: 5 })
  expect(listed).toMatchObject({
    total: 1,
    targets: [{ name: 'gold', cells: ['gold', expect.stringContaining('https')] }],
  })
})
