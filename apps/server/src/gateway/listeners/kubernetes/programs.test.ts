import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KubernetesFixture, openKubernetesFixture } from './kubernetes-fixture.ts'

let fixture: KubernetesFixture
beforeAll(async () => {
  fixture = await openKubernetesFixture()
})
afterAll(() => fixture?.close())

/** Answer to an older kubectl, or to one that is set to be. */
async function isRefused(environment: Record<string, string> = {}): Promise<true> {
  const { code, stderr } = await fixture.kubectl(['exec', '-n', 'shop', 'web-2', '--', 'true'], '', environment)
  expect(code).not.toBe(0)
  expect(stderr).toContain('kubectl 1.31 or newer is needed')
  return true
}

test('kubectl that speaks SPDY hears which one is needed', async () => {
  await isRefused({ KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' })
})

/** The newest session. */
const session = async () =>
  (await fixture.server.admin.get('/api/v1/terminal/sessions/?ordering=-date_start&limit=1')).body.results[0]

test('kubectl runs programs in containers: output, errors, exit code, input, files', async () => {
  if (!(await fixture.isCurrent()) && (await isRefused())) return
  const run = (argv: string[], input = '') =>
    fixture.kubectl(['exec', '-n', 'shop', 'web-1', '-c', 'app', ...(input ? ['-i'] : []), '--', ...argv], input)
  const both = await run(['sh', '-c', 'echo out; echo err >&2; exit 7'])
  expect(both).toMatchObject({ code: 7, stdout: 'out\n', stderr: expect.stringMatching(/^err\n.*exit code 7/s) })
  const large = 'x'.repeat(300_000)
  expect(await run(['cat'], large)).toMatchObject({ code: 0, stdout: large })
  expect((await run(['no-such-program'])).stderr).toContain('executable file not found')
  const folder = fixture.server.kernel.config.dataDirectory
  const copied = await fixture.kubectl([
    'cp',
    '-n',
    'shop',
    '-c',
    'app',
    `web-1:${folder}/walker.kubeconfig`,
    `${folder}/copy`,
  ])
  expect(copied).toMatchObject({ code: 0 })
  expect(readFileSync(`${folder}/copy`)).toEqual(readFileSync(`${folder}/walker.kubeconfig`))
})

test('a program with a terminal is a session of its own, recorded as one', async () => {
  if (!(await fixture.isCurrent()) && (await isRefused())) return
  const { server } = fixture
  const ran = await fixture.kubectl(
    ['exec', '-n', 'shop', 'web-2', '-it', '--', 'sh', '-c', 'echo hello $((6*7))'],
    'x\n',
  )
  expect(ran.stdout).toContain('hello 42')
  const { id, ...row } = await session()
  expect(row).toMatchObject({ asset: 'gold(shop_web-2_app)', protocol: 'k8s' })
  await expect
    .poll(async () => (await server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished)
    .toBe(true)
  await expect.poll(() => fixture.commands()).toContain("sh -c 'echo hello $((6*7))'")
  await expect.poll(() => fixture.commands()).toContain('exec pods web-2 -n shop -c app | 101')
})

test('[A2.52] a command that a rule denies runs in no container, and kubectl says why', async () => {
  if (!(await fixture.isCurrent()) && (await isRefused())) return
  const { created, person } = fixture
  const filter = await created('/api/v1/assets/cmd-filters/', { name: 'no halt', users: [person.id] })
  await created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, type: 'command', content: 'halt', action: 0 })
  const seen = fixture.api.seen.length
  const ran = () => fixture.kubectl(['exec', '-n', 'shop', 'web-2', '--', 'sh', '-c', 'ha""lt'])
  await expect.poll(async () => (await ran()).stderr).toContain('is forbidden')
  expect(fixture.api.seen.slice(seen).some(({ url }) => url.includes('/exec') && url.includes('command='))).toBe(false)
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})
