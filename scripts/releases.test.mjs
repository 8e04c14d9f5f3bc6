/** `npm run setup -- --production` in a small product with packages of its own, which needs no registry. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ROOT } from './prepare.mjs'

/** The product of version one with its first release, made once: each test begins with a copy. */
const prepared = temporaryFolder()
let place
let started
beforeAll(() => {
  place = prepared
  for (const script of ['prepare.mjs', 'releases.mjs', 'setup.mjs', 'start.mjs'])
    copyTo(`scripts/${script}`, join(ROOT, 'scripts', script))
  // As one that a test watches running.
  copyTo('apps/server/src/waits', '/bin/sleep')
  for (const version of ['two', 'one']) writeProduct(version)
  expect(setup('--production')).toMatchObject({ status: 0 })
})
afterAll(() => rmSync(prepared, { recursive: true, force: true }))

beforeEach(() => {
  place = temporaryFolder()
  started = []
  // Its links stay as they are.
  cpSync(prepared, place, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
})
afterEach(async () => {
  for (const child of started) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  rmSync(place, { recursive: true, force: true })
})

function temporaryFolder() {
  return realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-releases-')))
}

function copyTo(path, source) {
  mkdirSync(dirname(join(place, path)), { recursive: true })
  copyFileSync(source, join(place, path))
}

function write(path, content) {
  mkdirSync(dirname(join(place, path)), { recursive: true })
  writeFileSync(join(place, path), typeof content === 'string' ? content : JSON.stringify(content))
}

/** A package as a registry would have it, unless it was made before; `files` by their path. */
function pack(file, name, files) {
  if (existsSync(join(place, 'bin', `${file}.tgz`))) return
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-pack-'))
  for (const [path, content] of Object.entries({
    'package.json': { name, version: '1.0.0', ...files.package },
    ...files.files,
  })) {
    mkdirSync(dirname(join(folder, 'package', path)), { recursive: true })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(join(folder, 'package', path), text, { mode: 0o755 })
  }
  mkdirSync(join(place, 'bin'), { recursive: true })
  spawnSync('tar', ['-czf', join(place, 'bin', `${file}.tgz`), '-C', folder, 'package'])
  rmSync(folder, { recursive: true })
}

/** The sources of a version of the product, each part of which says which it is of. */
function writeProduct(version) {
  pack('node', 'node', {
    package: { bin: { node: 'bin/node' } },
    files: { 'bin/node': `#!/bin/sh\nexec ${process.execPath} "$@"\n` },
  })
  pack('vite', 'vite', {
    package: { bin: { vite: 'vite.mjs' }, type: 'module' },
    files: {
      'vite.mjs': `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
writeFileSync('dist/index.html', readFileSync('src/page.txt'))`,
    },
  })
  pack(`late-package-${version}`, 'late-package', {
    package: { exports: './index.mjs' },
    files: { 'index.mjs': `export const version = '${version}'` },
  })
  write('LICENSE', 'free')
  write('tsconfig.base.json', {})
  write('package.json', {
    name: 'small',
    private: true,
    workspaces: ['packages/*', 'apps/*'],
    dependencies: { node: 'file:bin/node.tgz' },
  })
  write('packages/contract/package.json', { name: '@small/contract', version: '1.0.0' })
  write('packages/contract/src/index.mjs', '')
  write('apps/console/package.json', {
    name: '@sallyport/console',
    version: '1.0.0',
    devDependencies: { vite: 'file:../../bin/vite.tgz' },
  })
  write('apps/console/src/page.txt', version)
  write('apps/server/package.json', {
    name: '@sallyport/server',
    version: '1.0.0',
    type: 'module',
    dependencies: { 'late-package': `file:../../bin/late-package-${version}.tgz` },
  })
  write('apps/server/src/server.ts', "import 'late-package'")
  write('apps/server/src/late.ts', `export const version: string = '${version}'`)
  // As a server does that loads a worker at the first import of a file.
  write(
    'apps/server/src/main.ts',
    `import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const parts = [await import('./late.ts'), await import('late-package')].map(({ version }) => version)
  console.log([...parts, readFileSync(new URL('../../console/dist/index.html', import.meta.url))].join(' '))
}`,
  )
  // It has nothing to bundle.
  write(
    'scripts/bundle-server.mjs',
    `import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
for (const name of ['main', 'server']) writeFileSync(\`dist/\${name}.js\`, \`import '../src/\${name}.ts'\`)`,
  )
  locks[version] ??= lockFile()
  write('package-lock.json', locks[version])
}

/** By version: to have npm make one takes a second. */
const locks = {}

function lockFile() {
  rmSync(join(place, 'package-lock.json'), { force: true })
  const { stderr, status } = spawnSync('npm', ['install', '--package-lock-only', '--silent'], {
    cwd: place,
    encoding: 'utf8',
    env: { ...process.env, ...AWAY },
  })
  expect([status, stderr]).toEqual([0, ''])
  return readFileSync(join(place, 'package-lock.json'), 'utf8')
}

/** Nobody answers where packages would come from. */
const AWAY = { npm_config_registry: 'http://127.0.0.1:1', npm_config_fetch_retries: '0', npm_config_audit: 'false' }

function setup(...parameters) {
  const { status, stdout, stderr } = spawnSync('node', [join(place, 'scripts/setup.mjs'), ...parameters], {
    cwd: place,
    encoding: 'utf8',
    env: { ...process.env, ...AWAY },
  })
  return { status, output: stdout + stderr }
}

const node = (folder) => join(place, folder, 'node_modules/node/bin/node')

/** What runs from there; `versions()` has it load what it had not needed before. */
async function run(folder) {
  const child = spawn(node(folder), [join(place, folder, 'apps/server/src/main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  started.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return {
    async versions() {
      child.stdin.write('\n')
      return (await lines.next()).value
    },
  }
}

test('a setup makes a release beside the one that runs, which stays whole; the next start has the new one, and there is a way back', async () => {
  const first = readlinkSync(join(place, 'current'))
  // Without what only building needs.
  expect(existsSync(join(place, 'current/node_modules/vite'))).toBe(false)
  const running = await run('current')
  // Services of before look for it there.
  const ofBefore = await run('.')
  expect(await ofBefore.versions()).toBe('one one one')

  writeProduct('two')
  expect(setup('--production')).toMatchObject({ status: 0 })
  expect(await running.versions()).toBe('one one one')
  expect(await (await run('current')).versions()).toBe('two two two')
  expect(await (await run('.')).versions()).toBe('two two two')

  expect(setup('--back')).toMatchObject({ status: 0 })
  expect(readlinkSync(join(place, 'current'))).toBe(first)
  expect(await (await run('current')).versions()).toBe('one one one')
  expect(setup('--back')).toMatchObject({ status: 1, output: 'There is no earlier release to go back to.\n' })
})

test('where packages cannot be had, or the console cannot be built, a setup changes nothing and says so', async () => {
  const running = await run('current')
  const before = [readlinkSync(join(place, 'current')), readdirSync(join(place, 'releases'))]
  writeProduct('two')
  write('apps/server/package.json', {
    name: '@sallyport/server',
    version: '1.0.0',
    type: 'module',
    dependencies: { 'package-of-a-registry-that-is-away': '1.0.0' },
  })
  const away = setup('--production')
  writeProduct('two')
  rmSync(join(place, 'apps/console/src/page.txt'))
  const broken = setup('--production')
  writeProduct('two')
  write('apps/server/src/server.ts', "import 'package-that-nobody-names'")
  const lacking = setup('--production')
  for (const { status, output } of [away, broken, lacking]) {
    expect(status).toBe(1)
    expect(output).toContain('Nothing was changed')
  }
  expect([readlinkSync(join(place, 'current')), readdirSync(join(place, 'releases'))]).toEqual(before)
  expect(await running.versions()).toBe('one one one')
  expect(await (await run('current')).versions()).toBe('one one one')
})

test('releases that nobody runs are removed but for the one before; one that still runs is kept', async () => {
  const first = readlinkSync(join(place, 'current'))
  const old = spawn(join(place, 'current/apps/server/src/waits'), ['1000'])
  started.push(old)
  for (let times = 0; times < 2; times++) expect(setup('--production')).toMatchObject({ status: 0 })
  const names = () => readdirSync(join(place, 'releases')).map((name) => `releases/${name}`)
  expect(names()).toHaveLength(3)
  expect(names()).toContain(first)
  old.kill('SIGKILL')
  await once(old, 'exit')
  expect(setup('--production')).toMatchObject({ status: 0 })
  expect(names()).toHaveLength(2)
  expect(names()).toContain(readlinkSync(join(place, 'current')))
})
