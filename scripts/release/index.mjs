/**
 * `npm run release [-- x64|arm64 …]`: an archive for each kind of Linux in `dist/`, which runs on a
 * machine without anything else and without a network; its checksums, bill of materials, licenses
 * and provenance beside it.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, buildServer, fail, install, installFor, ROOT } from '../prepare.mjs'
import { pack, provenance, writeSums } from './archive.mjs'
import { readLock } from './packages.mjs'
import { fetchParts, PROCESSORS } from './parts.mjs'
import { makeTree } from './tree.mjs'

const OUT = join(ROOT, 'dist')
const WORK = join(ROOT, '.cache/release')
const LOCK = join(ROOT, 'package-lock.json')

const words = process.argv.slice(2)
const unknown = words.filter((word) => !PROCESSORS.includes(word))
if (unknown.length) fail(`${unknown[0]} is no processor: ${PROCESSORS.join(' or ')}.`)
const processors = words.length ? words : PROCESSORS

// All files are read by accounts that own none of them.
process.umask(0o022)
const node = install()
if (!buildConsole(node)) fail('The console could not be built: see above.')
if (!buildServer(node)) fail('The server could not be built: see above.')
const lock = readLock()
const { version } = lock['']
const source = sourceOf()
if (source.hasChanges) console.warn('The checkout has changes that are not committed: the provenance says so.')
rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const names = []
const components = []
for (const processor of processors) await makeArchive(processor)
names.push('provenance.intoto.json')
const command = ['npm run release', ...(words.length ? ['--', ...words] : [])].join(' ')
const statement = provenance({
  folder: OUT,
  names: names.filter((name) => name.endsWith('.tar.gz')),
  source,
  command,
  version,
  components,
  lockFile: LOCK,
})
writeFileSync(join(OUT, 'provenance.intoto.json'), `${JSON.stringify(statement, null, 2)}\n`)
writeSums(OUT, names)
console.log(`Made in ${OUT}:\n${['SHA256SUMS', ...names].map((name) => `  ${name}`).join('\n')}`)

async function makeArchive(processor) {
  const name = `sallyport-${version}-linux-${processor}`
  const folder = join(WORK, name)
  rmSync(folder, { recursive: true, force: true })
  const parts = await fetchParts(processor, lock['node_modules/node'].version)
  console.log(`Making ${name} …`)
  components.push(
    ...makeTree({
      folder,
      from: installFor(processor, join(WORK, `packages-${processor}`)),
      lock,
      parts,
      consoleFolder: join(ROOT, 'apps/console/dist'),
      serverFolder: join(ROOT, 'apps/server/dist'),
      release: { version, processor, commit: source.commit, time: source.time },
    }),
  )
  pack(folder, join(OUT, `${name}.tar.gz`), Date.parse(source.time) / 1000)
  for (const [file, copied] of [
    ['sbom.cdx.json', `${name}.cdx.json`],
    ['THIRD-PARTY-LICENSES.txt', `${name}-licenses.txt`],
  ]) {
    copyFileSync(join(folder, file), join(OUT, copied))
    names.push(copied)
  }
  names.push(`${name}.tar.gz`)
  rmSync(folder, { recursive: true })
}

/** The commit that the checkout is at. */
function sourceOf() {
  const git = (...parameters) => spawnSync('git', parameters, { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
  if (!existsSync(join(ROOT, '.git'))) fail('A release is made from a checkout of git: its commit is in the archive.')
  const [commit, time] = git('log', '-1', '--format=%H %cI').split(' ')
  return {
    commit,
    time: new Date(time).toISOString().replace('.000', ''),
    hasChanges: git('status', '--porcelain') !== '',
    uri: `git+${git('config', '--get', 'remote.origin.url') || 'file:.'}`,
  }
}
