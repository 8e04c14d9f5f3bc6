import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SETTINGS } from '../apps/server/src/config-settings.ts'
import { ROOT } from './prepare.mjs'

const UNIT = readFileSync(join(ROOT, 'deploy/systemd/sallyport.service'), 'utf8')
const IMAGE = readFileSync(join(ROOT, 'deploy/container/Dockerfile'), 'utf8')
/** Where both put the product. */
const PLACE = '/opt/sallyport'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-deploy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** On this machine the release is the checkout. */
const here = (text) => text.replaceAll(`${PLACE}/current`, ROOT).replaceAll(PLACE, ROOT)
const command = UNIT.match(/^ExecStart=(.+)$/m)[1]

test('the unit of systemd has nothing that systemd does not understand', () => {
  const path = join(folder, 'sallyport.service')
  writeFileSync(path, here(UNIT))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes('sallyport.service'))).toEqual([])
  expect(status).toBe(0)
})

test('systemd waits for the longest drain, and gets a notice when the service is ready', () => {
  const [, seconds] = UNIT.match(/^TimeoutStopSec=(\d+)$/m)
  const { SALLYPORT_DRAIN_SECONDS } = SETTINGS
  expect(SALLYPORT_DRAIN_SECONDS.read('3600')).toBe(3600)
  expect(SALLYPORT_DRAIN_SECONDS.read('3601')).toBeUndefined()
  expect(Number(seconds)).toBeGreaterThan(3600 + 15)
  expect(UNIT).toMatch(/^Type=notify$/m)
  expect(UNIT).toMatch(/^NotifyAccess=all$/m)
})

test("the image starts by the unit's command, as an account without rights", () => {
  const entry = JSON.parse(IMAGE.match(/^ENTRYPOINT (.+)$/m)[1])
  // There is one release in it, and nothing beside.
  expect(entry.join(' ')).toBe(command.replace('/current/', '/'))
  const users = [...IMAGE.matchAll(/^USER (.+)$/gm)].map(([, user]) => user)
  expect(users).toEqual(['10001'])
  expect(IMAGE.indexOf('USER 10001')).toBeLessThan(IMAGE.indexOf('ENTRYPOINT'))
})

test('operators find their command in the image, and as scripts of npm, which install nothing', () => {
  const [, path] = IMAGE.match(/^ENV PATH=(\S+)$/m)
  expect(path.split(':')[0]).toBe(`${PLACE}/bin`)
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const name of ['rotate-key', 'migrate', 'private-token', 'license'])
    expect(scripts[name]).toBe(`exec bin/sallyport-admin ${name}`)
})

test('the command of operators runs from anywhere, also by a link, with the settings of a file, and without npm', () => {
  const link = join(folder, 'sallyport-admin')
  symlinkSync(join(ROOT, 'bin/sallyport-admin'), link)
  for (const name of ['npm', 'npx', 'node']) writeFileSync(join(folder, name), '#!/bin/sh\nexit 99\n', { mode: 0o755 })
  writeFileSync(join(folder, 'env'), `SALLYPORT_DATA_DIR=${join(folder, 'data')}\n`)
  const admin = (...words) =>
    spawnSync(link, words, { cwd: folder, encoding: 'utf8', env: { PATH: `${folder}:/usr/bin:/bin` } })
  const wanted = ['--corporation', 'Example Ltd', '--days', '9']
  const { status, stdout, stderr } = admin('--env-file', join(folder, 'env'), 'license', ...wanted)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('license.txt: a license for Example Ltd, 9 days.')
  expect(readdirSync(join(folder, 'data'))).toContain('license-signing-key.pem')
  const away = admin('--env-file', join(folder, 'env'), 'rotate-key', '--check')
  expect([away.status, away.stdout]).toEqual([1, ''])
  expect(away.stderr).toMatch(/^Sallyport does not run on \S+: start it first.*\n$/)
  expect(admin('license').stderr).toContain('sallyport-admin license --corporation')
  expect(admin('nothing').stderr).toContain('rotate-key        take a new key')
})

test('the version is the same wherever it is written down', () => {
  const read = (path) => readFileSync(join(ROOT, path), 'utf8')
  const { version } = JSON.parse(read('package.json'))
  const packages = globSync(['apps/*/package.json', 'packages/*/package.json'], { cwd: ROOT })
  const inLock = Object.entries(JSON.parse(read('package-lock.json')).packages).filter(
    ([folder, { link }]) => !link && !folder.includes('node_modules'),
  )
  const found = [
    ...packages.map((path) => JSON.parse(read(path)).version),
    ...inLock.map(([, entry]) => entry.version),
    ...read('deploy/helm/sallyport/Chart.yaml')
      .matchAll(/^(?:appV|v)ersion: (.+)$/gm)
      .map(([, one]) => one),
    ...[...read('deploy/compose/compose.yaml').matchAll(/sallyport:([\d.]+)/g)].map(([, one]) => one),
    ...[...read('deploy/compose/compose.cluster.yaml').matchAll(/sallyport:([\d.]+)/g)].map(([, one]) => one),
    ...[...read('docs/install.md').matchAll(/sallyport[:-](\d[\d.]*\d)/g)].map(([, one]) => one),
    read('CHANGELOG.md').match(/^## (\S+)$/m)?.[1],
  ]
  expect(found.length).toBeGreaterThan(15)
  expect(found.filter((one) => one !== version)).toEqual([])
  // A second one in the code would be forgotten at the next release.
  const code = globSync(['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], { cwd: ROOT })
  const naming = code.filter((path) => !path.includes('.test.') && read(path).includes(`'${version}'`))
  expect(naming).toEqual(['packages/contract/src/constants.ts'])
})

test('the image is made of an archive, and of nothing of the checkout', () => {
  const added = [...IMAGE.matchAll(/^(?:ADD|COPY) (.+) \S+$/gm)].map(([, sources]) => sources)
  expect(added).toEqual([expect.stringContaining('ARCHIVE'), `--from=unpacked ${PLACE}`])
})
