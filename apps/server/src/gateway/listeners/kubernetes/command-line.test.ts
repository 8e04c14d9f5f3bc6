import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { type KubernetesFixture, openKubernetesFixture } from './kubernetes-fixture.ts'

const PROGRAM = fileURLToPath(new URL('../../../../../../packages/cli/bin/sallyport.js', import.meta.url))

let fixture: KubernetesFixture
let home: string
beforeAll(async () => {
  fixture = await openKubernetesFixture()
  home = join(fixture.server.kernel.config.dataDirectory, 'home')
  mkdirSync(home)
})
afterAll(() => fixture?.close())

const sallyport = (words: string[], path = process.env.PATH ?? '') =>
  runToEnd(process.execPath, [PROGRAM, ...words], {
    environment: {
      ...{ PATH: path, HOME: home, TMPDIR: home, LC_ALL: 'C', KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'true' },
      ...{ SALLYPORT_CLI_URL: fixture.server.url, SALLYPORT_CLI_TOKEN: fixture.person.token },
    },
  })

test('sallyport kubectl enters a granted cluster with kubectl itself, and leaves no file behind', async () => {
  fixture.server.kernel.config.kubernetesPort = fixture.port
  const ran = await sallyport(['kubectl', 'reader@gold', 'get', 'pods', '-n', 'shop'])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('web-1') })
  expect(readdirSync(home).filter((name) => name.startsWith('sallyport-'))).toEqual([])
  const session = (await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1')).body.results[0]
  expect(session).toMatchObject({ protocol: 'k8s', asset: expect.stringContaining('gold') })
})

test('the token is in a file for its person alone, on no command line and in no variable; other targets and clusters are refused', async () => {
  const programs = join(home, 'bin')
  mkdirSync(programs)
  const shows = '#!/bin/sh\nstat -c %a "$KUBECONFIG"\nsed -n "s/ *token: //p" "$KUBECONFIG"\necho "$*"\nenv\n'
  writeFileSync(join(programs, 'kubectl'), shows, { mode: 0o755 })
  const { code, stdout } = await sallyport(['kubectl', 'reader@gold', 'version'], `${programs}:${process.env.PATH}`)
  const [mode, token = '', words, ...environment] = stdout.split('\n')
  expect([code, mode, words]).toEqual([0, '600', 'version'])
  expect(JSON.parse(token).length).toBeGreaterThan(20)
  expect(environment.join('\n')).not.toContain(JSON.parse(token))
  expect(environment.join('\n')).not.toContain(fixture.person.token)
  expect(await sallyport(['kubectl', 'nowhere', 'version'])).toMatchObject({ code: 5 })
  expect(await sallyport(['kubectl'])).toMatchObject({ code: 2 })
})
