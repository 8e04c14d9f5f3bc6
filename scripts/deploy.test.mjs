import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SETTINGS } from '../apps/server/src/config-settings.ts'
import { ROOT } from './prepare.mjs'

const UNIT = readFileSync(join(ROOT, 'deploy/systemd/sallyport.service'), 'utf8')
const IMAGE = readFileSync(join(ROOT, 'deploy/container/Dockerfile'), 'utf8')
/** Where both put the product. */
const PLACE = '/opt/sallyport'
/** An account without any right of its own. */
const NOBODY = 65534

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-deploy-'))
  if (process.getuid() === 0) chownSync(folder, NOBODY, NOBODY)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** On this machine the release is the checkout. */
const here = (text) => text.replaceAll(`${PLACE}/current`, ROOT).replaceAll(PLACE, ROOT).replaceAll(' current/', ' ')
const command = UNIT.match(/^ExecStart=(.+)$/m)[1]
/** How a command is run as an account that owns nothing but its data directory. */
const asNobody = process.getuid() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
const mayReach = spawnSync('env', [...asNobody, 'test', '-r', join(ROOT, 'apps/server/src/main.ts')]).status === 0

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

test.skipIf(!mayReach)(
  "the unit's command starts as an ordinary account, writes in its data directory alone, and ends in order",
  async () => {
    const [program, ...parameters] = [...asNobody, ...here(command).split(' ')]
    // Not what other tests keep between runs.
    const entries = () => readdirSync(ROOT).filter((name) => name !== '.cache')
    const before = entries()
    const env = {
      PATH: '/usr/bin:/bin',
      SALLYPORT_DATA_DIR: join(folder, 'data'),
      SALLYPORT_HTTP_PORT: '0',
      SALLYPORT_SSH_PORT: '0',
    }
    const child = spawn(program, parameters, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const address = await new Promise((resolve, reject) => {
        let output = ''
        child.stdout.on('data', (bytes) => {
          output += bytes
          const [, found] = output.match(/is ready: (http\S+)/) ?? []
          if (found) resolve(found)
        })
        child.once('exit', () => reject(new Error(output)))
      })
      expect((await fetch(`${address}/api/health/`)).status).toBe(200)
      expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0)
      child.kill('SIGTERM')
      expect((await once(child, 'exit'))[0]).toBe(0)
      expect(entries()).toEqual(before)
    } finally {
      child.kill('SIGKILL')
    }
  },
  120_000,
)

test("the image starts by the unit's command, as an account without rights", () => {
  const entry = JSON.parse(IMAGE.match(/^ENTRYPOINT (.+)$/m)[1])
  // There is one release in it, and nothing beside.
  expect(entry.join(' ')).toBe(command.replace(`${PLACE}/`, '').replaceAll('current/', ''))
  const users = [...IMAGE.matchAll(/^USER (.+)$/gm)].map(([, user]) => user)
  expect(users).toEqual(['10001'])
  expect(IMAGE.indexOf('USER 10001')).toBeLessThan(IMAGE.indexOf('ENTRYPOINT'))
})

test('operators find their command in the image, and as scripts of npm, which install nothing', () => {
  const [, path] = IMAGE.match(/^ENV PATH=(\S+)$/m)
  expect(path.split(':')[0]).toBe(`${PLACE}/bin`)
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const name of ['rotate-key', 'private-token', 'license'])
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
  expect(admin('nothing').stderr).toContain('rotate-key     take a new key')
})

test('the image takes along what the product runs with, and nothing of the checkout that is private', () => {
  const taken = [...IMAGE.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, sources]) => sources.split(' '))
  for (const source of taken) expect(existsSync(join(ROOT, source.replace(PLACE, '')))).toBe(true)
  for (const needed of ['node_modules', 'packages', 'apps', 'bin']) expect(taken).toContain(`${PLACE}/${needed}`)
  const left = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const own of ['data', '.git', 'node_modules', 'releases', 'current']) expect(left).toContain(own)
})
